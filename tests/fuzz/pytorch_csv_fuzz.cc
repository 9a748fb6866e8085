#include "tests/fuzz/targets.h"

namespace {

// Takes off the text what follows the separating line, if there is one.
std::optional<llvm::StringRef> cutOff(llvm::StringRef &text, llvm::StringRef separator) {
  const auto [before, after] = text.split(separator);
  if (before.size() == text.size())
    return std::nullopt;
  text = before;
  return after;
}

} // namespace

// Rows, then the launches behind a line "===", then a placement behind a line "+++"; the latter two may be absent.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  llvm::StringRef rows = plumbline::fuzz::textOf(data, size);
  const std::optional<llvm::StringRef> placement = cutOff(rows, "+++\n");
  const std::optional<llvm::StringRef> launches = cutOff(rows, "===\n");
  std::optional<plumbline::frontend::Source> batches;
  if (launches)
    batches = plumbline::frontend::Source{"batches", *launches};
  plumbline::fuzz::readAndCheck(rows, batches, plumbline::frontend::Format::pytorch_csv, placement);
  return 0;
}
