// For tests that judge in their own process: settings from command-line words, and what a report says in short.
#pragma once

#include "verifier/cli/judge.h"
#include "verifier/report/report.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace plumbline::testing {

// The settings that `plumbline verify` takes from these words. A file after --batches lies in `folder`. Words of the
// output, and words that do not exist, fail the test.
cli::Settings settingsOf(llvm::StringRef words, const std::string &folder = "");

// The rules that the findings of one severity break, as "PL401"; sorted, each once.
std::vector<std::string> rulesOf(const report::Report &report, check::Severity severity = check::Severity::error);

// Their families, as "PL4". Sorted, each once.
std::vector<std::string> familiesOf(const report::Report &report);

// Everything that the text report says, for the message of a failing test.
std::string textOf(const report::Report &report);

} // namespace plumbline::testing
