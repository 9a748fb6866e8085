// The reports of all files of a run as one SARIF 2.1.0 log, for code scanning and editors (docs/report.md).
#pragma once

#include "verifier/report/report.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace plumbline::report {

// One run for all files. Every finding is a result, and so is a file that cannot be read and a question left open:
// a file has passed exactly if none of its results has level "error". Untrusted text is made UTF-8 and can form neither
// a link nor a placeholder of SARIF's messages. Deterministic: no times, no absolute names but those that were given.
class SarifDocument {
public:
  // Keeps the results as text, and nothing of the report. Linear in texts and findings.
  void add(const Report &report);
  void print(llvm::raw_ostream &out) const;

private:
  std::string results_, notifications_, artifacts_; // elements of arrays, with commas between
  llvm::StringSet<> uris_;                          // of artifacts
  bool successful_ = true;                          // every file was read and every question decided
};

} // namespace plumbline::report
