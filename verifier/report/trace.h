// When everything of a step happens, in Chrome's trace event format, for chrome://tracing and Perfetto
// (docs/report.md).
#pragma once

#include "verifier/report/report.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::report {

// A process for each rank of each file, a row for each lane, a bar for each instruction that begins, arrows from sends
// to receives, a counter for each pool, and findings and open questions as marks. One unit of time is shown as one
// millisecond; where the bars stand exactly: trace_layout.h. What never begins is only counted.
class TraceDocument {
public:
  // The report's timeline must be set, unless it is invalid; then nothing is added. Keeps the events as text.
  // O(n log n).
  void add(const Report &report);
  void print(llvm::raw_ostream &out) const;

private:
  struct Rank {
    std::string name, label; // the label says what is not shown; often empty
    std::vector<std::string> rows;
  };
  struct File {
    std::string name;
    std::vector<Rank> ranks; // a process each
  };

  std::vector<File> files_;
  std::string events_;
  std::int32_t processes_ = 0;
  std::int64_t arrows_ = 0; // numbers given to arrows so far
};

} // namespace plumbline::report
