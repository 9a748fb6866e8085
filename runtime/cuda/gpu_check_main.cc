// usage: gpu_check [--list | STEPS]
#include "runtime/cuda/environment.h"
#include "runtime/cuda/gpu_check.h"

#include "llvm/ADT/StringRef.h"

int main(int argc, char **argv) {
  using namespace plumbline::runtime::cuda;
  setEnvironment();
  const llvm::StringRef argument = argc == 2 ? argv[1] : "40";
  std::int64_t steps = 0;
  if (argument == "--list")
    return listDevices(llvm::outs());
  if (argc > 2 || argument.getAsInteger(10, steps) || steps < 2) {
    llvm::errs() << "usage: gpu_check [--list | STEPS]\n";
    return 2;
  }
  return gpuCheck(llvm::outs(), steps);
}
