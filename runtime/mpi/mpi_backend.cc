#include "runtime/mpi/mpi_backend.h"

#include "runtime/backend/batch.h"
#include "runtime/backend/parts.h"
#include "runtime/mpi/rank_process.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <limits>

namespace plumbline::runtime::mpi {
namespace {

class MpiBackend : public Backend {
public:
  MpiBackend(Plan plan, const RunPlan &run, const DataSource &data) : plan_(std::move(plan)), run_(run), data_(data) {}

  std::string open(bool check) {
    const Program &program = *plan_.program;
    if (std::string wrong = Communicators::open(program, run_.copies, communicators_); !wrong.empty())
      return wrong;
    Result<std::unique_ptr<RankWork>> work = RankWork::make(run_, RankId(self().rank), device_, nullptr);
    std::string wrong = work ? "" : work.error().file + ": " + work.error().message;
    if (anyone(!wrong.empty()))
      return wrong.empty() ? "another rank could not be set up" : wrong;
    work_ = std::move(*work);
    process_ = std::make_unique<RankProcess>(plan_, run_, *work_, communicators_, check);
    spans_.resize(program.instructions.size());
    peaks_.assign(program.pools.size(), -1);
    reserved_.assign(program.ranks.size(), 0);
    return "";
  }

  StepResult step(const StepRequest &request) override {
    fillBatch(run_, *work_, data_, request.step, self().copy);
    MPI_Barrier(communicators_.everyone()); // so that the ranks' clocks start together
    StepResult result = process_->run(request.learningRate);
    if (result.end != End::finished)
      return result;
    result.loss = meanLoss();
    addGradients();
    if (std::string wrong = work_->finish(request.learningRate, request.update); !wrong.empty()) {
      result.end = End::failed;
      result.failure.message = wrong;
    }
    return result;
  }

  void stop() override { process_->stop(); }

  std::vector<StageId> stages() override {
    std::vector<StageId> all;
    for (const auto &[stage, state] : work_->stages())
      all.push_back(stage);
    return all;
  }

  std::vector<char> read(StageId stage, Part part) override { return readPart(*work_, stage, part); }
  void write(StageId stage, Part part, llvm::ArrayRef<char> bytes) override { writePart(*work_, stage, part, bytes); }
  std::int64_t updates(StageId stage) override { return work_->stages().at(stage).updates; }
  void setUpdates(StageId stage, std::int64_t updates) override { work_->stages().at(stage).updates = updates; }

  llvm::ArrayRef<Span> spans() override { return spans_; }
  std::int32_t peakSlots(PoolId pool) override { return peaks_[static_cast<std::size_t>(pool.value())]; }
  std::uint64_t reservedBytes(RankId rank) override { return reserved_[static_cast<std::size_t>(rank.value())]; }

  bool anyone(bool says) override {
    int own = says ? 1 : 0, all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_LOR, communicators_.everyone());
    return all != 0;
  }
  [[nodiscard]] bool speaks() const override { return self().process == 0; }
  [[nodiscard]] bool isFirstCopy() const override { return self().copy == 0; }

  // Of the first copy: every process has its own part, and -1 or 0 for the others.
  void gather() override {
    const Program &program = *plan_.program;
    const auto rank = static_cast<std::size_t>(self().rank);
    const bool counts = self().copy == 0;
    std::fill(spans_.begin(), spans_.end(), Span());
    const IndexRange own = program.ranks[rank].instructions;
    const std::vector<Span> &mine = process_->watch().spans();
    if (counts)
      std::copy_n(mine.begin() + own.first, own.count, spans_.begin() + own.first);
    for (std::size_t p = 0; p < program.pools.size(); ++p)
      peaks_[p] = counts && program.pools[p].rank.value() == self().rank
                      ? process_->watch().ledger().peak(PoolId(static_cast<std::int32_t>(p)))
                      : -1;
    reserved_.assign(program.ranks.size(), 0);
    reserved_[rank] = counts ? work_->reservedBytes() : 0;
    static_assert(sizeof(Span) == 2 * sizeof(std::int64_t));
    maximum(reinterpret_cast<std::int64_t *>(spans_.data()), 2 * spans_.size(), MPI_INT64_T);
    maximum(peaks_.data(), peaks_.size(), MPI_INT32_T);
    maximum(reserved_.data(), reserved_.size(), MPI_UINT64_T);
  }

private:
  [[nodiscard]] const Self &self() const { return communicators_.self(); }

  template <typename Number> void maximum(Number *numbers, std::size_t count, MPI_Datatype type) {
    MPI_Allreduce(MPI_IN_PLACE, numbers, static_cast<int>(count), type, MPI_MAX, communicators_.everyone());
  }

  // The same sum as on the host: replica by replica of copy after copy.
  float meanLoss() {
    const Program &program = *plan_.program;
    std::vector<double> own(static_cast<std::size_t>(program.replicas), 0), all;
    for (std::int32_t replica = 0; replica < program.replicas; ++replica) {
      const std::int32_t last = (replica + 1) * program.stagesPerReplica - 1;
      if (program.stages[static_cast<std::size_t>(last)].rank == work_->rank())
        own[static_cast<std::size_t>(replica)] = sumOfLosses(run_, *work_, replica);
    }
    all.resize(own.size() * static_cast<std::size_t>(self().processes));
    MPI_Allgather(own.data(), program.replicas, MPI_DOUBLE, all.data(), program.replicas, MPI_DOUBLE,
                  communicators_.everyone());
    double sum = 0;
    const std::size_t ranks = program.ranks.size();
    for (std::size_t copy = 0; copy < all.size() / (ranks * own.size()); ++copy)
      for (std::size_t replica = 0; replica < own.size(); ++replica)
        for (std::size_t rank = 0; rank < ranks; ++rank) // all but one are 0
          sum += all[(copy * ranks + rank) * own.size() + replica];
    return static_cast<float>(sum /
                              static_cast<double>(std::int64_t(program.microbatches) * program.replicas * run_.copies));
  }

  // The processes that have a stage with the weights of this position, in the order of the host's sum.
  struct Holder {
    std::int32_t process;
    StageId stage;
  };
  [[nodiscard]] std::vector<Holder> holdersOf(std::int32_t position) const {
    const Program &program = *plan_.program;
    std::vector<Holder> holders;
    for (std::int32_t copy = 0; copy < run_.copies; ++copy)
      for (std::int32_t replica = 0; replica < program.replicas; ++replica) {
        const StageId stage(replica * program.stagesPerReplica + position);
        if (const RankId rank = program.stages[static_cast<std::size_t>(stage.value())].rank; rank.valid())
          holders.push_back({copy * program.rankCount() + rank.value(), stage});
      }
    return holders;
  }

  // The first holder adds the others' gradients to its own, one after another, and all get the sum. Positions are gone
  // through in one order by all processes, so nobody waits in a circle.
  void addGradients() {
    const Program &program = *plan_.program;
    if (program.mode != Mode::training || program.replicas * run_.copies == 1)
      return;
    for (std::int32_t position = 0; position < program.stagesPerReplica; ++position) {
      const std::vector<Holder> holders = holdersOf(position);
      const Holder &first = holders.front();
      for (const Holder &other : llvm::drop_begin(holders))
        addOne(first, other);
      for (const Holder &other : llvm::drop_begin(holders))
        move(first, other);
    }
  }

  [[nodiscard]] DeviceMemory &gradientsOf(const Holder &holder) const {
    return work_->stages().at(holder.stage).gradients;
  }

  void addOne(const Holder &to, const Holder &from) {
    const bool here = from.process == self().process;
    if (to.process != self().process) {
      if (here)
        send(gradientsOf(from), to.process);
      return;
    }
    const DeviceMemory &sum = gradientsOf(to);
    const float *terms = static_cast<const float *>(here ? gradientsOf(from).data() : nullptr);
    if (!here) {
      received_.resize(sum.bytes() / sizeof(float));
      receive(received_.data(), sum.bytes(), from.process);
      terms = received_.data();
    }
    for (std::size_t k = 0; k < sum.bytes() / sizeof(float); ++k)
      static_cast<float *>(sum.data())[k] += terms[k];
  }

  void move(const Holder &from, const Holder &to) {
    const bool fromHere = from.process == self().process, toHere = to.process == self().process;
    if (fromHere && toHere)
      std::memcpy(gradientsOf(to).data(), gradientsOf(from).data(), gradientsOf(from).bytes());
    else if (fromHere)
      send(gradientsOf(from), to.process);
    else if (toHere)
      receive(gradientsOf(to).data(), gradientsOf(to).bytes(), from.process);
  }

  void send(const DeviceMemory &memory, std::int32_t process) {
    MPI_Send(memory.data(), static_cast<int>(memory.bytes()), MPI_BYTE, process, 0, communicators_.everyone());
  }
  void receive(void *data, std::uint64_t bytes, std::int32_t process) {
    MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, process, 0, communicators_.everyone(), MPI_STATUS_IGNORE);
  }

  const Plan plan_;
  const RunPlan &run_;
  const DataSource &data_;
  HostDevice device_;
  Communicators communicators_;
  std::unique_ptr<RankWork> work_;
  std::unique_ptr<RankProcess> process_;
  std::vector<float> received_;
  std::vector<Span> spans_;
  std::vector<std::int32_t> peaks_;
  std::vector<std::uint64_t> reserved_;
};

// MPI counts in int.
bool fitsMpi(const Program &program, const RunPlan &run) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  return llvm::all_of(run.binding.messages, [](const BoundMessage &m) { return m.bytes <= most; }) &&
         2 * program.instructions.size() <= most;
}

} // namespace

std::string whyNotOverMpi(const model::Options &o) {
  const std::string why = "the mpi backend ";
  if (o.room > 0 || o.roomBytes >= 0)
    return why + "sends synchronously: a send ends when its receive has begun. Verify the program without --room and "
                 "--room-bytes";
  if (o.grouping == model::Grouping::atomic)
    return why + "lets members of a launch move independently. Verify the program with --group given or none";
  if (o.connect == model::Connect::firstUse)
    return why + "is connected before the first step. Verify the program with --connect ready";
  return "";
}

Result<std::unique_ptr<Backend>> makeMpiBackend(const Program &program, const model::Options &options,
                                                const RunPlan &run, const DataSource &data, bool check) {
  std::string wrong = whyNotOverMpi(options);
  Plan plan = makePlan(program, options, wrong);
  const bool hasRoom = llvm::any_of(plan.channels, [](const Channel &channel) { return channel.buffered; });
  if (wrong.empty() && hasRoom)
    wrong = "has communicators with room, and the mpi backend sends synchronously";
  if (wrong.empty())
    wrong = whyNotShared(run);
  if (wrong.empty() && !fitsMpi(program, run))
    wrong = "has messages of more than 2 GiB, which MPI cannot count";
  if (!wrong.empty())
    return Diagnostic{program.name, 0, 0, wrong};
  auto backend = std::make_unique<MpiBackend>(std::move(plan), run, data);
  if (std::string problem = backend->open(check); !problem.empty())
    return Diagnostic{program.name, 0, 0, problem};
  return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace plumbline::runtime::mpi
