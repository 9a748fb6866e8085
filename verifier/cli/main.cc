#include "verifier/cli/command_line.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/exit_code.h"

#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  using namespace plumbline::cli;
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
