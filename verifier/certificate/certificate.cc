#include "verifier/certificate/certificate.h"

#include "verifier/model/words.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace plumbline::certificate {
namespace {

constexpr const char *schema = "plumbline.certificate.v1";
// A line takes some 40 bytes a pool.
constexpr std::size_t longestLine = std::size_t(64) << 20U;
// Deeper than any certificate; keeps hostile nesting from exhausting the stack of LLVM's parser.
constexpr int deepest = 8;

bool isShallow(llvm::StringRef line) {
  int depth = 0;
  for (const char c : line) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > deepest)
      return false;
  }
  return true;
}

// One switch of the model in a JSON object; false: it is missing or has no such value.
template <typename Switch> bool readSwitch(const llvm::json::Object &object, llvm::StringRef key, Switch &value) {
  const auto text = object.getString(key);
  const std::optional<Switch> found = text ? model::fromName<Switch>(*text) : std::nullopt;
  if (found)
    value = *found;
  return found.has_value();
}

bool readNumber(const llvm::json::Object &object, llvm::StringRef key, std::int64_t least, std::int64_t most,
                std::int64_t &value) {
  const auto number = object.getInteger(key);
  if (!number || *number < least || *number > most)
    return false;
  value = *number;
  return true;
}

bool readModel(const llvm::json::Object &object, model::Options &o) {
  std::int64_t room = 0, roomBytes = 0, plan = 0;
  if (!readSwitch(object, "name", o.kind) || !readSwitch(object, "comms", o.comms) ||
      !readSwitch(object, "group", o.grouping) || !readSwitch(object, "wait", o.wait) ||
      !readSwitch(object, "connect", o.connect) || !readSwitch(object, "streams", o.streams) ||
      !readNumber(object, "room", 0, INT32_MAX, room) || !readNumber(object, "room_bytes", -1, INT64_MAX, roomBytes) ||
      !readNumber(object, "plan", 0, INT32_MAX, plan))
    return false;
  o.room = static_cast<std::int32_t>(room);
  o.roomBytes = roomBytes;
  o.plan = static_cast<std::int32_t>(plan);
  return true;
}

bool readSlots(const llvm::json::Array &array, std::vector<SlotClaim> &slots) {
  for (const llvm::json::Value &value : array) {
    const llvm::json::Object *object = value.getAsObject();
    std::int64_t rank = 0, least = 0;
    if (!object || !readNumber(*object, "rank", 0, INT32_MAX, rank) || !object->getString("pool") ||
        !readNumber(*object, "least", 0, INT32_MAX, least))
      return false;
    slots.push_back(
        {static_cast<std::int32_t>(rank), object->getString("pool")->str(), static_cast<std::int32_t>(least)});
  }
  return true;
}

// Empty, or what was expected.
std::string readLine(llvm::StringRef line, Certificate &certificate) {
  if (line.size() > longestLine || !isShallow(line))
    return "expected a certificate; this line is too long, or nests too deep, for one";
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return "expected a certificate, a JSON object on one line";
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object || object->getString("schema") != llvm::StringRef(schema))
    return std::string("expected a certificate, of schema ") + schema;
  const auto hash = object->getString("program_sha256"), verdict = object->getString("verdict");
  if (!hash || hash->size() != 64)
    return "expected program_sha256, 64 hexadecimal digits";
  if (!verdict)
    return "expected a verdict";
  const llvm::json::Object *model = object->getObject("model");
  if (!model || !readModel(*model, certificate.model))
    return "expected a model, with name, comms, room, room_bytes, group, wait, connect, streams and plan";
  if (const llvm::json::Array *slots = object->getArray("slots"); !slots || !readSlots(*slots, certificate.slots))
    return "expected slots, a list of objects with rank, pool and least";
  certificate.programHash = hash->str();
  certificate.verdict = verdict->str();
  return "";
}

} // namespace

std::string print(const Certificate &certificate) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  const model::Options &o = certificate.model;
  json.object([&] {
    json.attribute("schema", schema);
    json.attribute("verdict", certificate.verdict);
    json.attribute("program_sha256", certificate.programHash);
    json.attributeObject("model", [&] {
      json.attribute("name", model::name(o.kind));
      json.attribute("comms", model::name(o.comms));
      json.attribute("room", o.room);
      json.attribute("room_bytes", o.roomBytes);
      json.attribute("group", model::name(o.grouping));
      json.attribute("wait", model::name(o.wait));
      json.attribute("connect", model::name(o.connect));
      json.attribute("streams", model::name(o.streams));
      json.attribute("plan", o.plan);
    });
    json.attributeArray("slots", [&] {
      for (const SlotClaim &claim : certificate.slots)
        json.object([&] {
          json.attribute("rank", claim.rank);
          json.attribute("pool", claim.pool);
          json.attribute("least", claim.least);
        });
    });
  });
  out << '\n';
  return text;
}

Result<std::vector<Certificate>> parse(const std::string &file, const std::string &text) {
  std::vector<Certificate> certificates;
  llvm::SmallVector<llvm::StringRef, 4> lines;
  llvm::StringRef(text).split(lines, '\n');
  std::uint32_t number = 0;
  for (const llvm::StringRef line : lines) {
    ++number;
    if (line.trim().empty())
      continue;
    Certificate certificate;
    if (std::string wrong = readLine(line.trim(), certificate); !wrong.empty())
      return Diagnostic{file, number, 1, wrong};
    certificates.push_back(std::move(certificate));
  }
  if (certificates.empty())
    return Diagnostic{file, 0, 0, "holds no certificate; `plumbline verify FILE --certificate FILE` writes one"};
  return certificates;
}

} // namespace plumbline::certificate
