// The report as one JSON object on one line: schema plumbline.report.v1 (DESIGN section 8; docs/report.md).
#pragma once

#include "verifier/report/report.h"

#include "llvm/Support/raw_ostream.h"

namespace plumbline::report {

void printJson(const Report &report, llvm::raw_ostream &out);

} // namespace plumbline::report
