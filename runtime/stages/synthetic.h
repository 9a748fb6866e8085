// A stage that computes nothing and takes its time: for measuring schedules and for checking that a runtime brings
// every value to where it belongs. On the host passes sleep until a deadline, so that many ranks overlap on few cores;
// a device is kept busy. A digest goes through the pipeline in the first and last eight bytes of each activation and
// gradient; it takes in the stage, the microbatch and the parameters, so a value that is lost, late, mixed up or of a
// wrong weight version changes the losses and the gradients, which two runs can compare bit by bit.
#pragma once

#include "runtime/stage.h"
#include "runtime/stages/options.h"
#include "runtime/stages/synthetic_bodies.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>

namespace plumbline::stages {

llvm::ArrayRef<Option> syntheticOptions();

// Runs passes where the stage's memory is. One object belongs to one stage; its calls never overlap.
class SyntheticRunner {
public:
  SyntheticRunner() = default;
  SyntheticRunner(const SyntheticRunner &) = delete;
  SyntheticRunner &operator=(const SyntheticRunner &) = delete;
  virtual ~SyntheticRunner() = default;
  // Runs the pass, and takes that time for it in all. Empty, or why it failed.
  virtual std::string run(void *stream, const SyntheticForward &pass, std::int64_t microseconds) = 0;
  virtual std::string run(void *stream, const SyntheticBackward &pass, std::int64_t microseconds) = 0;
  virtual std::string run(void *stream, const SyntheticFirstValues &pass, std::int64_t microseconds) = 0;
  virtual std::string run(void *stream, const SyntheticUpdate &pass, std::int64_t microseconds) = 0;
};

// Of a device (-1: the host); or null, and why not.
using SyntheticFactory = std::unique_ptr<SyntheticRunner> (*)(std::int32_t device, std::string &whyNot);

// Sleeps on the host; there are no others.
std::unique_ptr<SyntheticRunner> makeHostSynthetic(std::int32_t device, std::string &whyNot);

// plumbline_stage_functions::create, with a factory.
int createSynthetic(SyntheticFactory factory, const plumbline_stage_request *request, void **stage,
                    plumbline_stage_sizes *sizes, char *message, std::size_t messageSize);
// The other functions; create is null.
extern const plumbline_stage_functions syntheticPasses;

template <SyntheticFactory factory> plumbline_stage_functions syntheticFunctions() {
  plumbline_stage_functions functions = syntheticPasses;
  functions.create = [](const plumbline_stage_request *request, void **stage, plumbline_stage_sizes *sizes,
                        char *message, std::size_t messageSize) {
    return createSynthetic(factory, request, stage, sizes, message, messageSize);
  };
  return functions;
}

} // namespace plumbline::stages
