// The rules as SARIF describes them: those of verification, and two of its own for what was not judged.
#pragma once

#include "verifier/check/rule.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace plumbline::report {

// A rule by its name and its place among all that printSarifRules prints.
struct SarifRule {
  std::string id;
  std::size_t index = 0;
};

SarifRule sarifRule(check::RuleId rule);
SarifRule invalidRule();   // the file can be read, and the options fit it
SarifRule undecidedRule(); // every question is decided

// An array of reportingDescriptor objects (SARIF 2.1.0, section 3.49), as a value.
void printSarifRules(llvm::json::OStream &json);

} // namespace plumbline::report
