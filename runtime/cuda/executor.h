// Who lets the instructions of a step happen on the ranks of this process. There are two: one for ranks that share a
// device (local_executor.h), and one for ranks with a device each (nccl_executor.h).
#pragma once

#include "runtime/backend/backend.h"

namespace plumbline::runtime::cuda {

class Executor {
public:
  virtual ~Executor() = default;

  // All instructions of one step, on its batch; returns when the devices are idle. Not what comes after the last
  // instruction, and without the loss.
  virtual StepResult run(const StepRequest &request) = 0;
  // What comes then: gradients of replicas and copies are added up, and weights updated. `losses` becomes the sum of
  // the losses of the ranks here.
  virtual StepResult finish(const StepRequest &request, double &losses) = 0;
  // From any thread, also a signal's.
  virtual void stop() = 0;
  // Whether threads are left behind that may still use the ranks, because something hung that must not.
  [[nodiscard]] virtual bool abandoned() const { return false; }
};

} // namespace plumbline::runtime::cuda
