// What every rank's thread does with a Machine: lets things happen, and works through its own steps.
#pragma once

#include "runtime/host/machine.h"

#include <string>

namespace plumbline::runtime {

class RankDriver {
public:
  RankDriver(const Plan &plan, Machine &machine) : plan_(plan), machine_(machine) {}
  virtual ~RankDriver() = default;
  RankDriver(const RankDriver &) = delete;
  RankDriver &operator=(const RankDriver &) = delete;

protected:
  // Lets everything on the agenda happen, and what follows from it, but for the work of ranks: that is offered.
  void settle(Agenda &agenda);
  // Lets a step happen that works on its rank, on the rank's thread: its messages first, then its work. False if that
  // failed, or the execution is over.
  bool runStep(StepIndex step);

private:
  // A step of that rank's compute queue may begin. From any thread; the rank's own will call runStep.
  virtual void offer(StepIndex step) = 0;
  // The rank's own work. Empty, or why it failed.
  virtual std::string perform(InstructionIndex instruction) = 0;
  virtual void failed(InstructionIndex instruction, std::string message) = 0;
  [[nodiscard]] virtual bool isOver() const = 0;

  const Plan &plan_;
  Machine &machine_;
};

} // namespace plumbline::runtime
