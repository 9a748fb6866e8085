// Whole trainings on the stand-in: the same curve as on the host, alone, with copies and between processes; bf16;
// weight versions; collectives; spans.
#include "runtime/cuda/free_port.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"
#include "schedules/library.h"
#include "tests/cuda/run.h"
#include "verifier/ir/pir_parse.h"
#include "verifier/lower/communicators.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <thread>

namespace plumbline::runtime::cuda::testing {
namespace {

using runtime::testing::asFloats;
using runtime::testing::programOf;
using runtime::testing::relativeDifference;
using std::chrono::milliseconds;

Sized family(const char *name, std::int32_t ranks, std::int32_t microbatches,
             llvm::ArrayRef<schedules::OptionText> words = {}) {
  return *programOf(*schedules::findFamily(name), ranks, microbatches, words);
}

CudaSettings settingsFor(Transport transport) {
  CudaSettings settings;
  settings.transport = transport;
  settings.patience = milliseconds(30000);
  return settings;
}

// Losses, and weights by stage.
struct Trained {
  std::vector<float> losses;
  std::vector<std::vector<char>> weights;
};

Trained train(Backend &backend, std::int64_t steps, float rate) {
  Trained trained;
  for (std::int64_t step = 0; step < steps; ++step) {
    const StepResult result = backend.step({.step = step, .learningRate = rate});
    EXPECT_EQ(result.end, End::finished) << reasonOf(result);
    trained.losses.push_back(result.loss);
  }
  for (const StageId stage : backend.stages())
    trained.weights.push_back(backend.read(stage, Backend::Part::parameters));
  return trained;
}

Trained onHost(const Sized &sized, const char *stage, const char *options, std::int32_t copies, std::int64_t steps,
               float rate) {
  const Result<RunPlan> plan = planRun(sized.program, {stages::bundledStage(stage), options, seed}, copies, -1);
  Result<std::unique_ptr<Backend>> backend = makeHostBackend(sized.program, sized.options, *plan, someText(), {});
  EXPECT_TRUE(backend.ok());
  return train(**backend, steps, rate);
}

Trained onDevice(const Sized &sized, const char *stage, const char *options, std::int32_t copies, std::int64_t steps,
                 float rate, const CudaSettings &settings) {
  const Result<Runner> run = makeRunner(sized, deviceStage(stage, options), copies, settings);
  EXPECT_TRUE(run.ok()) << run.error().message;
  return run ? train(*run->backend, steps, rate) : Trained();
}

constexpr const char *model = "width=16,layers=1,context=8,batch=4,vocabulary=128,heads=2";

TEST(Training, TransformerHasTheCurveOfTheHost) {
  const Sized sized = family("interleaved_1f1b", 2, 4);
  const Trained host = onHost(sized, "transformer", model, 1, 30, 0.01F);
  EXPECT_LT(host.losses.back(), 0.7F * host.losses.front());
  for (const Transport transport : {Transport::local, Transport::nccl}) {
    standin::configure({.devices = 2, .mostDelay = std::chrono::microseconds(20), .seed = 2});
    const Trained device = onDevice(sized, "transformer", model, 1, 30, 0.01F, settingsFor(transport));
    EXPECT_EQ(device.losses, host.losses); // the stand-in does the host's arithmetic, in its order
    EXPECT_EQ(device.weights, host.weights);
  }
  expectNothingLeft();
}

TEST(Training, Bf16Trains) {
  standin::configure({});
  const Trained trained = onDevice(family("zb_v", 2, 4), "transformer",
                                   "width=16,layers=1,context=8,batch=2,vocabulary=128,heads=2,element=bf16", 1, 25,
                                   0.01F, settingsFor(Transport::local));
  EXPECT_LT(trained.losses.back(), 0.8F * trained.losses.front());
  EXPECT_TRUE(std::isfinite(trained.losses.back()));
}

TEST(Training, CopiesShareTheBatch) {
  const Sized sized = family("zb_h1", 2, 4);
  const Trained host = onHost(sized, "mlp", smallModel, 2, 10, 0.01F);
  for (const Transport transport : {Transport::local, Transport::nccl}) {
    standin::configure({.devices = 4});
    const Trained device = onDevice(sized, "mlp", smallModel, 2, 10, 0.01F, settingsFor(transport));
    EXPECT_EQ(device.losses, host.losses);
    EXPECT_EQ(device.weights, host.weights);
  }
}

// Replicas lie on the same ranks, in opposite directions; with copies each stage has four shares of its gradients.
TEST(Training, ReplicasAndCopies) {
  const Sized sized = family("dualpipe", 2, 4);
  ASSERT_EQ(sized.program.replicas, 2);
  const Trained host = onHost(sized, "mlp", smallModel, 2, 5, 0.01F);
  standin::configure({.devices = 4});
  for (const bool reduceScatter : {false, true}) {
    CudaSettings settings = settingsFor(Transport::nccl);
    settings.reduceScatter = reduceScatter;
    const Trained device = onDevice(sized, "mlp", smallModel, 2, 5, 0.01F, settings);
    for (std::size_t step = 0; step < 5; ++step)
      EXPECT_NEAR(device.losses[step], host.losses[step], 1e-5);
    for (std::size_t stage = 0; stage < host.weights.size(); ++stage)
      EXPECT_LE(relativeDifference(asFloats(device.weights[stage]), asFloats(host.weights[stage])), 1e-4);
  }
  expectNothingLeft();
}

TEST(Training, WeightVersionsWithinAStep) {
  const schedules::OptionText batch{"batch", "4"};
  for (const char *name : {"pipedream_2bw", "pipedream"}) {
    const Sized sized =
        family(name, 4, 12,
               std::string(name) == "pipedream_2bw" ? llvm::ArrayRef(batch) : llvm::ArrayRef<schedules::OptionText>());
    const char *const sgd = "width=8,layers=1,context=4,batch=2,vocabulary=128,optimizer=sgd";
    const Trained host = onHost(sized, "mlp", sgd, 1, 3, 0.05F);
    for (const Transport transport : {Transport::local, Transport::nccl}) {
      standin::configure({.devices = 4, .mostDelay = std::chrono::microseconds(50), .seed = 4});
      const Trained device = onDevice(sized, "mlp", sgd, 1, 3, 0.05F, settingsFor(transport));
      EXPECT_EQ(device.losses, host.losses) << name;
      EXPECT_EQ(device.weights, host.weights) << name;
    }
  }
}

// Its digests tell a value that is lost, late or mixed up, and their sums are exact in every order.
TEST(Training, SyntheticStagesGiveTheHostsBitsInEveryFamily) {
  constexpr const char *quick = "forward_us=0,backward_us=0,backward_input_us=0,backward_weight_us=0,bytes=1000";
  for (const schedules::Family *each : schedules::library())
    for (const std::int32_t ranks : {2, 4, 8}) {
      const std::optional<Sized> sized = programOf(*each, ranks, 2 * ranks);
      if (!sized)
        continue;
      SCOPED_TRACE(std::string(each->name) + ", " + std::to_string(ranks) + " ranks");
      const Trained host = onHost(*sized, "synthetic", quick, 1, 2, 0.5F);
      for (const Transport transport : {Transport::local, Transport::nccl}) {
        standin::configure({.devices = ranks, .mostDelay = std::chrono::microseconds(20), .seed = 9});
        const Trained device = onDevice(*sized, "synthetic", quick, 1, 2, 0.5F, settingsFor(transport));
        EXPECT_EQ(device.losses, host.losses);
        EXPECT_EQ(device.weights, host.weights);
      }
    }
  expectNothingLeft();
}

// --wait group: nothing is issued before a launch has ended. Families that group their messages for it can do so.
TEST(Training, WaitingForGroups) {
  int runs = 0;
  for (const schedules::Family *each : schedules::library()) {
    std::optional<Sized> sized = programOf(*each, 4, 8);
    if (!sized || sized->options.kind == model::Kind::blocking || sized->program.mode != Mode::training)
      continue;
    sized->options.wait = model::Wait::group;
    standin::configure({.devices = 4, .mostDelay = std::chrono::microseconds(50), .seed = 5});
    const StageMaker maker = deviceStage();
    {
      const Result<Runner> run = makeRunner(*sized, maker, 1, settingsFor(Transport::local));
      if (run->backend->step({.step = 0, .learningRate = 0, .update = false}).end == End::stuck)
        continue; // the verifier rejects it too
    }
    SCOPED_TRACE(std::string(each->name));
    const Trained host = onHost(*sized, "mlp", smallModel, 1, 2, 0.01F);
    for (const Transport transport : {Transport::local, Transport::nccl})
      EXPECT_EQ(onDevice(*sized, "mlp", smallModel, 1, 2, 0.01F, settingsFor(transport)).losses, host.losses);
    ++runs;
  }
  EXPECT_GE(runs, 3);
}

// As older DeepSpeed: a broadcast between two ranks in place of a send and its receive.
TEST(Training, BroadcastsInPlaceOfMessages) {
  Sized sized = family("1f1b", 4, 6);
  lower::setCommunicators(sized.program, lower::Communicators::directed);
  const Trained host = onHost(sized, "mlp", smallModel, 1, 3, 0.01F);
  for (Instruction &i : sized.program.instructions)
    if (isPointToPoint(i.opcode)) {
      if (isSend(i.opcode))
        i.peer = i.rank; // the root
      i.opcode = Opcode::broadcast;
    }
  for (const Transport transport : {Transport::local, Transport::nccl}) {
    standin::configure({.devices = 4, .mostDelay = std::chrono::microseconds(50), .seed = 6});
    const Trained device = onDevice(sized, "mlp", smallModel, 1, 3, 0.01F, settingsFor(transport));
    EXPECT_EQ(device.losses, host.losses);
    EXPECT_EQ(device.weights, host.weights);
  }
}

// Gradients that the Program itself adds up, between two pipelines of one stage.
TEST(Training, ReductionsOfTheProgram) {
  const Result<Program> program = parsePir("reduction", R"(plumbline ir 1
replicas 2
stages 1
microbatches 1
communicator both members 0 1
stage 0 on rank 0
stage 1 on rank 1
rank 0 {
  %f = forward s0 m0
  %b = backward s0 m0
  reduce_gradients s0 via both wait %b
  unshard s0 via both
  optimizer_step
}
rank 1 {
  %f = forward s1 m0
  %b = backward s1 m0
  reduce_gradients s1 via both wait %b
  unshard s1 via both
  optimizer_step
}
)");
  ASSERT_TRUE(program.ok()) << program.error().message;
  const Sized sized = {*program, {}};
  const Trained host = onHost(sized, "mlp", smallModel, 1, 3, 0.01F);
  for (const Transport transport : {Transport::local, Transport::nccl}) {
    standin::configure({.devices = 2, .mostDelay = milliseconds(1), .seed = 8});
    const Trained device = onDevice(sized, "mlp", smallModel, 1, 3, 0.01F, settingsFor(transport));
    EXPECT_EQ(device.losses, host.losses);
    EXPECT_EQ(device.weights, host.weights);
  }
}

// A queue that cannot take more blocks the host until the device moves on. Rank 0's second pass waits for a message
// that rank 1 sends only after it has got the one which rank 0 issues behind that pass, on a queue of its own.
TEST(Training, FullQueuesDoNotTieQueuesTogether) {
  const Result<Program> program = parsePir("full", R"(plumbline ir 1
replicas 2
stages 2
microbatches 1
communicator down members 0 1
communicator up members 0 1
stage 0 on rank 0
stage 1 on rank 1
stage 2 on rank 1
stage 3 on rank 0
rank 0 {
  pool a
  pool g
  %f0 = forward s0 m0 write a[0]:output
  %r3 = receive_activation s3 m0 from 1 via up write a[1]:input
  %f3 = forward s3 m0 read a[1]:input wait %r3
  send_activation s0 m0 to 1 via down read a[0]:output wait %f0
  %b3 = backward s3 m0 read a[1]:input write g[1]:input_gradient wait %f3
  send_gradient s3 m0 to 1 via up read g[1]:input_gradient wait %b3
  %g0 = receive_gradient s0 m0 from 1 via down write g[0]:output_gradient
  backward s0 m0 read a[0]:output, g[0]:output_gradient wait %g0
}
rank 1 {
  pool a
  pool g
  %r1 = receive_activation s1 m0 from 0 via down write a[0]:input
  %f1 = forward s1 m0 read a[0]:input wait %r1
  %f2 = forward s2 m0 write a[1]:output
  send_activation s2 m0 to 0 via up read a[1]:output wait %f2
  %b1 = backward s1 m0 read a[0]:input write g[0]:input_gradient wait %f1
  send_gradient s1 m0 to 0 via down read g[0]:input_gradient wait %b1
  %g2 = receive_gradient s2 m0 from 0 via up write g[1]:output_gradient
  backward s2 m0 read a[1]:output, g[1]:output_gradient wait %g2
}
)");
  ASSERT_TRUE(program.ok()) << program.error().message;
  const Sized sized = {*program, {}};
  for (const Transport transport : {Transport::local, Transport::nccl}) {
    standin::configure({.devices = 2, .mostPending = 3});
    CudaSettings settings = settingsFor(transport);
    settings.patience = milliseconds(5000);
    equalsOneProcess(sized, 1, settings, transport == Transport::local ? "local" : "nccl");
  }
  expectNothingLeft();
}

// Several processes are threads here; all else is as between machines.
void inProcesses(std::int32_t count, const std::function<void(std::int32_t)> &run) {
  std::vector<std::thread> processes;
  processes.reserve(static_cast<std::size_t>(count));
  for (std::int32_t rank = 0; rank < count; ++rank)
    processes.emplace_back(run, rank);
  for (std::thread &process : processes)
    process.join();
}

void trainInProcesses(const Sized &sized, std::int32_t copies, std::int32_t size, std::int32_t devices) {
  const Trained host = onHost(sized, "mlp", smallModel, copies, 4, 0.01F);
  standin::configure({.devices = devices});
  const std::uint16_t port = freePort();
  const std::int32_t here = sized.program.rankCount() * copies / size;
  inProcesses(size, [&](std::int32_t rank) {
    CudaSettings settings = settingsFor(Transport::automatic);
    settings.launch = {rank, size, rank, "localhost", port, nullptr};
    settings.timing = true;
    const Result<Runner> run = makeRunner(sized, deviceStage(), copies, settings);
    ASSERT_TRUE(run.ok()) << run.error().message;
    Backend &backend = *run->backend;
    const Trained own = train(backend, 4, 0.01F);
    EXPECT_EQ(backend.isFirstCopy(), rank * here < sized.program.rankCount());
    EXPECT_EQ(backend.speaks(), rank == 0);
    EXPECT_FALSE(backend.anyone(false));
    EXPECT_TRUE(backend.anyone(rank == size - 1));
    EXPECT_FALSE(backend.stages().empty());
    std::size_t k = 0;
    for (const StageId stage : backend.stages())
      EXPECT_EQ(own.weights[k++], host.weights[static_cast<std::size_t>(stage.value())]);
    for (std::size_t step = 0; step < 4; ++step) // every process knows it
      EXPECT_FLOAT_EQ(own.losses[step], host.losses[step]);
    backend.gather();
    for (std::int32_t r = 0; r < sized.program.rankCount(); ++r)
      EXPECT_GT(backend.reservedBytes(RankId(r)), 0U);
    for (const Span &span : backend.spans())
      EXPECT_LE(0, span.begin);
    EXPECT_EQ(backend.lost(), "");
  });
  expectNothingLeft();
}

TEST(Processes, ARankEach) { trainInProcesses(family("1f1b", 4, 8), 1, 4, 4); }
TEST(Processes, SeveralRanksEach) { trainInProcesses(family("zb_h1", 4, 8), 1, 2, 4); }
TEST(Processes, CopiesInProcessesOfTheirOwn) { trainInProcesses(family("1f1b", 2, 4), 2, 2, 4); }
TEST(Processes, CopiesOverManyProcesses) { trainInProcesses(family("1f1b", 2, 4), 2, 4, 4); }

// The others do not wait for as long as NCCL would.
TEST(Processes, ThatEndIsAnErrorForTheOthers) {
  const Sized sized = family("1f1b", 4, 8);
  standin::configure({.devices = 4});
  const std::uint16_t port = freePort();
  inProcesses(4, [&](std::int32_t rank) {
    CudaSettings settings = settingsFor(Transport::automatic);
    settings.launch = {rank, 4, rank, "localhost", port, nullptr};
    const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settings);
    ASSERT_TRUE(run.ok()) << run.error().message;
    ASSERT_EQ(run->backend->step({.step = 0, .learningRate = 0}).end, End::finished);
    if (rank == 2)
      run->backend->stop(); // and then it ends
    const StepResult result = run->backend->step({.step = 1, .learningRate = 0});
    EXPECT_EQ(result.end, rank == 2 ? End::stopped : End::failed);
    if (rank != 2) {
      EXPECT_NE(result.failure.message.find("has ended before its time"), std::string::npos) << result.failure.message;
    }
  });
  expectNothingLeft();
}

TEST(Processes, RefuseToShareCopiesUnevenly) {
  const Sized sized = family("1f1b", 3, 4);
  standin::configure({.devices = 4});
  CudaSettings settings = settingsFor(Transport::automatic);
  settings.launch = {1, 3, 0, "localhost", freePort(), nullptr};
  const Result<Runner> run = makeRunner(sized, deviceStage(), 2, settings);
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().message.find("would have 2 ranks, of two copies of the pipeline"), std::string::npos)
      << run.error().message;
}

TEST(Processes, RefuseAnotherProgram) {
  const Sized one = family("1f1b", 2, 4), other = family("gpipe", 2, 4);
  standin::configure({.devices = 2});
  const std::uint16_t port = freePort();
  inProcesses(2, [&](std::int32_t rank) {
    CudaSettings settings = settingsFor(Transport::automatic);
    settings.patience = milliseconds(5000);
    settings.launch = {rank, 2, rank, "localhost", port, nullptr};
    const Result<Runner> run = makeRunner(rank == 0 ? one : other, deviceStage(), 1, settings);
    ASSERT_FALSE(run.ok());
    EXPECT_NE(run.error().message.find("runs another Program"), std::string::npos) << run.error().message;
  });
}

TEST(Spans, AreTakenWhereAskedFor) {
  const Sized sized = family("1f1b", 2, 3);
  for (const Transport transport : {Transport::local, Transport::nccl}) {
    standin::configure({.devices = 2});
    CudaSettings settings = settingsFor(transport);
    settings.timing = true;
    const StageMaker maker = deviceStage("synthetic", "forward_us=3000,backward_us=5000,bytes=64");
    const Result<Runner> run = makeRunner(sized, maker, 1, settings);
    ASSERT_TRUE(run.ok()) << run.error().message;
    ASSERT_EQ(run->backend->step({.step = 0, .learningRate = 0}).end, End::finished);
    const llvm::ArrayRef<Span> spans = run->backend->spans();
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const Opcode opcode = sized.program.instructions[i].opcode;
      ASSERT_GE(spans[i].begin, 0) << i;
      const std::int64_t least = opcode == Opcode::forward ? 3000000 : opcode == Opcode::backward ? 5000000 : 0;
      EXPECT_GE(spans[i].end - spans[i].begin, least * 99 / 100) << i;
      for (const InstructionId awaited : sized.program.waitsOf(sized.program.instructions[i]))
        EXPECT_GE(spans[i].end, spans[static_cast<std::size_t>(awaited.value())].end) << i;
    }
  }
  standin::configure({});
  const Result<Runner> run = makeRunner(sized, deviceStage(), 1, settingsFor(Transport::local));
  ASSERT_EQ(run->backend->step({.step = 0, .learningRate = 0}).end, End::finished);
  EXPECT_EQ(run->backend->spans().front().begin, -1);
}

TEST(State, GoesOutAndIn) {
  const Sized sized = family("1f1b", 2, 4);
  for (const Transport transport : {Transport::local, Transport::nccl}) {
    standin::configure({.devices = 4});
    const Result<Runner> first = makeRunner(sized, deviceStage(), 2, settingsFor(transport));
    const Result<Runner> second = makeRunner(sized, deviceStage(), 2, settingsFor(transport));
    ASSERT_TRUE(first.ok() && second.ok());
    train(*first->backend, 3, 0.01F);
    for (const StageId stage : first->backend->stages()) {
      for (const Backend::Part part : {Backend::Part::parameters, Backend::Part::gradients, Backend::Part::optimizer})
        second->backend->write(stage, part, first->backend->read(stage, part));
      EXPECT_EQ(first->backend->updates(stage), 3);
      second->backend->setUpdates(stage, first->backend->updates(stage));
    }
    const StepRequest next{.step = 3, .learningRate = 0.01F};
    EXPECT_EQ(first->backend->step(next).loss, second->backend->step(next).loss);
    for (const StageId stage : first->backend->stages())
      EXPECT_EQ(first->backend->read(stage, Backend::Part::parameters),
                second->backend->read(stage, Backend::Part::parameters));
    EXPECT_GT(first->backend->reservedBytes(RankId(0)), 0U);
    EXPECT_EQ(first->backend->peakSlots(PoolId(0)), -1);
  }
}

} // namespace
} // namespace plumbline::runtime::cuda::testing
