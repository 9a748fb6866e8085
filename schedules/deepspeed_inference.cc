// DeepSpeed's InferenceSchedule: a forward-only pipeline with two buffers a stage, in which even stages send before
// they receive and odd ones receive before they send (deepspeed/runtime/pipe/schedule.py).
//
// Nothing is kept for a backward pass. Idle: S-1 forward passes before or after a stage's work, none within it.
#include "schedules/families.h"

namespace plumbline::schedules {
namespace {

constexpr std::int32_t buffersOfStage = 2;

std::int32_t stepsOf(const Request &request) { return request.microbatches + request.stages - 1; }

class StageList {
public:
  StageList(const Request &request, std::int32_t stage) : request_(request), stage_(stage) {}

  std::vector<Action> actions() {
    for (step_ = 0; step_ < stepsOf(request_); ++step_)
      addStep(step_ - stage_);
    return std::move(actions_);
  }

private:
  [[nodiscard]] bool valid(std::int32_t m) const { return m >= 0 && m < request_.microbatches; }

  void addStep(std::int32_t m) {
    const bool isFirst = stage_ == 0, isLast = stage_ + 1 == request_.stages;
    if (valid(m) && (isFirst || isLast))
      add(Opcode::load_microbatch, m);
    const bool receives = valid(m) && !isFirst, sends = valid(m - 1) && !isLast;
    const bool sendsFirst = stage_ % 2 == 0;
    if (sends && sendsFirst)
      add(Opcode::send_activation, m - 1);
    if (receives)
      add(Opcode::receive_activation, m);
    if (sends && !sendsFirst)
      add(Opcode::send_activation, m - 1);
    if (valid(m))
      add(Opcode::forward, m);
  }

  void add(Opcode opcode, std::int32_t microbatch) {
    Action action;
    action.opcode = opcode;
    action.stage = StageId(stage_);
    action.microbatch = MicrobatchId(microbatch);
    action.step = step_;
    action.buffer = microbatch % buffersOfStage;
    if (isPointToPoint(opcode))
      action.peer = RankId(stage_ + (isSend(opcode) ? 1 : -1));
    actions_.push_back(action);
  }

  const Request &request_;
  std::int32_t stage_;
  std::int32_t step_ = 0;
  std::vector<Action> actions_;
};

Rows rowsOf(const Request &request) {
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t stage = 0; stage < request.stages; ++stage)
    rows[static_cast<std::size_t>(stage)].actions = StageList(request, stage).actions();
  return rows;
}

void complete(const Request &request, Schedule &schedule) {
  schedule.execution = Execution::blocking;
  schedule.hasCommunication = true;
  schedule.waitsForGroups = true;
  for (std::int32_t stage = 0; stage < request.stages; ++stage)
    schedule.buffers.push_back({buffersOfStage, stepsOf(request), {}});
}

} // namespace

const Family deepspeedInference = {
    .name = "deepspeed_inference",
    .title = "DeepSpeed's forward-only pipeline, with its steps and buffers",
    .paper = "DeepSpeed, InferenceSchedule",
    .memory = "none is kept; 2 buffers",
    .bubble = "0",
    .shape = Shape::line,
    .mode = Mode::inference,
    .rows = rowsOf,
    .complete = complete,
    .bubbleTime = [](const Request &) -> std::optional<std::int64_t> { return 0; },
};

} // namespace plumbline::schedules
