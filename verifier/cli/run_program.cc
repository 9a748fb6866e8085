#include "verifier/cli/run_program.h"

#include "verifier/cli/exit_code.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <unistd.h>
#include <vector>

namespace plumbline::cli {
namespace {

struct Backend {
  const char *name, *program, *built; // the last: from the folder of this program in Bazel's tree
};
constexpr Backend backends[] = {
    {"host", "plumbline_run", "../../runtime/cli/plumbline_run"},
    {"mpi", "plumbline_run_mpi", "../../runtime/mpi/plumbline_run_mpi"},
    {"cuda", "plumbline_run_cuda", "../../runtime/cuda/plumbline_run_cuda"},
};

// The word after --backend; of several the last. Everything else is read by the program itself.
llvm::StringRef backendIn(int argc, char **argv) {
  llvm::StringRef backend = "host";
  for (int k = 2; k < argc; ++k) {
    llvm::StringRef word = argv[k];
    if (!word.consume_front("--") && !word.consume_front("-"))
      continue;
    if (word.consume_front("backend="))
      backend = word;
    else if (word == "backend" && k + 1 < argc)
      backend = argv[k + 1];
  }
  return backend;
}

std::string besideThis(const char *relative) {
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  return self.substr(0, self.rfind('/') + 1) + relative;
}

} // namespace

bool isRun(int argc, char **argv) { return argc >= 2 && llvm::StringRef(argv[1]) == "run"; }

int startRun(int argc, char **argv) {
  const llvm::StringRef wanted = backendIn(argc, argv);
  for (const Backend &backend : backends) {
    if (wanted != backend.name)
      continue;
    std::vector<char *> words(argv + 1, argv + argc);
    words.push_back(nullptr);
    for (const char *place : {backend.program, backend.built})
      ::execv(besideThis(place).c_str(), words.data());
    llvm::errs() << "plumbline: the program for --backend " << wanted
                 << " is not there: " << besideThis(backend.program) << "; in a checkout, tools/plumbline builds it\n";
    return unusableCode;
  }
  llvm::errs() << "plumbline: --backend takes host, mpi or cuda; got '" << wanted << "'\n";
  return unusableCode;
}

} // namespace plumbline::cli
