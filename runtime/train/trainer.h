// The loop over steps: runs, reports, saves, and ends cleanly.
#pragma once

#include "runtime/train/checkpoint.h"
#include "runtime/train/log.h"

#include <atomic>

namespace plumbline::runtime {

struct TrainingPlan {
  std::int64_t steps = 0; // the last one, plus one
  float learningRate = 0;
  std::int64_t tokensPerStep = 0; // 0: the samples are no tokens
  std::string checkpoint;         // folder; empty: nothing is saved
  std::int64_t saveEvery = 1;     // steps
  bool resume = false;            // go on from the folder's latest save, if there is one
  RunIdentity identity;
};

struct TrainingEnd {
  StepResult last;          // of the step that ended the run
  std::string problem;      // with a checkpoint; empty: none
  bool interrupted = false; // asked to end
  std::int64_t steps = 0;   // of this run
  double seconds = 0;
};

// Runs the steps. `stopAfterStep` is looked at between two of them; `log` is told of each.
TrainingEnd train(Backend &backend, const TrainingPlan &plan, const std::atomic<bool> &stopAfterStep, Log &log);

} // namespace plumbline::runtime
