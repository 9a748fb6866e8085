// Every family, run by the cuda backend on the stand-in, gives the loss and the gradients of a single process that
// knows nothing of schedules, streams and events. Work is put off at random, so that what is not waited for is not
// there.
#include "schedules/library.h"
#include "tests/cuda/run.h"
#include "verifier/lower/communicators.h"

#include "gtest/gtest.h"

#include <iostream>

namespace plumbline::runtime::cuda::testing {
namespace {

using lower::Communicators;
using runtime::testing::programOf;

bool updatesWithin(const Program &program) {
  return std::any_of(program.instructions.begin(), program.instructions.end(),
                     [](const Instruction &i) { return i.opcode == Opcode::optimizer_step && i.microbatch.valid(); });
}

struct Way {
  const char *name;
  Transport transport;
  std::optional<Communicators> communicators = {}; // else as they are
  std::int32_t copies = 1;
  bool reduceScatter = false;
};

constexpr Way ways[] = {
    {"local", Transport::local},
    {"local, directed", Transport::local, Communicators::directed},
    {"local, two copies", Transport::local, {}, 2},
    {"nccl", Transport::nccl},
    {"nccl, pair", Transport::nccl, Communicators::pair},
    {"nccl, directed", Transport::nccl, Communicators::directed},
    {"nccl, two copies", Transport::nccl, {}, 2},
    {"nccl, three copies, reduce-scatter", Transport::nccl, {}, 3, true},
};

class EveryFamily : public ::testing::TestWithParam<const schedules::Family *> {};

TEST_P(EveryFamily, EqualsOneProcess) {
  const schedules::Family &family = *GetParam();
  int runs = 0, bitwise = 0;
  for (const std::int32_t ranks : {1, 2, 4})
    for (const std::int32_t microbatches : {2, 8}) {
      const std::optional<Sized> sized = programOf(family, ranks, microbatches);
      if (!sized || updatesWithin(sized->program))
        continue;
      for (const Way &way : ways) {
        Sized own = *sized;
        if (way.communicators)
          lower::setCommunicators(own.program, *way.communicators);
        standin::configure({.devices = way.transport == Transport::nccl ? ranks * way.copies : 1,
                            .mostDelay = std::chrono::microseconds(way.copies == 1 ? 100 : 0),
                            .seed = static_cast<std::uint64_t>(microbatches)});
        CudaSettings settings;
        settings.transport = way.transport;
        settings.reduceScatter = way.reduceScatter;
        settings.patience = std::chrono::seconds(30);
        ++runs;
        bitwise += equalsOneProcess(own, way.copies, settings,
                                    std::string(family.name) + ", " + std::to_string(ranks) + " ranks, " +
                                        std::to_string(microbatches) + " microbatches, " + way.name)
                       ? 1
                       : 0;
        expectNothingLeft();
      }
    }
  std::cout << family.name << ": " << runs << " runs, " << bitwise << " of them to the last bit\n";
}

INSTANTIATE_TEST_SUITE_P(Library, EveryFamily,
                         ::testing::ValuesIn(schedules::library().begin(), schedules::library().end()),
                         [](const auto &one) { return std::string(one.param->name); });

} // namespace
} // namespace plumbline::runtime::cuda::testing
