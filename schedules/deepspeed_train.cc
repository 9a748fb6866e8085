// DeepSpeed's TrainSchedule: 1F1B on a grid of steps, forward and backward steps alternating on each stage and
// neighbouring stages half a period apart (deepspeed/runtime/pipe/schedule.py).
//
// Every list names its buffers: microbatch m uses buffer m mod num_pipe_buffers. Until pull request 2862 (2023) a stage
// declared min(S-s+1, M) buffers and, in a step with both messages of one direction, received before it sent. Since
// then it declares min(S-s, M) and sends first. Never fewer than 2.
//
// In flight: min(M, S-s), as 1F1B. Bubble: (S-1)(F+B) for costs F = B; the grid leaves 1F1B's order as it is, so with
// other costs it is that of 1F1B too.
#include "schedules/families.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

constexpr const char *versions[] = {"fixed", "old"};
constexpr Option options[] = {
    {"version", "the lists since pull request 2862 of 2023, or before it", 0, 0, 0, versions},
};

bool isFixed(const Request &request) { return request.option("version") == 0; }

// What a stage computes in a step; the microbatch may lie outside 0 .. M-1, and then it idles.
struct Work {
  bool isForward = true;
  std::int32_t microbatch = 0;
};

Work workOf(std::int32_t step, std::int32_t stage, std::int32_t stages) {
  // Stage s forwards microbatch m in step 2m + s, and differentiates it in step 2m + 2S - 1 - s.
  const bool isForward = (step - stage) % 2 == 0;
  return {isForward, (isForward ? step - stage : step + stage + 1 - 2 * stages) / 2};
}

std::int32_t stepsOf(const Request &request) { return 2 * (request.microbatches + request.stages - 1); }

std::int32_t buffersOf(const Request &request, std::int32_t stage) {
  return std::max(2, std::min(request.stages - stage + (isFixed(request) ? 0 : 1), request.microbatches));
}

// The list of one stage, step by step.
class StageList {
public:
  StageList(const Request &request, std::int32_t stage)
      : request_(request), stage_(stage), buffers_(buffersOf(request, stage)) {}

  std::vector<Action> actions() {
    const std::int32_t steps = stepsOf(request_);
    for (step_ = 0; step_ < steps; ++step_)
      addStep(workOf(step_, stage_, request_.stages), workOf(step_ - 1, stage_, request_.stages));
    step_ = steps - 1;
    for (const Opcode opcode : {Opcode::reduce_tied_gradients, Opcode::reduce_gradients, Opcode::optimizer_step})
      add(opcode, -1);
    return std::move(actions_);
  }

private:
  [[nodiscard]] bool valid(const Work &work, std::int32_t step) const {
    const std::int32_t first = work.isForward ? stage_ : 2 * request_.stages - 1 - stage_;
    return step >= first && work.microbatch < request_.microbatches;
  }
  [[nodiscard]] bool isFirst() const { return stage_ == 0; }
  [[nodiscard]] bool isLast() const { return stage_ + 1 == request_.stages; }

  void addStep(const Work &now, const Work &before) {
    const bool works = valid(now, step_), worked = valid(before, step_ - 1);
    addMessages(now, works, before, worked);
    if (!works)
      return;
    if (now.isForward && (isFirst() || isLast()))
      add(Opcode::load_microbatch, now.microbatch);
    add(now.isForward ? Opcode::forward : Opcode::backward, now.microbatch);
  }

  // What the step's work needs, and what the one before it made.
  void addMessages(const Work &now, bool works, const Work &before, bool worked) {
    if (now.isForward) {
      const bool receives = works && !isFirst(), sends = worked && !isFirst();
      if (sends && isFixed(request_))
        add(Opcode::send_gradient, before.microbatch);
      if (receives)
        add(Opcode::receive_activation, now.microbatch);
      if (sends && !isFixed(request_))
        add(Opcode::send_gradient, before.microbatch);
    } else {
      const bool receives = works && !isLast(), sends = worked && !isLast();
      if (sends && !isFixed(request_))
        add(Opcode::send_activation, before.microbatch);
      if (receives)
        add(Opcode::receive_gradient, now.microbatch);
      if (sends && isFixed(request_))
        add(Opcode::send_activation, before.microbatch);
    }
  }

  void add(Opcode opcode, std::int32_t microbatch) {
    Action action;
    action.opcode = opcode;
    action.stage = StageId(stage_);
    action.microbatch = MicrobatchId(microbatch);
    action.step = step_;
    if (microbatch >= 0)
      action.buffer = microbatch % buffers_;
    if (isPointToPoint(opcode)) {
      const bool toNext = facesNextStage(opcode);
      action.peer = RankId(stage_ + (toNext ? 1 : -1));
    }
    actions_.push_back(action);
  }

  const Request &request_;
  std::int32_t stage_;
  std::int32_t buffers_;
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
    schedule.buffers.push_back({buffersOf(request, stage), stepsOf(request), {}});
}

} // namespace

const Family deepspeedTrain = {
    .name = "deepspeed_train",
    .title = "DeepSpeed's 1F1B, with its steps and buffers",
    .paper = "DeepSpeed, TrainSchedule (pull request 2862)",
    .memory = "min(M, S-s)",
    .bubble = "(S-1)(F+B)",
    .shape = Shape::line,
    .options = options,
    .rows = rowsOf,
    .complete = complete,
    .inFlight = [](const Request &request, std::int32_t rank) -> std::optional<std::int64_t> {
      return std::min(request.microbatches, request.stages - rank);
    },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      return 3 * std::int64_t(request.stages - 1);
    },
};

} // namespace plumbline::schedules
