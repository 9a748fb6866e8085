// Events in Chrome's trace event format (JSON object form), as chrome://tracing and Perfetto open them.
#pragma once

#include "verifier/ir/program.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace plumbline::report {

// A row of a process, both counted from 0. Printed with other numbers: Perfetto takes process 0 for the idle one, and
// the row that has its process's number for the main one, which it shows first.
struct TraceRow {
  std::int32_t process = 0, row = 0;
};

enum class TraceScope : std::uint8_t { row, process, everything };

// Prints events one a line, with commas between. Times are nanoseconds from the begin of the trace, and printed in
// microseconds without rounding. Names may be any bytes; what is not UTF-8 in them is replaced.
class TraceEvents {
public:
  using Arguments = llvm::function_ref<void(llvm::json::OStream &)>;

  explicit TraceEvents(llvm::raw_ostream &out) : out_(out) {}

  // Processes and rows stand in the order of their numbers.
  void nameProcess(std::int32_t process, llvm::StringRef name);
  void labelProcess(std::int32_t process, llvm::StringRef label); // shown beside its name
  void nameRow(TraceRow row, llvm::StringRef name);

  // Bars of one row may lie within each other and must not overlap otherwise. Of two that begin at once the outer one
  // comes first.
  void bar(TraceRow row, llvm::StringRef name, llvm::StringRef category, std::int64_t begin, std::int64_t end,
           Arguments arguments);
  // An arrow goes from the innermost bar at its begin to the innermost at its end. Those bars come first.
  void arrowBegin(TraceRow row, std::int64_t id, std::int64_t at) { arrow(row, id, at, "s"); }
  void arrowEnd(TraceRow row, std::int64_t id, std::int64_t at) { arrow(row, id, at, "f"); }
  void mark(TraceRow row, TraceScope scope, llvm::StringRef name, llvm::StringRef category, std::int64_t at,
            Arguments arguments);
  void counter(std::int32_t process, llvm::StringRef name, llvm::StringRef series, std::int64_t at, std::int64_t value);
  // Events that another object has printed.
  void add(llvm::StringRef printed);

private:
  void event(llvm::StringRef phase, llvm::StringRef name, llvm::function_ref<void(llvm::json::OStream &)> rest);
  void metadata(TraceRow row, llvm::StringRef what, llvm::StringRef key, llvm::StringRef value);
  void sortIndex(TraceRow row, llvm::StringRef what, std::int32_t index);
  void arrow(TraceRow row, std::int64_t id, std::int64_t at, llvm::StringRef phase);
  void separate();

  llvm::raw_ostream &out_;
  bool any_ = false;
};

// What a bar says of its instruction, as far as the instruction has it: stage, microbatch, and the line it stands in.
void printInstruction(llvm::json::OStream &json, const Instruction &instruction);

// The whole document. `timeNote` says what a millisecond stands for; empty: it is one.
void printTraceDocument(llvm::raw_ostream &out, llvm::StringRef timeNote,
                        llvm::function_ref<void(TraceEvents &)> content);

} // namespace plumbline::report
