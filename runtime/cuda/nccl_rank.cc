#include "runtime/cuda/nccl_rank.h"

#include "runtime/memory/extents.h"

#include "llvm/ADT/STLExtras.h"

#include <thread>

namespace plumbline::runtime::cuda {
namespace {

constexpr std::uint64_t smallestScratch = 256;
constexpr std::chrono::microseconds betweenPolls{20};
// Polls without a pause, which would be longer than it says.
constexpr int promptPolls = 100;

} // namespace

NcclRank::NcclRank(NcclShared &shared, CudaRank &rank)
    : shared_(shared), rank_(rank), world_(rank.seat().copy * shared.plan.program->rankCount() + rank.seat().rank),
      communicators_(shared.cliques.cliques.size(), nullptr), order_(shared.plan, rank.seat().rank) {
  // Also for messages that the Program gives no slot.
  std::uint64_t bytes = smallestScratch;
  const IndexRange own = shared.plan.program->ranks[static_cast<std::size_t>(rank.seat().rank)].instructions;
  for (InstructionIndex i = own.first; i < own.first + own.count; ++i)
    if (const BoundMessage *message = shared.run.binding.message(i); message && !message->place.valid())
      bytes = std::max(bytes, message->bytes);
  scratch_ = DeviceMemory(rank.device(), bytes);
}

std::uint32_t NcclRank::cliqueOf(CommunicatorId communicator) const {
  const std::size_t communicators = shared_.plan.program->communicators.size();
  return shared_.cliques.ofCommunicator[static_cast<std::size_t>(rank_.seat().copy) * communicators +
                                        static_cast<std::size_t>(communicator.value())];
}

std::uint32_t NcclRank::cliqueOf(InstructionIndex i) const {
  return cliqueOf(shared_.plan.instruction(i).communicator);
}

std::string NcclRank::ofCommunicator(std::size_t clique) const {
  return " (communicator '" + shared_.cliques.cliques[clique].name + "')";
}

std::string NcclRank::await(llvm::function_ref<bool(std::string &)> done, const char *what) {
  const Clock::time_point deadline = Clock::now() + shared_.patience;
  std::string wrong;
  while (!done(wrong)) {
    if (!wrong.empty())
      return wrong;
    if (shared_.over)
      return "given up";
    if (Clock::now() >= deadline)
      return std::string(what) + ": the other ranks have not answered for " + std::to_string(shared_.patience.count()) +
             " ms";
    std::this_thread::sleep_for(betweenPolls);
  }
  return "";
}

std::string NcclRank::settle(std::uint32_t clique) {
  return await(
      [&](std::string &wrong) {
        ncclResult_t state = ncclSuccess;
        const std::scoped_lock lock(calls_);
        if (shared_.over) // it may be gone
          return false;
        wrong = check(ncclCommGetAsyncError(communicators_[clique], &state), "ncclCommGetAsyncError");
        if (wrong.empty())
          wrong = check(state, "NCCL");
        if (!wrong.empty())
          wrong += ofCommunicator(clique);
        return wrong.empty() && state == ncclSuccess;
      },
      "NCCL");
}

std::string NcclRank::group(llvm::ArrayRef<std::uint32_t> cliques, llvm::function_ref<std::string()> calls) {
  Calls result;
  {
    const std::scoped_lock lock(calls_);
    if (shared_.over) // communicators may be gone
      return "given up";
    if (result(ncclGroupStart(), "ncclGroupStart")) {
      result.keep(calls());
      result(ncclGroupEnd(), "ncclGroupEnd");
    }
  }
  if (!result.wrong().empty() && cliques.size() == 1)
    return result.wrong() + ofCommunicator(cliques.front());
  for (const std::uint32_t clique : cliques)
    if (result.wrong().empty())
      result.keep(settle(clique));
  return result.wrong();
}

std::string NcclRank::open(llvm::ArrayRef<ncclUniqueId> ids) {
  rank_.device().use();
  if (scratch_.missing())
    return "not enough memory on the device";
  for (std::size_t clique = 0; clique < ids.size(); ++clique)
    if (std::string wrong = openOne(clique, ids[clique]); !wrong.empty())
      return wrong;
  return "";
}

std::string NcclRank::openOne(std::size_t clique, const ncclUniqueId &id) {
  const Clique &members = shared_.cliques.cliques[clique];
  const std::int32_t own = members.rankOf(world_);
  if (own < 0)
    return "";
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  Calls calls;
  {
    const std::scoped_lock lock(calls_);
    if (shared_.over) // another rank failed, and what is made now nobody would give back
      return "given up";
    calls(ncclCommInitRankConfig(&communicators_[clique], static_cast<int>(members.members.size()), id, own, &config),
          "ncclCommInitRankConfig");
  }
  if (calls.wrong().empty())
    calls.keep(settle(static_cast<std::uint32_t>(clique)));
  return calls.wrong();
}

// NCCL connects two ranks when they first have something to say to each other, on the host, which then waits for the
// other one (NCCL_FACTS C2 to C5). Here all say something at once, so nobody waits for anybody's turn.
std::string NcclRank::connect() {
  for (std::size_t clique = 0; clique < communicators_.size(); ++clique) {
    std::string wrong = connectOne(clique);
    if (wrong.empty())
      wrong = await([&](std::string &failure) { return rank_.streams().idle(failure); }, "making connections");
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

std::string NcclRank::connectOne(std::size_t clique) {
  if (!communicators_[clique])
    return "";
  const Plan &plan = shared_.plan;
  const Clique &members = shared_.cliques.cliques[clique];
  ncclComm_t communicator = communicators_[clique];
  cudaStream_t stream = rank_.streams().compute();
  const std::int32_t offset = rank_.seat().copy * plan.program->rankCount();
  const auto index = static_cast<std::uint32_t>(clique);
  bool collectives = llvm::is_contained(shared_.cliques.ofPosition, index);
  for (InstructionIndex i = 0; i < plan.program->instructions.size(); ++i)
    collectives |= isCollective(plan.instruction(i)) && cliqueOf(i) == index;
  Calls calls;
  calls.keep(group(index, [&] {
    Calls each;
    for (const Channel &channel : plan.channels) {
      if (cliqueOf(channel.communicator) != index)
        continue;
      if (channel.source + offset == world_)
        each(
            ncclSend(scratch_.data(), 1, ncclUint8, members.rankOf(channel.destination + offset), communicator, stream),
            "ncclSend");
      if (channel.destination + offset == world_)
        each(ncclRecv(scratch_.data(), 1, ncclUint8, members.rankOf(channel.source + offset), communicator, stream),
             "ncclRecv");
    }
    return each.wrong();
  }));
  if (collectives && calls.wrong().empty())
    calls.keep(group(index, [&] {
      return check(ncclAllReduce(scratch_.data(), scratch_.data(), 1, ncclFloat32, ncclSum, communicator, stream),
                   "ncclAllReduce");
    }));
  return calls.wrong();
}

std::string NcclRank::close() {
  rank_.device().use();
  Calls calls;
  for (std::uint32_t clique = 0; clique < communicators_.size(); ++clique) {
    if (!communicators_[clique])
      continue;
    {
      const std::scoped_lock lock(calls_);
      calls(ncclCommFinalize(communicators_[clique]), "ncclCommFinalize");
    }
    calls.keep(settle(clique));
    const std::scoped_lock lock(calls_);
    calls(ncclCommDestroy(communicators_[clique]), "ncclCommDestroy");
    communicators_[clique] = nullptr;
  }
  return calls.wrong();
}

std::vector<ncclComm_t> NcclRank::takeCommunicators() {
  std::unique_lock lock(calls_, std::defer_lock);
  // Without it the rank is stuck in a call, and the abort is what frees it. (The thread sanitizer of Clang 14 does not
  // see locks that are taken with a time limit.)
  for (const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
       !lock.try_lock() && Clock::now() < deadline;)
    std::this_thread::sleep_for(betweenPolls);
  std::vector<ncclComm_t> taken;
  for (ncclComm_t &communicator : communicators_)
    if (communicator)
      taken.push_back(std::exchange(communicator, nullptr));
  return taken;
}

Failure NcclRank::walk(float learningRate) {
  const Plan &plan = shared_.plan;
  std::string wrong;
  int polls = 0;
  for (order_.reset(); !order_.finished();) {
    if (shared_.over)
      return {};
    const StepIndex step = order_.next([&](StepIndex launch) { return rank_.streams().done(launch, wrong); });
    if (!wrong.empty())
      return {current(), std::move(wrong)};
    if (step == none) {
      if (++polls > promptPolls)
        std::this_thread::sleep_for(betweenPolls);
      continue;
    }
    polls = 0;
    if (plan.steps[step].members == 0)
      continue; // the host makes connections here; they are made
    enqueueing_ = plan.steps[step].first;
    if (Failure failure = enqueue(step, learningRate); !failure.message.empty())
      return failure;
  }
  enqueueing_ = none;
  // With the watcher's patience: a rank may have long to wait, as long as launches end.
  while (!shared_.over && !rank_.streams().idle(wrong) && wrong.empty())
    std::this_thread::sleep_for(betweenPolls);
  const InstructionIndex at = wrong.empty() ? none : current();
  return {at, std::move(wrong)};
}

// Messages go out before the work that is in a group with them.
Failure NcclRank::enqueue(StepIndex index, float learningRate) {
  const Plan &plan = shared_.plan;
  const Step &step = plan.steps[index];
  InstructionIndex at = step.first;
  Calls calls;
  calls.keep(rank_.streams().begin(index));
  if (step.communicates && calls.wrong().empty())
    calls.keep(launchStep(index, at));
  for (InstructionIndex i = step.first; i < step.first + step.members && calls.wrong().empty(); ++i) {
    if (needsOthers(plan.instruction(i)))
      continue;
    at = i;
    if (calls.keep(rank_.timeBegin(i)) && calls.keep(rank_.enqueueWork(i, learningRate)))
      calls.keep(rank_.timeEnd(i));
  }
  if (calls.wrong().empty())
    calls.keep(rank_.streams().end(index));
  if (step.communicates && calls.wrong().empty()) {
    const std::scoped_lock lock(launchedMutex_);
    launched_.push_back(index);
  }
  if (step.communicates && plan.options.wait == model::Wait::group && calls.wrong().empty())
    calls.keep(await([&](std::string &wrong) { return rank_.streams().done(index, wrong); }, "a launch"));
  return {at, calls.wrong()};
}

std::string NcclRank::launchStep(StepIndex index, InstructionIndex &at) {
  const Plan &plan = shared_.plan;
  const Step &step = plan.steps[index];
  llvm::SmallVector<std::uint32_t, 2> cliques;
  Calls calls;
  const auto members = [&](llvm::function_ref<std::string(InstructionIndex)> f) {
    for (InstructionIndex i = step.first; i < step.first + step.members && calls.wrong().empty(); ++i)
      if (needsOthers(plan.instruction(i))) {
        at = i;
        calls.keep(f(i));
      }
  };
  members([&](InstructionIndex i) {
    if (!llvm::is_contained(cliques, cliqueOf(i)))
      cliques.push_back(cliqueOf(i));
    return rank_.timeBegin(i);
  });
  if (calls.wrong().empty())
    calls.keep(group(cliques, [&] {
      members([&](InstructionIndex i) { return launchOne(i); });
      return calls.wrong();
    }));
  members([&](InstructionIndex i) { return rank_.timeEnd(i); });
  return calls.wrong();
}

std::string NcclRank::launchOne(InstructionIndex i) {
  return isCollective(shared_.plan.instruction(i)) ? launchCollective(i) : launchMessage(i);
}

std::string NcclRank::launchMessage(InstructionIndex i) {
  const Instruction &instruction = shared_.plan.instruction(i);
  const BoundMessage &message = *shared_.run.binding.message(i);
  const std::uint32_t clique = cliqueOf(i);
  const std::int32_t offset = rank_.seat().copy * shared_.plan.program->rankCount();
  const std::int32_t peer = shared_.cliques.cliques[clique].rankOf(offset + instruction.peer.value());
  void *data = message.place.valid() ? rank_.work().at(message.place) : scratch_.data();
  cudaStream_t stream = rank_.streams().of(i);
  if (isSend(instruction.opcode))
    return check(ncclSend(data, message.bytes, ncclUint8, peer, communicators_[clique], stream), "ncclSend");
  return check(ncclRecv(data, message.bytes, ncclUint8, peer, communicators_[clique], stream), "ncclRecv");
}

std::string NcclRank::launchCollective(InstructionIndex i) {
  const Instruction &instruction = shared_.plan.instruction(i);
  const std::uint32_t clique = cliqueOf(i);
  ncclComm_t communicator = communicators_[clique];
  cudaStream_t stream = rank_.streams().of(i);
  if (instruction.opcode == Opcode::broadcast) {
    const BoundMessage &message = *shared_.run.binding.message(i);
    const std::int32_t offset = rank_.seat().copy * shared_.plan.program->rankCount();
    const std::int32_t root = shared_.cliques.cliques[clique].rankOf(offset + instruction.peer.value());
    void *data = message.place.valid() ? rank_.work().at(message.place) : scratch_.data();
    return check(ncclBroadcast(data, data, message.bytes, ncclUint8, root, communicator, stream), "ncclBroadcast");
  }
  if (instruction.opcode == Opcode::reduce_gradients)
    if (const auto found = rank_.work().stages().find(instruction.stage); found != rank_.work().stages().end()) {
      DeviceMemory &gradients = found->second.gradients;
      return check(ncclAllReduce(gradients.data(), gradients.data(), gradients.bytes() / sizeof(float), ncclFloat32,
                                 ncclSum, communicator, stream),
                   "ncclAllReduce");
    }
  // The others have nothing to move here, and still nobody goes on before all have come.
  return check(ncclAllReduce(scratch_.data(), scratch_.data(), 1, ncclFloat32, ncclSum, communicator, stream),
               "ncclAllReduce");
}

std::string NcclRank::sumGradients() {
  Calls calls;
  if (shared_.plan.program->mode == Mode::training)
    for (std::size_t position = 0; position < shared_.shares.size() && calls.wrong().empty(); ++position)
      calls.keep(sumPosition(position));
  if (calls.wrong().empty())
    calls.keep(await([&](std::string &wrong) { return rank_.streams().idle(wrong); }, "adding up gradients"));
  return calls.wrong();
}

// First the shares of this rank, then those of the ranks.
std::string NcclRank::sumPosition(std::size_t position) {
  llvm::SmallVector<DeviceMemory *, 2> own;
  for (const Share &share : shared_.shares[position])
    if (share.holder == world_)
      own.push_back(&rank_.work().stages().at(share.stage).gradients);
  if (own.empty())
    return "";
  cudaStream_t stream = rank_.streams().compute();
  Calls calls;
  calls.keep(addUp(own, stream));
  if (const std::uint32_t clique = shared_.cliques.ofPosition[position]; clique != none)
    calls.keep(sumOver(clique, static_cast<float *>(own.front()->data()), own.front()->bytes() / sizeof(float)));
  calls.keep(spread(own, stream));
  return calls.wrong();
}

std::string NcclRank::sumOver(std::uint32_t clique, float *data, std::size_t count) {
  ncclComm_t communicator = communicators_[clique];
  cudaStream_t stream = rank_.streams().compute();
  const std::size_t members = shared_.cliques.cliques[clique].members.size();
  const auto allReduce = [&](float *from, std::size_t n) {
    return group(clique, [=] {
      return check(ncclAllReduce(from, from, n, ncclFloat32, ncclSum, communicator, stream), "ncclAllReduce");
    });
  };
  if (!shared_.reduceScatter)
    return allReduce(data, count);
  // In place: a piece's sum comes to where its owner's piece lies (NCCL user guide, "In-place Operations").
  const std::size_t piece = count / members;
  float *own = data + piece * static_cast<std::size_t>(shared_.cliques.cliques[clique].rankOf(world_));
  Calls calls;
  calls.keep(group(clique, [=] {
    return check(ncclReduceScatter(data, own, piece, ncclFloat32, ncclSum, communicator, stream), "ncclReduceScatter");
  }));
  if (calls.wrong().empty())
    calls.keep(group(clique, [=] {
      return check(ncclAllGather(own, data, piece, ncclFloat32, communicator, stream), "ncclAllGather");
    }));
  if (const std::size_t rest = count - piece * members; rest > 0 && calls.wrong().empty())
    calls.keep(allReduce(data + piece * members, rest));
  return calls.wrong();
}

std::string NcclRank::asyncError() {
  const std::unique_lock lock(calls_, std::try_to_lock);
  if (!lock)
    return ""; // the rank is in a call itself, and sees the error then
  for (std::size_t clique = 0; clique < communicators_.size(); ++clique) {
    if (!communicators_[clique])
      continue;
    ncclResult_t state = ncclSuccess;
    Calls calls;
    calls(ncclCommGetAsyncError(communicators_[clique], &state), "ncclCommGetAsyncError");
    calls(state, "NCCL");
    if (!calls.wrong().empty())
      return calls.wrong() + ofCommunicator(clique);
  }
  return "";
}

void NcclRank::startWatch() {
  launched_.clear();
  enqueueing_ = none;
  oldest_ = none;
  pending_.clear();
  progress_ = Clock::now();
}

bool NcclRank::stalled(std::chrono::milliseconds patience, std::string &wrong) {
  bool moved = false;
  {
    const std::scoped_lock lock(launchedMutex_);
    moved = !launched_.empty();
    llvm::append_range(pending_, launched_);
    launched_.clear();
  }
  const std::size_t before = pending_.size();
  llvm::erase_if(pending_, [&](StepIndex step) { return rank_.streams().done(step, wrong); });
  moved |= pending_.size() != before;
  oldest_ = pending_.empty() ? none : shared_.plan.steps[pending_.front()].first;
  if (moved || pending_.empty())
    progress_ = Clock::now();
  return Clock::now() - progress_ >= patience;
}

} // namespace plumbline::runtime::cuda
