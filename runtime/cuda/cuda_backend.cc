#include "runtime/cuda/cuda_backend.h"

#include "runtime/backend/parts.h"
#include "runtime/cuda/device_model.h"
#include "runtime/cuda/local_executor.h"
#include "runtime/cuda/nccl_executor.h"
#include "verifier/ir/pir_print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>
#include <cstring>
#include <numeric>

namespace plumbline::runtime::cuda {
namespace {

Diagnostic wrong(const std::string &text) { return {"cuda", 0, 0, text}; }

// The Program's communicators may name a room too.
void takeRoomAway(Plan &plan) {
  for (Port &port : plan.ports)
    port.ending = Ending::rendezvous;
  for (Channel &channel : plan.channels)
    channel.buffered = false;
}

// Processes that are started alike agree on it.
std::uint64_t greetingOf(const Program &program, const RunPlan &run, const model::Options &options,
                         const CudaSettings &settings) {
  const std::string text = toPir(program) + "\n" + run.maker.functions->name + "\n" + run.maker.options + "\n" +
                           std::to_string(run.maker.seed) + " " + std::to_string(run.copies) + " " +
                           std::to_string(static_cast<int>(options.kind)) +
                           std::to_string(static_cast<int>(options.grouping)) + " " + std::to_string(options.plan) +
                           " " + std::to_string(static_cast<int>(settings.reduceScatter));
  return llvm::xxh3_64bits(text);
}

// Which ranks are here, on which devices, and how they reach each other.
struct Seating {
  std::vector<Seat> seats; // copy by copy, rank by rank
  bool local = false;
};

Result<Seating> seat(const Program &program, const RunPlan &run, const CudaSettings &settings) {
  const Result<std::int32_t> available = countDevices();
  if (!available)
    return available.error();
  const Launch &launch = settings.launch;
  const std::int32_t all = program.rankCount() * run.copies;
  if (all % launch.size != 0)
    return wrong(std::to_string(all) + " ranks cannot be spread evenly over " + std::to_string(launch.size) +
                 " processes");
  const std::int32_t here = all / launch.size;
  if (here % program.rankCount() != 0 && program.rankCount() % here != 0)
    return wrong("each of the " + std::to_string(launch.size) + " processes would have " + std::to_string(here) +
                 " ranks, of two copies of the pipeline, of " + std::to_string(program.rankCount()) +
                 " ranks each: start as many as there are ranks");
  std::vector<std::int32_t> devices = settings.devices;
  if (devices.empty()) {
    // Launchers may let each process see only the devices that it is to use.
    const std::int32_t first = launch.size > 1 && *available != here ? launch.localRank * here : 0;
    devices.resize(static_cast<std::size_t>(std::max(*available - first, 1)));
    std::iota(devices.begin(), devices.end(), first);
    if (static_cast<std::int32_t>(devices.size()) < here)
      devices.resize(1);
  }
  for (const std::int32_t device : devices)
    if (device < 0 || device >= *available)
      return wrong("there is no device " + std::to_string(device) + " here: there are " + std::to_string(*available));
  const bool forEach = static_cast<std::int32_t>(devices.size()) >= here;
  Seating seating;
  seating.local = settings.transport == Transport::local ||
                  (settings.transport == Transport::automatic && launch.size == 1 && (here == 1 || !forEach));
  if (seating.local && launch.size > 1)
    return wrong("ranks of several processes cannot share a device");
  if (seating.local)
    devices.resize(1);
  else if (!forEach)
    return wrong(std::to_string(here) + " ranks have " + std::to_string(devices.size()) +
                 " devices here: NCCL wants one for each");
  for (std::int32_t k = 0; k < here; ++k) {
    const std::int32_t world = launch.rank * here + k;
    seating.seats.push_back({world / program.rankCount(), world % program.rankCount(),
                             devices[seating.local ? 0 : static_cast<std::size_t>(k)]});
  }
  return seating;
}

// Streams beyond the device's hardware queues share those, and then one that waits for another rank holds up another
// (CUDA_DEVICE_MAX_CONNECTIONS, "Environment Variables" in the CUDA programming guide: 8 if not set). Queues of a rank
// were taken to be independent when the Program was verified. NCCL has two streams of its own for each communicator
// (NCCL 2.28, strongstream.cc). Empty, or what is wrong.
std::string tooManyQueues(const Plan &plan, const CliquePlan &cliques, std::int32_t copies) {
  const char *const set = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  std::uint32_t connections = 8;
  if (set && llvm::StringRef(set).getAsInteger(10, connections))
    return std::string("CUDA_DEVICE_MAX_CONNECTIONS is '") + set + "', which is no number";
  const std::int32_t ranks = plan.program->rankCount();
  for (WorldRank world = 0; world < ranks * copies; ++world) {
    const auto rank = static_cast<std::size_t>(world % ranks);
    std::uint32_t queues = plan.rankLanes[rank + 1] - plan.rankLanes[rank];
    for (const Clique &clique : cliques.cliques)
      queues += clique.rankOf(world) >= 0 ? 2 : 0;
    if (queues > connections)
      return "rank " + std::to_string(rank) + " needs " + std::to_string(queues) +
             " queues of its device, NCCL's own among them, and may use " + std::to_string(connections) +
             ": set CUDA_DEVICE_MAX_CONNECTIONS to " + std::to_string(queues) +
             " or more (at most 32), or have fewer communicators";
  }
  return "";
}

class CudaBackend : public Backend {
public:
  CudaBackend(Plan plan, const RunPlan &run, const DataSource &data)
      : plan_(std::move(plan)), run_(run), data_(data), spans_(plan_.program->instructions.size()),
        reserved_(plan_.program->ranks.size(), 0) {}

  ~CudaBackend() override {
    if (!abandoned_ && !(executor_ && executor_->abandoned())) {
      executor_.reset();
      if (wentWell_ && group_) // nobody is to seem lost to the others who is only done first
        (void)exchange(Exchange::farewell, {});
      return;
    }
    (void)executor_.release(); // rather than wait for ever, or free what is in use
    for (auto &rank : ranks_)
      (void)rank.release();
  }

  // True, or what is wrong.
  Result<bool> open(const CudaSettings &settings, std::uint64_t greeting) {
    const Result<Seating> seating = seat(*plan_.program, run_, settings);
    if (!seating)
      return seating.error();
    if (std::string wrong = joinGroup(settings); !wrong.empty())
      return Diagnostic{"cuda", 0, 0, wrong};
    std::vector<CudaRank *> ranks;
    for (const Seat &seat : seating->seats) {
      Result<std::unique_ptr<CudaRank>> made = CudaRank::make(plan_, run_, seat, settings.timing);
      if (!made)
        return made.error();
      ranks.push_back(made->get());
      if (seat.copy == 0)
        reserved_[static_cast<std::size_t>(seat.rank)] = (*made)->work().reservedBytes();
      ranks_.push_back(std::move(*made));
    }
    Result<std::unique_ptr<Executor>> executor =
        seating->local ? LocalExecutor::make(plan_, run_, data_, ranks) : makeNccl(ranks, settings, greeting);
    if (!executor)
      return executor.error();
    executor_ = std::move(*executor);
    wentWell_ = true;
    return true;
  }

  StepResult step(const StepRequest &request) override {
    std::fill(spans_.begin(), spans_.end(), Span());
    StepResult result = executor_->run(request);
    Calls calls;
    if (result.end == End::finished)
      for (const auto &rank : ranks_)
        if (rank->seat().copy == 0)
          calls.keep(rank->collectSpans(spans_));
    double losses = 0;
    if (result.end == End::finished)
      result = executor_->finish(request, losses);
    if (result.end == End::finished)
      calls.keep(addUpLosses(losses));
    if (result.end == End::finished && !calls.wrong().empty()) {
      result.end = End::failed;
      result.failure.message = calls.wrong();
    }
    wentWell_ &= result.end == End::finished;
    const Program &program = *plan_.program;
    result.loss = static_cast<float>(losses / (std::int64_t(program.microbatches) * program.replicas * run_.copies));
    return result;
  }

  void stop() override { executor_->stop(); }

  std::vector<StageId> stages() override {
    std::vector<StageId> all;
    for (std::int32_t s = 0; s < plan_.program->stageCount(); ++s)
      if (find(StageId(s), firstCopyHere()))
        all.emplace_back(s);
    return all;
  }

  std::vector<char> read(StageId stage, Part part) override {
    CudaRank &rank = *find(stage, firstCopyHere());
    rank.device().use();
    return readPart(rank.work(), stage, part);
  }

  void write(StageId stage, Part part, llvm::ArrayRef<char> bytes) override {
    for (std::int32_t copy = 0; copy < run_.copies; ++copy)
      if (CudaRank *rank = find(stage, copy)) {
        rank->device().use();
        writePart(rank->work(), stage, part, bytes);
      }
  }

  std::int64_t updates(StageId stage) override {
    return find(stage, firstCopyHere())->work().stages().at(stage).updates;
  }
  void setUpdates(StageId stage, std::int64_t updates) override {
    for (std::int32_t copy = 0; copy < run_.copies; ++copy)
      if (CudaRank *rank = find(stage, copy))
        rank->work().stages().at(stage).updates = updates;
  }

  llvm::ArrayRef<Span> spans() override { return spans_; }
  std::int32_t peakSlots(PoolId) override { return -1; } // the device does not tell
  std::uint64_t reservedBytes(RankId rank) override { return reserved_[static_cast<std::size_t>(rank.value())]; }

  bool anyone(bool says) override {
    bool any = says;
    keepReads();
    for (const std::vector<char> &each : exchange(Exchange::question, {static_cast<char>(says)}))
      any |= each != std::vector<char>{0};
    return any || !lost_.empty();
  }
  void gather() override {
    static_assert(sizeof(Span) == 2 * sizeof(std::int64_t));
    std::vector<char> own(spans_.size() * sizeof(Span) + reserved_.size() * sizeof(std::uint64_t));
    std::memcpy(own.data(), spans_.data(), spans_.size() * sizeof(Span));
    std::memcpy(own.data() + spans_.size() * sizeof(Span), reserved_.data(), reserved_.size() * sizeof(std::uint64_t));
    for (const std::vector<char> &each : exchange(Exchange::measured, own))
      if (each.size() == own.size())
        takeOver(each);
  }
  [[nodiscard]] std::string lost() const override { return lost_; }
  [[nodiscard]] bool isFirstCopy() const override { return firstCopyHere() == 0; }
  [[nodiscard]] bool speaks() const override { return group_->rank() == 0; }

private:
  [[nodiscard]] std::int32_t firstCopyHere() const { return ranks_.front()->seat().copy; }

  std::string joinGroup(const CudaSettings &settings) {
    group_ = settings.group;
    if (group_)
      return "";
    Result<std::unique_ptr<ProcessGroup>> formed = ProcessGroup::form(settings.launch, settings.patience);
    if (!formed)
      return formed.error().message;
    ownGroup_ = std::move(*formed);
    group_ = ownGroup_.get();
    return "";
  }

  // What each process brings; nothing, and lost_ set, if one is gone.
  enum class Exchange : char { question, losses, measured, farewell };
  std::vector<std::vector<char>> exchange(Exchange kind, std::vector<char> own) {
    if (!lost_.empty())
      return {};
    own.push_back(static_cast<char>(kind));
    Result<std::vector<std::vector<char>>> all = group_->exchange(own);
    if (!all)
      lost_ = all.error().message;
    for (std::size_t process = 0; lost_.empty() && process < all->size(); ++process) {
      std::vector<char> &each = (*all)[process];
      if (each.empty() || each.back() != static_cast<char>(kind))
        lost_ = "process " + std::to_string(process) + " has come to another point of the run than process " +
                std::to_string(group_->rank()) + "; what it printed says why";
      else
        each.pop_back();
    }
    wentWell_ &= lost_.empty();
    return lost_.empty() ? std::move(*all) : std::vector<std::vector<char>>();
  }

  // What could not be read from a device must not be taken for what was there.
  void keepReads() {
    for (const auto &rank : ranks_)
      if (lost_.empty())
        lost_ = rank->device().failure();
  }

  // What another process measured, where there is nothing here.
  void takeOver(const std::vector<char> &measured) {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      Span span;
      std::memcpy(&span, measured.data() + i * sizeof span, sizeof span);
      if (span.begin >= 0)
        spans_[i] = span;
    }
    for (std::size_t r = 0; r < reserved_.size(); ++r) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, measured.data() + spans_.size() * sizeof(Span) + r * sizeof bytes, sizeof bytes);
      reserved_[r] = std::max(reserved_[r], bytes);
    }
  }

  // Those of all processes, in their order.
  std::string addUpLosses(double &losses) {
    std::vector<char> own(sizeof losses);
    std::memcpy(own.data(), &losses, sizeof losses);
    losses = 0;
    for (const std::vector<char> &each : exchange(Exchange::losses, own)) {
      double other = 0;
      std::memcpy(&other, each.data(), std::min(sizeof other, each.size()));
      losses += other;
    }
    return lost_;
  }

  Result<std::unique_ptr<Executor>> makeNccl(llvm::ArrayRef<CudaRank *> ranks, const CudaSettings &settings,
                                             std::uint64_t greeting) {
    NcclPlan nccl;
    nccl.shares = sharesOfGradients(*plan_.program, run_.copies);
    nccl.cliques = planCliques(plan_, run_.copies, nccl.shares);
    if (std::string many = tooManyQueues(plan_, nccl.cliques, run_.copies); !many.empty())
      return wrong(many);
    std::vector<ncclUniqueId> ids(nccl.cliques.cliques.size());
    Calls calls;
    if (settings.launch.rank == 0)
      for (ncclUniqueId &id : ids)
        calls(ncclGetUniqueId(&id), "ncclGetUniqueId");
    if (!calls.wrong().empty())
      return wrong(calls.wrong());
    const std::size_t bytes = ids.size() * sizeof(ncclUniqueId);
    std::vector<char> payload(bytes);
    if (bytes > 0)
      std::memcpy(payload.data(), ids.data(), bytes);
    const Result<std::vector<char>> shared = shareFromFirst(*group_, greeting, payload);
    if (!shared)
      return shared.error();
    if (shared->size() != bytes)
      return wrong("rank 0 has another number of communicators");
    if (bytes > 0)
      std::memcpy(ids.data(), shared->data(), bytes);
    return NcclExecutor::make(plan_, run_, std::move(nccl), data_, ranks, ids,
                              {settings.patience, settings.reduceScatter, [group = group_] { return group->lost(); }},
                              abandoned_);
  }

  CudaRank *find(StageId stage, std::int32_t copy) {
    const RankId rank = plan_.program->stages[static_cast<std::size_t>(stage.value())].rank;
    for (const auto &each : ranks_)
      if (each->seat().copy == copy && each->seat().rank == rank.value())
        return each.get();
    return nullptr;
  }

  const Plan plan_;
  const RunPlan &run_;
  const DataSource &data_;
  std::unique_ptr<ProcessGroup> ownGroup_;
  ProcessGroup *group_ = nullptr; // of one process or more
  std::vector<std::unique_ptr<CudaRank>> ranks_;
  std::unique_ptr<Executor> executor_;
  bool wentWell_ = false;
  bool abandoned_ = false; // threads that making the executor left behind still use the ranks
  std::string lost_;
  std::vector<Span> spans_;
  std::vector<std::uint64_t> reserved_; // by rank, of the first copy
};

} // namespace

Result<std::int32_t> countDevices() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess)
    return wrong(std::string("no CUDA device: ") + cudaGetErrorString(result));
  if (count == 0)
    return wrong("no CUDA device: the driver finds none");
  return count;
}

Result<std::unique_ptr<Backend>> makeCudaBackend(const Program &program, const model::Options &options,
                                                 const RunPlan &run, const DataSource &data,
                                                 const CudaSettings &settings) {
  std::string cannot;
  const model::Options own = optionsOnDevices(options);
  Plan plan = makePlan(program, own, cannot);
  takeRoomAway(plan);
  if (cannot.empty())
    cannot = whyNotShared(run);
  if (!cannot.empty())
    return Diagnostic{program.name, 0, 0, cannot};
  auto backend = std::make_unique<CudaBackend>(std::move(plan), run, data);
  if (Result<bool> opened = backend->open(settings, greetingOf(program, run, own, settings)); !opened)
    return opened.error();
  return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace plumbline::runtime::cuda
