// What any output needs to know about one judged file. Outputs print; they decide nothing.
#pragma once

#include "verifier/check/timeline.h"
#include "verifier/check/verify.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/program.h"
#include "verifier/model/options.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace plumbline::report {

struct Report {
  std::string file;                  // as the user named it
  std::string format;                // how it was read, e.g. "pytorch-csv"
  std::string why;                   // why so
  std::vector<std::string> notes;    // what was taken for granted
  bool misused = false;              // set with `invalid` where it is an option that does not fit the file
  std::optional<Diagnostic> invalid; // set if the file could not be read; then nothing below is
  Program program;
  model::Options model;
  check::Verification verification;
  std::optional<check::Timeline> timeline; // for pictures of it; only if it was asked for
  // Wall clock, reading included. Nothing where the output must not differ from run to run: then no times are printed.
  std::optional<double> seconds;
  llvm::StringMap<std::string> texts; // by file name: the lines that messages show
};

// "verified", "rejected", "undecided" or "invalid".
llvm::StringRef verdictOf(const Report &report);

// Exit code of one file: 0 verified, 1 rejected, 2 invalid, 3 undecided.
int exitCodeOf(const Report &report);

// The rules with errors, ascending, each once.
std::vector<check::RuleId> brokenRules(const Report &report);

// "PL401"
std::string nameOf(check::RuleId rule);
llvm::StringRef nameOf(check::Severity severity);

// Where to point for an instruction: its own place.
SourceLocation placeOf(const Program &program, InstructionId instruction);
// The name of a location's file; empty if it has none.
llvm::StringRef fileOf(const Program &program, SourceLocation location);

// The model's switches as words of the command line.
struct ModelWords {
  std::string name, comms, room, group, connect, wait, streams;
};
ModelWords wordsOf(const model::Options &options);

} // namespace plumbline::report
