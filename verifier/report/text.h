// Findings as compilers print them: place, message, rule, the line with a caret, then notes.
#pragma once

#include "verifier/report/report.h"

#include "llvm/Support/raw_ostream.h"

namespace plumbline::report {

struct TextStyle {
  bool color = false;       // on a terminal
  unsigned width = 80;      // of a terminal; source lines are cut to fit
  bool showVerified = true; // also a line for files without findings
};

// Everything about one file, the summary line last.
void printText(const Report &report, const TextStyle &style, llvm::raw_ostream &out);

// Some of the report's findings, as printText prints them; `kind` stands before the severity of each: "new ".
void printFindings(const Report &report, llvm::ArrayRef<const check::Finding *> findings, const TextStyle &style,
                   llvm::raw_ostream &out, llvm::StringRef kind = "");

// The first line of a finding alone.
void printHeadline(const Report &report, const check::Finding &finding, const TextStyle &style, llvm::raw_ostream &out,
                   llvm::StringRef kind = "");

// Why an invalid input cannot be read, with its line.
void printInvalidInput(const Report &report, const TextStyle &style, llvm::raw_ostream &out);

// The table of slot counts, a line for each rank and pool.
void printSlots(const Report &report, llvm::raw_ostream &out);

} // namespace plumbline::report
