#include "runtime/train/checkpoint.h"

#include "verifier/ir/text.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace plumbline::runtime {
namespace {

constexpr const char *schema = "plumbline.checkpoint.v1";
constexpr std::size_t longestHeader = 65'536;

std::string stepName(std::int64_t step) { return "step-" + std::to_string(step); }
std::string stageName(std::int32_t position) { return "stage-" + std::to_string(position); }

// Onto the disk, not just to the system: what `latest` names must be there after a crash of the machine.
std::string syncPath(const std::string &path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return "cannot open " + path;
  const bool synced = ::fsync(file) == 0;
  ::close(file);
  return synced ? "" : "cannot write " + path + " to disk";
}

std::string writeSynced(const std::string &path, llvm::ArrayRef<llvm::StringRef> parts) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  for (const llvm::StringRef part : parts)
    if (!error)
      out << part;
  out.close();
  if (!error)
    error = out.error();
  out.clear_error();
  return error ? "cannot write " + path + ": " + error.message() : syncPath(path);
}

llvm::StringRef textOf(const std::vector<char> &bytes) { return {bytes.data(), bytes.size()}; }

std::uint32_t checksum(llvm::StringRef a, llvm::StringRef b) {
  const auto bytes = [](llvm::StringRef text) {
    return llvm::ArrayRef<std::uint8_t>(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
  };
  return llvm::crc32(llvm::crc32(bytes(a)), bytes(b));
}

std::string printed(llvm::json::Object object) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object)) << '\n';
  return text;
}

// Stages of the first replica; the others have the same weights.
bool isSaved(StageId stage, const RunIdentity &identity) { return stage.value() < identity.stages; }

std::string saveStage(const std::string &folder, Backend &backend, StageId stage, std::int64_t step) {
  const std::vector<char> parameters = backend.read(stage, Backend::Part::parameters);
  const std::vector<char> optimizer = backend.read(stage, Backend::Part::optimizer);
  const std::string header = printed(
      llvm::json::Object{{"schema", schema},
                         {"step", step},
                         {"position", stage.value()},
                         {"updates", backend.updates(stage)},
                         {"parameter_bytes", static_cast<std::int64_t>(parameters.size())},
                         {"optimizer_bytes", static_cast<std::int64_t>(optimizer.size())},
                         {"crc32", static_cast<std::int64_t>(checksum(textOf(parameters), textOf(optimizer)))}});
  return writeSynced(folder + "/" + stageName(stage.value()), {header, textOf(parameters), textOf(optimizer)});
}

std::string saveStages(const std::string &folder, Backend &backend, const RunIdentity &identity, std::int64_t step) {
  if (const std::error_code error = llvm::sys::fs::create_directories(folder))
    return "cannot make the folder " + folder + ": " + error.message();
  for (const StageId stage : backend.stages())
    if (isSaved(stage, identity) && backend.isFirstCopy())
      if (std::string wrong = saveStage(folder, backend, stage, step); !wrong.empty())
        return wrong;
  return syncPath(folder);
}

llvm::json::Object describeRun(const RunIdentity &identity, std::int64_t step) {
  return llvm::json::Object{{"schema", schema},
                            {"step", step},
                            {"stage", identity.stage},
                            {"options", identity.options},
                            {"seed", std::to_string(identity.seed)},
                            {"stages", identity.stages}};
}

std::string publish(const std::string &folder, const RunIdentity &identity, std::int64_t step) {
  const std::string latest = folder + "/latest", next = latest + ".new";
  if (std::string wrong = writeSynced(next, {printed(describeRun(identity, step))}); !wrong.empty())
    return wrong;
  if (const std::error_code error = llvm::sys::fs::rename(next, latest))
    return "cannot replace " + latest + ": " + error.message();
  return syncPath(folder);
}

// Saves of other steps are no longer needed once `latest` names this one. What cannot be removed does no harm.
void removeOthers(const std::string &folder, std::int64_t step) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; entry != end && !error; entry.increment(error)) {
    const llvm::StringRef name = llvm::StringRef(entry->path()).rsplit('/').second;
    if (name.starts_with("step-") && name != stepName(step))
      llvm::sys::fs::remove_directories(entry->path());
  }
}

Result<llvm::json::Object> readHeader(const std::string &path, llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = text.size() > longestHeader || text.count('[') + text.count('{') > 8
                                                ? llvm::createStringError(std::errc::invalid_argument, "too long")
                                                : llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return Diagnostic{path, 1, 1, "is no checkpoint, or damaged"};
  }
  llvm::json::Object *object = value->getAsObject();
  if (!object || object->getString("schema") != llvm::StringRef(schema))
    return Diagnostic{path, 1, 1, "is no checkpoint of this version of Plumbline"};
  return std::move(*object);
}

Result<std::unique_ptr<llvm::MemoryBuffer>> openFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return Diagnostic{path, 0, 0, "cannot be read: " + buffer.getError().message()};
  return std::move(*buffer);
}

std::optional<Diagnostic> loadStage(const std::string &path, Backend &backend, StageId stage, std::int64_t step,
                                    std::int32_t position) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = openFile(path);
  if (!buffer)
    return buffer.error();
  const auto [headerText, content] = (*buffer)->getBuffer().split('\n');
  Result<llvm::json::Object> header = readHeader(path, headerText);
  if (!header)
    return header.error();
  const std::size_t parameters = backend.read(stage, Backend::Part::parameters).size();
  const std::size_t optimizer = backend.read(stage, Backend::Part::optimizer).size();
  const auto number = [&](const char *key) { return header->getInteger(key).value_or(-1); };
  if (number("step") != step || number("position") != position)
    return Diagnostic{path, 1, 1, "is of another stage or another step"};
  if (number("parameter_bytes") != static_cast<std::int64_t>(parameters) ||
      number("optimizer_bytes") != static_cast<std::int64_t>(optimizer) || number("updates") < 0)
    return Diagnostic{path, 1, 1, "is of a stage of another size"};
  if (content.size() != parameters + optimizer ||
      number("crc32") != checksum(content.take_front(parameters), content.drop_front(parameters)))
    return Diagnostic{path, 0, 0, "is damaged"};
  const auto bytes = [](llvm::StringRef text) { return llvm::ArrayRef<char>(text.data(), text.size()); };
  backend.write(stage, Backend::Part::parameters, bytes(content.take_front(parameters)));
  backend.write(stage, Backend::Part::optimizer, bytes(content.drop_front(parameters)));
  backend.setUpdates(stage, number("updates"));
  return std::nullopt;
}

} // namespace

std::string saveCheckpoint(const std::string &folder, Backend &backend, const RunIdentity &identity,
                           std::int64_t step) {
  std::string wrong = saveStages(folder + "/" + stepName(step), backend, identity, step);
  // The pointer moves when every process has its files on disk.
  if (backend.anyone(!wrong.empty()))
    return !wrong.empty()            ? wrong
           : !backend.lost().empty() ? backend.lost()
                                     : "another process could not write its part of the checkpoint";
  if (backend.speaks())
    wrong = publish(folder, identity, step);
  if (backend.anyone(!wrong.empty()))
    return wrong.empty() ? "the first process could not write " + folder + "/latest" : wrong;
  if (backend.speaks())
    removeOthers(folder, step);
  return "";
}

Result<std::int64_t> loadCheckpoint(const std::string &folder, Backend &backend, const RunIdentity &identity) {
  const std::string latest = folder + "/latest";
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = openFile(latest);
  if (!buffer)
    return buffer.error();
  Result<llvm::json::Object> run = readHeader(latest, (*buffer)->getBuffer().trim());
  if (!run)
    return run.error();
  const std::int64_t step = run->getInteger("step").value_or(-1);
  if (step < 0)
    return Diagnostic{latest, 1, 1, "names no step"};
  const llvm::json::Object own = describeRun(identity, step);
  for (const char *key : {"stage", "options", "seed", "stages"})
    if (const llvm::json::Value *saved = run->get(key); !saved || *saved != *own.get(key))
      return Diagnostic{latest, 1, 1,
                        std::string("was saved with another ") + key + "; a run goes on only with what it began with"};
  for (const StageId stage : backend.stages()) {
    const std::int32_t position = stage.value() % identity.stages;
    const std::string path = folder + "/" + stepName(step) + "/" + stageName(position);
    if (std::optional<Diagnostic> wrong = loadStage(path, backend, stage, step, position))
      return *std::move(wrong);
  }
  return step;
}

} // namespace plumbline::runtime
