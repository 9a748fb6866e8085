#include "tests/bench/deepspeed_lists.h"

#include <algorithm>

namespace plumbline::bench {
namespace {

struct Step {
  std::int32_t microbatch;
  bool isForward;
};

// Which microbatch a stage works on in a step: forward and backward steps alternate, and neighbouring stages are half
// a period apart.
Step workOf(std::int32_t step, std::int32_t stage, std::int32_t stages) {
  const bool isForward = step % 2 == stage % 2;
  const std::int32_t base = step >= 0 ? step / 2 : (step - 1) / 2;
  if (isForward)
    return {base - stage / 2, true};
  return {stage % 2 == 1 ? base - stages + (stage + 1) / 2 : base - stages + 1 + stage / 2, false};
}

class StageLists {
public:
  StageLists(std::int32_t stage, std::int32_t stages, std::int32_t microbatches, std::string &text)
      : stage_(stage), stages_(stages), microbatches_(microbatches),
        buffers_(std::max(2, std::min(stages - stage, microbatches))), text_(text) {}

  void print() {
    text_ += "# stage " + std::to_string(stage_) + " of " + std::to_string(stages_) + ", micro_batches " +
             std::to_string(microbatches_) + ", num_pipe_buffers " + std::to_string(buffers_) + "\n";
    const std::int32_t steps = 2 * (microbatches_ + stages_ - 1);
    for (std::int32_t step = 0; step < steps; ++step) {
      first_ = true;
      text_ += '[';
      printStep(workOf(step, stage_, stages_), workOf(step - 1, stage_, stages_));
      if (step == steps - 1) {
        add("ReduceTiedGrads()");
        add("ReduceGrads()");
        add("OptimizerStep()");
      }
      text_ += "]\n";
    }
  }

private:
  [[nodiscard]] bool valid(std::int32_t microbatch) const { return microbatch >= 0 && microbatch < microbatches_; }

  void printStep(Step now, Step before) {
    const bool works = valid(now.microbatch), worked = valid(before.microbatch);
    if (now.isForward) {
      if (worked && stage_ > 0)
        add("SendGrad", before.microbatch);
      if (works && stage_ > 0)
        add("RecvActivation", now.microbatch);
    } else {
      if (works && stage_ + 1 < stages_)
        add("RecvGrad", now.microbatch);
      if (worked && stage_ + 1 < stages_)
        add("SendActivation", before.microbatch);
    }
    if (!works)
      return;
    if (now.isForward && (stage_ == 0 || stage_ + 1 == stages_))
      add("LoadMicroBatch", now.microbatch);
    add(now.isForward ? "ForwardPass" : "BackwardPass", now.microbatch);
  }

  void add(const char *instruction, std::int32_t microbatch) {
    add((std::string(instruction) + "(buffer_id=" + std::to_string(microbatch % buffers_) + ")").c_str());
  }
  void add(const char *instruction) {
    if (!first_)
      text_ += ", ";
    first_ = false;
    text_ += instruction;
  }

  std::int32_t stage_, stages_, microbatches_, buffers_;
  std::string &text_;
  bool first_ = true;
};

} // namespace

std::string deepSpeedTrainSchedule(std::int32_t stages, std::int32_t microbatches) {
  std::string text;
  for (std::int32_t stage = 0; stage < stages; ++stage)
    StageLists(stage, stages, microbatches, text).print();
  return text;
}

} // namespace plumbline::bench
