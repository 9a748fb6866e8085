#include "runtime/train/trainer.h"

#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <cmath>

namespace plumbline::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The step to begin with.
std::int64_t firstStep(Backend &backend, const TrainingPlan &plan, std::string &problem) {
  if (!plan.resume || !llvm::sys::fs::exists(plan.checkpoint + "/latest"))
    return 0;
  const Result<std::int64_t> saved = loadCheckpoint(plan.checkpoint, backend, plan.identity);
  if (saved)
    return *saved + 1;
  problem = saved.error().file + ": " + saved.error().message;
  return 0;
}

bool isTimeToSave(const TrainingPlan &plan, std::int64_t step) {
  return !plan.checkpoint.empty() && ((step + 1) % plan.saveEvery == 0 || step + 1 == plan.steps);
}

} // namespace

TrainingEnd train(Backend &backend, const TrainingPlan &plan, const std::atomic<bool> &stopAfterStep, Log &log) {
  TrainingEnd end;
  const std::int64_t first = firstStep(backend, plan, end.problem);
  if (backend.anyone(!end.problem.empty())) {
    if (end.problem.empty())
      end.problem = backend.lost();
    if (end.problem.empty())
      end.problem = "another process could not load its part of the checkpoint";
    return end;
  }
  const auto start = Clock::now();
  for (std::int64_t step = first; step < plan.steps; ++step) {
    if (backend.anyone(stopAfterStep)) {
      end.problem = backend.lost();
      end.interrupted = end.problem.empty();
      break;
    }
    const auto begin = Clock::now();
    end.last = backend.step({.step = step, .learningRate = plan.learningRate});
    end.seconds = secondsSince(start);
    if (end.last.end != End::finished) {
      end.interrupted = end.last.end == End::stopped;
      break;
    }
    ++end.steps;
    if (backend.speaks())
      log.step({step, plan.steps, end.last.loss, secondsSince(begin), plan.tokensPerStep});
    if (!std::isfinite(end.last.loss)) { // on every process alike; a good save must not be lost to it
      end.problem = "the loss of step " + std::to_string(step) + " is no finite number; nothing is saved of that step";
      break;
    }
    if (isTimeToSave(plan, step))
      if (end.problem = saveCheckpoint(plan.checkpoint, backend, plan.identity, step); !end.problem.empty())
        break;
  }
  log.end();
  if (end.last.end == End::finished && end.problem.empty()) {
    backend.gather();
    end.problem = backend.lost();
  }
  return end;
}

} // namespace plumbline::runtime
