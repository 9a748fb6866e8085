// Runs a fuzz target once on each file named on the command line, so that a corpus is also a
// regression test where libFuzzer is not linked in (it comes with Clang only).
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    std::string input(std::istreambuf_iterator<char>(file), {});
    std::fprintf(stderr, "%s\n", argv[i]);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()), input.size());
  }
  // Most targets have some special case for it, and libFuzzer too begins with it.
  LLVMFuzzerTestOneInput(nullptr, 0);
  return 0;
}
