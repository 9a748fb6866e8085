// What goes wrong is an error in good time, says where, and leaves nothing behind.
#include "runtime/cuda/stages.h"
#include "schedules/library.h"
#include "tests/cuda/run.h"
#include "verifier/ir/pir_parse.h"
#include "verifier/ir/words.h"

#include "gtest/gtest.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstring>
#include <thread>

namespace plumbline::runtime::cuda::testing {
namespace {

using Clock = std::chrono::steady_clock;
using runtime::testing::asFloats;
using runtime::testing::programOf;
using runtime::testing::Reference;
using std::chrono::milliseconds;

Sized family(const char *name, std::int32_t ranks, std::int32_t microbatches) {
  return *programOf(*schedules::findFamily(name), ranks, microbatches);
}

CudaSettings settingsFor(Transport transport, milliseconds patience = milliseconds(30000)) {
  CudaSettings settings;
  settings.transport = transport;
  settings.patience = patience;
  return settings;
}

constexpr StepRequest trial = {.step = 0, .learningRate = 0, .update = false};

// The tests of this kind have to be able to fail.

// Gradients of one step, by stage, one behind the other.
std::vector<float> gradientsOf(const Sized &sized, Transport transport) {
  const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settingsFor(transport));
  EXPECT_TRUE(run.ok());
  EXPECT_EQ(run->backend->step(trial).end, End::finished);
  std::vector<float> all;
  for (const StageId stage : run->backend->stages())
    for (const float value : asFloats(run->backend->read(stage, Backend::Part::gradients)))
      all.push_back(value);
  return all;
}

std::vector<float> gradientsOfReference(const Sized &sized) {
  Reference reference(deviceStage(), sized.program.stagesPerReplica);
  reference.run(someText(), 0, 0, sized.program.microbatches, 1.0F / static_cast<float>(sized.program.microbatches));
  std::vector<float> all;
  for (std::int32_t s = 0; s < sized.program.stagesPerReplica; ++s)
    for (const float value : reference.gradients(s))
      all.push_back(value);
  return all;
}

class MissingWaits : public ::testing::TestWithParam<Transport> {};

TEST_P(MissingWaits, AreNoticed) {
  const Sized sized = family("1f1b", 2, 4);
  const std::vector<float> wanted = gradientsOfReference(sized);
  const standin::Settings late = {.devices = 2, .mostDelay = milliseconds(2), .seed = 1};
  standin::configure(late);
  EXPECT_EQ(gradientsOf(sized, GetParam()), wanted);
  const std::int64_t waits = standin::callsOf("cudaStreamWaitEvent");
  standin::Settings without = late;
  without.ignoresWaits = true;
  standin::configure(without);
  EXPECT_NE(gradientsOf(sized, GetParam()), wanted);

  // One at a time. Some are covered by others, and some by luck.
  std::int64_t noticed = 0;
  for (std::int64_t wait = 0; wait < waits; ++wait) {
    standin::Settings one = late;
    one.ignoredWait = wait;
    standin::configure(one);
    noticed += gradientsOf(sized, GetParam()) != wanted ? 1 : 0;
  }
  std::cout << noticed << " of " << waits << " missing waits noticed\n";
  EXPECT_GE(noticed, waits / 5);
  expectNothingLeft();
}

INSTANTIATE_TEST_SUITE_P(Both, MissingWaits, ::testing::Values(Transport::local, Transport::nccl),
                         [](const auto &one) { return one.param == Transport::local ? "local" : "nccl"; });

bool usesNccl(const Sized &sized, std::uint32_t instruction) {
  return instruction < sized.program.instructions.size() &&
         isPointToPoint(sized.program.instructions[instruction].opcode);
}

TEST(LostPeer, ThatNobodyNoticesIsAnErrorWhenPatienceEnds) {
  for (const int launches : {2, 5, 9}) { // after two for making connections
    const Sized sized = family("1f1b", 2, 8);
    standin::configure({.devices = 2});
    standin::loseDevice(1, launches, false);
    const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settingsFor(Transport::nccl, milliseconds(400)));
    ASSERT_TRUE(run.ok()) << run.error().message;
    const Clock::time_point start = Clock::now();
    const StepResult result = run->backend->step(trial);
    EXPECT_LT(Clock::now() - start, milliseconds(5000));
    EXPECT_EQ(result.end, End::failed);
    EXPECT_NE(result.failure.message.find("the other ranks have not answered for 400 ms"), std::string::npos)
        << reasonOf(result);
    EXPECT_TRUE(usesNccl(sized, result.failure.instruction)) << reasonOf(result);
    EXPECT_EQ(run->backend->step(trial).end, End::failed); // and stays so
  }
  expectNothingLeft();
}

TEST(LostPeer, ThatNcclNoticesIsAnErrorAtOnce) {
  const Sized sized = family("zb_h1", 4, 8);
  standin::configure({.devices = 4});
  standin::loseDevice(2, 6, true);
  const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settingsFor(Transport::nccl));
  ASSERT_TRUE(run.ok()) << run.error().message;
  const Clock::time_point start = Clock::now();
  const StepResult result = run->backend->step(trial);
  EXPECT_LT(Clock::now() - start, milliseconds(5000));
  EXPECT_EQ(result.end, End::failed);
  EXPECT_NE(result.failure.message.find("failed: remote process exited or there was a network error"),
            std::string::npos)
      << reasonOf(result);
  EXPECT_NE(result.failure.message.find("(communicator 'pipeline')"), std::string::npos) << reasonOf(result);
  EXPECT_TRUE(usesNccl(sized, result.failure.instruction)) << reasonOf(result);
}

TEST(LostPeer, DuringTheSumOfGradients) {
  const Sized sized = family("1f1b", 1, 2); // no messages: only the sums use NCCL
  standin::configure({.devices = 2});
  standin::loseDevice(1, 1, false);
  const Result<Runner> run = makeRunner(sized, deviceStage(), 2, settingsFor(Transport::nccl, milliseconds(300)));
  ASSERT_TRUE(run.ok()) << run.error().message;
  const StepResult result = run->backend->step(trial);
  EXPECT_EQ(result.end, End::failed);
  EXPECT_NE(result.failure.message.find("adding up gradients: the other ranks have not answered for 300 ms"),
            std::string::npos)
      << reasonOf(result);
}

TEST(LostPeer, WhileConnectionsAreMade) {
  const Sized sized = family("1f1b", 2, 2);
  standin::configure({.devices = 2});
  standin::loseDevice(0, 0, false);
  const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settingsFor(Transport::nccl, milliseconds(300)));
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().message.find("communicators could not be made: "), std::string::npos) << run.error().message;
  expectNothingLeft();
}

// A stage that fails in one pass.
StageMaker failingStage() {
  static const plumbline_stage_functions *const whole = cudaStage("mlp");
  static plumbline_stage_functions functions = *whole;
  functions.backward = [](void *stage, const plumbline_pass *pass) {
    if (pass->microbatch != 2 || pass->input_gradient.data) // stage 0
      return whole->backward(stage, pass);
    std::strncpy(pass->message, "the third one is too much", pass->message_size);
    return 1;
  };
  return {&functions, smallModel, seed};
}

class BothTransports : public ::testing::TestWithParam<Transport> {};

TEST_P(BothTransports, FailureOfAStageStopsAll) {
  const Sized sized = family("1f1b", 4, 8);
  standin::configure({.devices = 4});
  const Result<Runner> run = makeRunner(sized, failingStage(), 1, settingsFor(GetParam()));
  ASSERT_TRUE(run.ok()) << run.error().message;
  const StepResult result = run->backend->step(trial);
  EXPECT_EQ(result.end, End::failed);
  EXPECT_EQ(result.failure.message, "the third one is too much");
  ASSERT_LT(result.failure.instruction, sized.program.instructions.size());
  EXPECT_EQ(fullNameOf(sized.program, InstructionId(static_cast<std::int32_t>(result.failure.instruction))),
            "rank 0: 0B2");
}

TEST_P(BothTransports, StopEndsAStepSoon) {
  const Sized sized = family("1f1b", 2, 4);
  standin::configure({.devices = 2});
  const StageMaker slow = deviceStage("synthetic", "forward_us=100000,backward_us=100000,bytes=64");
  const Result<Runner> run = makeRunner(sized, slow, 1, settingsFor(GetParam()));
  ASSERT_TRUE(run.ok()) << run.error().message;
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(50));
    run->backend->stop();
  });
  const StepResult result = run->backend->step(trial);
  other.join();
  // Within one device the host may have enqueued everything by then, and what is enqueued ends.
  EXPECT_TRUE(result.end == End::stopped || (GetParam() == Transport::local && result.end == End::finished))
      << reasonOf(result);
}

TEST_P(BothTransports, RefuseWhatFailsAndGiveBackTheRest) {
  const Sized sized = family("1f1b", 2, 4);
  struct Call {
    const char *function;
    int error;
  };
  for (const Call call : {Call{"cudaGetDeviceCount", cudaErrorInsufficientDriver},
                          {"cudaSetDevice", cudaErrorInvalidDevice},
                          {"cudaMalloc", cudaErrorMemoryAllocation},
                          {"cudaMalloc", cudaErrorIllegalAddress},
                          {"cudaMallocHost", cudaErrorMemoryAllocation},
                          {"cudaMemcpyAsync", cudaErrorIllegalAddress},
                          {"cudaMemsetAsync", cudaErrorIllegalAddress},
                          {"cudaStreamCreateWithFlags", cudaErrorMemoryAllocation},
                          {"cudaEventCreateWithFlags", cudaErrorMemoryAllocation},
                          {"cudaEventRecord", cudaErrorIllegalAddress},
                          {"cudaStreamWaitEvent", cudaErrorIllegalAddress},
                          {"cudaStreamQuery", cudaErrorIllegalAddress},
                          {"cudaStreamSynchronize", cudaErrorIllegalAddress},
                          {"cudaLaunchKernel", cudaErrorIllegalAddress},
                          {"cublasCreate", CUBLAS_STATUS_NOT_INITIALIZED},
                          {"cublasSetStream", CUBLAS_STATUS_NOT_INITIALIZED},
                          {"cublasSetWorkspace", CUBLAS_STATUS_NOT_INITIALIZED},
                          {"cublasGemmEx", CUBLAS_STATUS_EXECUTION_FAILED},
                          {"ncclGetUniqueId", ncclSystemError},
                          {"ncclCommInitRankConfig", ncclSystemError},
                          {"ncclCommGetAsyncError", ncclInvalidArgument},
                          {"ncclGroupStart", ncclInternalError},
                          {"ncclGroupEnd", ncclInternalError},
                          {"ncclSend", ncclInvalidArgument},
                          {"ncclRecv", ncclInvalidArgument}})
    for (const int after : {0, 1, 3, 10, 40, 100}) {
      SCOPED_TRACE(std::string(call.function) + ", after " + std::to_string(after));
      standin::configure({.devices = 2});
      standin::failCall(call.function, after, call.error);
      std::string wrong;
      bool failed = false;
      {
        const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settingsFor(GetParam(), milliseconds(5000)));
        if (!run) {
          failed = true;
          wrong = run.error().message;
        } else if (const StepResult result = run->backend->step(trial); result.end != End::finished) {
          failed = true;
          wrong = reasonOf(result);
        }
      }
      const bool called = standin::callsOf(call.function) > after;
      if (!called || failed) {
        EXPECT_EQ(failed, called) << wrong;
        EXPECT_EQ(wrong.empty(), !failed);
      }
      EXPECT_EQ(standin::left(), standin::Left()) << wrong;
    }
}

INSTANTIATE_TEST_SUITE_P(Both, BothTransports, ::testing::Values(Transport::local, Transport::nccl),
                         [](const auto &one) { return one.param == Transport::local ? "local" : "nccl"; });

// Two ranks that both send first, in launches of their own (pytorch issue 172668).
Sized deadlock() {
  Result<Program> program = parsePir("crossed", R"(plumbline ir 1
stages 2
rank 0 {
  pool a
  pool g
  %f = forward s0 m0 write a[0]:output
  send_activation s0 m0 to 1 read a[0]:output wait %f
  %r = receive_gradient s0 m0 from 1 write g[0]:output_gradient
  backward s0 m0 read a[0]:output, g[0]:output_gradient wait %r
}
rank 1 {
  pool a
  pool g
  send_gradient s1 m0 to 0 read g[0]:input_gradient
  %r = receive_activation s1 m0 from 0 write a[0]:input
  %f = forward s1 m0 read a[0]:input wait %r
  backward s1 m0 read a[0]:input write g[0]:input_gradient wait %f
}
)");
  EXPECT_TRUE(program.ok()) << program.error().message;
  return {std::move(*program), {}};
}

TEST(Deadlock, WithinOneDeviceIsKnownForCertain) {
  standin::configure({});
  const Sized sized = deadlock();
  const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settingsFor(Transport::local));
  ASSERT_TRUE(run.ok()) << run.error().message;
  const StepResult result = run->backend->step(trial);
  ASSERT_EQ(result.end, End::stuck) << reasonOf(result);
  EXPECT_NE(reasonOf(result).find("0SEND_F0 (communicator 'pipeline') has begun, and rank 1 does not receive"),
            std::string::npos)
      << reasonOf(result);
}

TEST(Deadlock, OverNcclIsAnErrorWhenPatienceEnds) {
  standin::configure({.devices = 2});
  const Sized sized = deadlock();
  const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settingsFor(Transport::nccl, milliseconds(300)));
  ASSERT_TRUE(run.ok()) << run.error().message;
  const StepResult result = run->backend->step(trial);
  ASSERT_EQ(result.end, End::failed) << reasonOf(result);
  EXPECT_TRUE(usesNccl(sized, result.failure.instruction)) << reasonOf(result);
}

TEST(Settings, ThatCannotBeAreRefused) {
  const Sized sized = family("1f1b", 4, 4);
  const auto expectError = [&](const CudaSettings &given, std::int32_t copies, const char *text) {
    const Result<Runner> run = makeRunner(sized, deviceStage(), copies, given);
    ASSERT_FALSE(run.ok()) << text;
    EXPECT_NE(run.error().message.find(text), std::string::npos) << run.error().message;
  };
  standin::configure({.devices = 2});
  CudaSettings settings = settingsFor(Transport::nccl);
  expectError(settings, 1, "4 ranks have 1 devices here: NCCL wants one for each");
  settings.devices = {0, 1};
  expectError(settings, 1, "4 ranks have 2 devices here");
  settings.devices = {0, 5};
  expectError(settings, 1, "there is no device 5 here: there are 2");
  settings = settingsFor(Transport::local);
  settings.launch = {0, 2, 0, "localhost", 1, nullptr};
  expectError(settings, 1, "ranks of several processes cannot share a device");
  settings.launch.size = 3;
  expectError(settings, 1, "4 ranks cannot be spread evenly over 3 processes");
  // Two ranks of one communicator on one device.
  standin::configure({.devices = 4});
  settings = settingsFor(Transport::nccl, milliseconds(500));
  settings.devices = {0, 1, 2, 2};
  expectError(settings, 1, "NCCL failed: invalid usage");
  // Without a driver the stages cannot be made either, so this comes first.
  standin::configure({.devices = 0});
  EXPECT_EQ(countDevices().error().message, "no CUDA device: no CUDA-capable device is detected");
  expectNothingLeft();
}

} // namespace
} // namespace plumbline::runtime::cuda::testing
