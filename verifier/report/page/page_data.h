// What the page's script reads of one report: words as JSON, and a column for each property of instructions.
#pragma once

#include "verifier/report/report.h"

#include "llvm/Support/JSON.h"

namespace plumbline::report {

// One JSON object. As in printPage, the report has a timeline unless it is invalid. script/program.js names the fields.
void printPageData(const Report &report, llvm::json::OStream &json);

} // namespace plumbline::report
