#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  plumbline::fuzz::readAndCheck(plumbline::fuzz::textOf(data, size), std::nullopt,
                                plumbline::frontend::Format::deepspeed);
  return 0;
}
