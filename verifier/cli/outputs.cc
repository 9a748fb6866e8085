#include "verifier/cli/outputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

namespace plumbline::cli {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

struct Output {
  const char *option;
  const std::string &name;
};

// A file's way without links, as far as it exists: two that do not exist yet are the same if they would be.
std::string resolved(const std::string &name) {
  llvm::SmallString<256> whole;
  if (!fs::real_path(name, whole))
    return whole.str().str();
  llvm::SmallString<256> folder(path::parent_path(name));
  if (folder.empty())
    folder = ".";
  if (fs::real_path(folder, whole))
    return name;
  path::append(whole, path::filename(name));
  return whole.str().str();
}

bool isFile(const std::string &name) { return !name.empty() && name != "-"; }

// "-" is whatever file standard input was redirected from.
bool isStandardInput(const std::string &output) {
  fs::file_status input, target;
  return !fs::status(STDIN_FILENO, input) && !fs::status(output, target) && fs::equivalent(input, target);
}

bool areTheSame(const std::string &a, const std::string &b) {
  if (b == "-")
    return isStandardInput(a);
  return isFile(a) && isFile(b) && (fs::equivalent(a, b) || resolved(a) == resolved(b));
}

// Pipes and devices take whatever comes.
bool canBeOverwritten(const std::string &name) {
  fs::file_status status;
  return isFile(name) && (fs::status(name, status) || fs::is_regular_file(status));
}

} // namespace

std::string wrongOutputs(const CommandLine &line, llvm::ArrayRef<Input> inputs) {
  const Output outputs[] = {
      {"-o", line.output}, {"--junit", line.junit}, {"--sarif", line.sarif}, {"--certificate", line.certificate}};
  std::vector<std::string> read;
  for (const Input &input : inputs)
    read.insert(read.end(), {input.file, input.batches});
  read.push_back(line.settings.batches);
  if (line.settings.placement == PlacementChoice::file)
    read.push_back(line.settings.placementFile);
  for (const auto &[k, output] : llvm::enumerate(outputs)) {
    if (!canBeOverwritten(output.name))
      continue;
    for (const Output &other : llvm::ArrayRef(outputs).take_front(k))
      if (other.name != "-" && areTheSame(output.name, other.name))
        return std::string(output.option) + " and " + other.option + " name the same file";
    for (const std::string &file : read)
      if (areTheSame(output.name, file))
        return std::string(output.option) + " " + output.name + " would overwrite the input" +
               (file == output.name ? "" : " " + file);
  }
  return "";
}

} // namespace plumbline::cli
