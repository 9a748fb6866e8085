// What a run tells while it goes on: to people on a terminal, to scripts as JSON lines.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace plumbline::runtime {

struct StepNote {
  std::int64_t step = 0;  // that has ended, from 0
  std::int64_t steps = 0; // where the run ends
  float loss = 0;
  double seconds = 0;
  std::int64_t tokens = 0; // of the step; 0: its samples are no tokens
};

enum class LogStyle : std::uint8_t {
  progress, // one line on the terminal, written over and over
  text,     // a line a step
  json,     // an object a line
};

class Log {
public:
  Log(LogStyle style, llvm::raw_ostream &out) : style_(style), out_(out) {}
  void step(const StepNote &note);
  // Ends the line of progress.
  void end();

private:
  LogStyle style_;
  llvm::raw_ostream &out_;
  bool open_ = false;
};

} // namespace plumbline::runtime
