#include "verifier/cli/command_line.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/exit_code.h"

int main(int argc, char **argv) {
  using namespace plumbline::cli;
  CommandLine line;
  if (!parseCommandLine(argc, argv, line))
    return unusableCode;
  return run(line);
}
