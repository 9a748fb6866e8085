#include "verifier/cli/command_line.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/exit_code.h"
#include "verifier/cli/run_program.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>

namespace {

// LLVM itself gives up with 1, which means "rejected" here; for instance when --help cannot be written.
void giveUp(void * /*data*/, const char *reason, bool /*crash*/) {
  std::fprintf(stderr, "plumbline: %s\n", reason);
  std::_Exit(plumbline::cli::unusableCode);
}

} // namespace

int main(int argc, char **argv) {
  using namespace plumbline::cli;
  llvm::install_fatal_error_handler(giveUp);
  if (isRun(argc, argv))
    return startRun(argc, argv);
  CommandLine line;
  int code = parseCommandLine(argc, argv, line) ? run(line) : unusableCode;
  // A full or closed output is our failure to report, not a reason for LLVM to abort with a code of its own.
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    llvm::outs().clear_error();
    code = unusableCode;
  }
  llvm::errs().clear_error();
  return code;
}
