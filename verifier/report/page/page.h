// A report as one HTML page that needs nothing else: the step's timeline, its slots, and what was found (docs/view.md).
#pragma once

#include "verifier/report/report.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::report {

// One finding in both reports, as its index in each.
struct SameFinding {
  std::uint32_t base = 0, next = 0;
};

// How two reports differ, as others have decided it (verifier/compare).
struct PageDifference {
  std::vector<std::uint32_t> added; // indices into the new report's findings: those that the base does not have
  std::vector<std::uint32_t> fixed; // indices into the base's findings: those that the new one no longer has
  std::vector<SameFinding> same;    // those that both have
  std::vector<std::string> summary; // a few lines of text for the top of the page; the first is the verdict
};

// Report::timeline must be set unless Report::invalid is. The page holds no times of the run, so equal reports give
// equal bytes. It reaches for nothing outside itself: its policy forbids all connections and all scripts but its own.
// Names and messages from the input stand in it as data only. O(n) in instructions, accesses and waits, some 35 bytes
// for each instruction; the source lines shown cost a pass over the text each.
void printPage(const Report &report, llvm::raw_ostream &out);

// Both side by side, on one time scale. Each as above.
void printPages(const Report &base, const Report &next, const PageDifference &difference, llvm::raw_ostream &out);

} // namespace plumbline::report
