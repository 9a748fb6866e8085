// What a training loop asks of whatever executes a Program: the host's threads, MPI processes, CUDA devices.
#pragma once

#include "runtime/rank/stage_state.h"
#include "verifier/ir/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::runtime {

// Memory of the host for so many elements; null for none.
struct SampleField {
  void *data = nullptr;
  plumbline_extent extent{};
};

// Where the microbatches come from.
class DataSource {
public:
  virtual ~DataSource() = default;
  // Writes one sample: a microbatch's input of the first stage, or the labels of the last one; where that is another
  // stage, null. The same step and sample give the same values every time, on every rank.
  virtual void fill(std::int64_t step, std::int64_t sample, SampleField input, SampleField labels) const = 0;
};

enum class End : std::uint8_t {
  finished,
  stuck,   // nothing can happen any more: a deadlock
  failed,  // a stage, a device or another rank failed, or a check tripped
  stopped, // by stop()
};

struct Failure {
  std::uint32_t instruction = UINT32_MAX; // none, if it was not in one
  std::string message;
};

struct StepRequest {
  std::int64_t step = 0;
  float learningRate = 0;
  bool update = true; // false: gradients are left as they are, and so are weights
};

struct StepResult {
  End end = End::finished;
  Failure failure;                // of End::failed
  std::vector<std::string> stuck; // of End::stuck: what every rank is at, a line each
  float loss = 0;                 // mean over all microbatches; where the last stage is
};

// When an instruction ran, in nanoseconds from the start of the step; -1: it did not.
struct Span {
  std::int64_t begin = -1, end = -1;
};

class Backend {
public:
  virtual ~Backend() = default;
  // One step of training (or of inference, as the Program says).
  virtual StepResult step(const StepRequest &request) = 0;
  // From any thread, also a signal's: ends a step that is going on, soon.
  virtual void stop() = 0;
  // The stages that are here; a Backend of several processes has only its own. Of several copies in one process those
  // of the first stand for all.
  virtual std::vector<StageId> stages() = 0;
  // Copies of what a stage has, as bytes. Between two steps.
  enum class Part : std::uint8_t { parameters, gradients, optimizer };
  virtual std::vector<char> read(StageId stage, Part part) = 0;
  virtual void write(StageId stage, Part part, llvm::ArrayRef<char> bytes) = 0;
  virtual std::int64_t updates(StageId stage) = 0;
  virtual void setUpdates(StageId stage, std::int64_t updates) = 0;
  // Of the last step, per instruction.
  virtual llvm::ArrayRef<Span> spans() = 0;
  // Of the first step: most slots of the pool that held something at a time; -1: of a pool elsewhere.
  virtual std::int32_t peakSlots(PoolId pool) = 0;
  // Reserved for a rank; 0: of one elsewhere.
  virtual std::uint64_t reservedBytes(RankId rank) = 0;

  // Of backends with several processes, all of which call these at the same points.
  // True if any of them says so.
  virtual bool anyone(bool says) { return says; }
  // Makes spans, peakSlots and reservedBytes of all ranks known to the process that speaks.
  virtual void gather() {}
  // What is here is, or stands for, the first copy of the pipeline.
  [[nodiscard]] virtual bool isFirstCopy() const { return true; }
  // Why the processes cannot go on together, as one is gone; empty: they can. anyone() is true then.
  [[nodiscard]] virtual std::string lost() const { return ""; }
  // The process that talks to the user, and writes what is written once.
  [[nodiscard]] virtual bool speaks() const { return true; }
};

} // namespace plumbline::runtime
