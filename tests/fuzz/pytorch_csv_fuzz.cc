#include "tests/fuzz/targets.h"

// A line "===" parts the rows from the launches; without one there are only rows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const llvm::StringRef text = plumbline::fuzz::textOf(data, size);
  const auto [rows, launches] = text.split("===\n");
  std::optional<plumbline::frontend::Source> batches;
  if (rows.size() != text.size())
    batches = plumbline::frontend::Source{"batches", launches};
  plumbline::fuzz::readAndCheck(rows, batches, plumbline::frontend::Format::pytorch_csv);
  return 0;
}
