// The command line, read into plain values.
#pragma once

#include "verifier/cli/expectation.h"
#include "verifier/cli/generate.h"
#include "verifier/cli/inputs.h"
#include "verifier/cli/judge.h"
#include "verifier/compare/allowance.h"

#include <string>
#include <vector>

namespace plumbline::cli {

enum class Command : std::uint8_t { none, verify, diff, view, lower, buffers, gen, rules };
enum class OutputFormat : std::uint8_t { text, json, sarif, junit, trace };
enum class DiffFormat : std::uint8_t { text, json, markdown };
enum class ViewFormat : std::uint8_t { html, trace };

enum class Slots : std::uint8_t { given, least };

struct CommandLine {
  Command command = Command::none;
  Settings settings;
  std::vector<std::string> files; // files, folders and patterns; rule names for `rules`, schedules for `gen`
  InputRules rules;               // how folders and patterns are read
  GenerateSettings generate;      // of `gen`
  bool list = false;              // gen --list
  Slots slots = Slots::given;     // lower --slots
  OutputFormat format = OutputFormat::text;
  std::string output;      // -o; empty: standard output
  std::string junit;       // --junit: the same as JUnit XML, into this file as well; empty: not asked for
  std::string sarif;       // --sarif: likewise as SARIF
  std::string certificate; // --certificate: verdict, model and hash, for `plumbline run`; empty: not asked for
  std::optional<Expectation> expectation; // --expect
  DiffFormat diffFormat = DiffFormat::text;
  compare::Allowance allowance; // of diff
  ViewFormat viewFormat = ViewFormat::html;
  bool viewDiff = false; // view --diff: two files
  bool log = false;      // --log: what is done, on standard error
};

// Reads the arguments. On bad usage prints what is wrong to standard error and returns false. `--help` and `--version`
// print and leave the process with 0, as llvm::cl does.
bool parseCommandLine(int argc, char **argv, CommandLine &result);

} // namespace plumbline::cli
