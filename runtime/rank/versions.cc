#include "runtime/rank/versions.h"

#include "verifier/ir/words.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::runtime {
namespace {

bool isPass(Opcode opcode) { return opcode == Opcode::forward || opcode == Opcode::recompute || isBackward(opcode); }

// A new version within the step; without a microbatch it is the rank's optimizer, at its end.
bool updates(const Instruction &i) { return i.opcode == Opcode::optimizer_step && i.microbatch.valid(); }

bool finishesGradient(Opcode opcode) { return opcode == Opcode::backward || opcode == Opcode::backward_weight; }

// One version: from its making to its last use.
struct Version {
  std::uint32_t made = 0;    // instruction, meaningless of the first
  std::uint32_t lastUse = 0; // instruction
  std::int32_t from = -1;    // version that it was made from
  std::int32_t buffer = 0;
};

// The versions of one stage in the order of its rank: who uses which, and then where each lies.
class StageVersions {
public:
  StageVersions() { versions_.push_back({}); }

  // Empty, or what is wrong.
  std::string follow(const Instruction &i, std::uint32_t index) {
    const auto newest = static_cast<std::int32_t>(versions_.size()) - 1;
    if (isPass(i.opcode)) {
      use(current_, index);
    } else if (i.opcode == Opcode::stash_weights) {
      kept_[i.microbatch.value()] = newest;
    } else if (i.opcode == Opcode::pick_weights) {
      const auto kept = kept_.find(i.microbatch.value());
      if (kept == kept_.end())
        return "picks weights that were not kept for that microbatch";
      use(kept->second, index);
      current_ = kept->second;
    } else if (updates(i)) {
      use(newest, index);
      versions_.push_back({index, index, newest, 0});
    }
    return "";
  }

  Versions place(std::vector<VersionUse> &uses) {
    versions_.back().lastUse = UINT32_MAX; // the next step begins with it
    std::vector<std::uint32_t> busyUntil{versions_.front().lastUse};
    for (Version &version : llvm::drop_begin(versions_)) {
      // A version may take the place of the one it is made from, if nothing else still needs that.
      auto free = llvm::find_if(busyUntil, [&](std::uint32_t last) { return last <= version.made; });
      if (free == busyUntil.end())
        free = busyUntil.insert(free, 0);
      *free = version.lastUse;
      version.buffer = static_cast<std::int32_t>(free - busyUntil.begin());
      uses[version.made] = {versions_[static_cast<std::size_t>(version.from)].buffer, version.buffer};
    }
    for (const auto &[index, version] : passes_)
      uses[index].from = versions_[static_cast<std::size_t>(version)].buffer;
    return {static_cast<std::int32_t>(busyUntil.size()), versions_.back().buffer,
            static_cast<std::int32_t>(versions_.size()) - 1};
  }

  void usePass(std::uint32_t index) { passes_.emplace_back(index, current_); }

private:
  void use(std::int32_t version, std::uint32_t index) {
    versions_[static_cast<std::size_t>(version)].lastUse =
        std::max(versions_[static_cast<std::size_t>(version)].lastUse, index);
  }

  std::vector<Version> versions_;
  std::int32_t current_ = 0;
  llvm::DenseMap<std::int32_t, std::int32_t> kept_;            // by microbatch: version
  std::vector<std::pair<std::uint32_t, std::int32_t>> passes_; // instruction and version
};

// Which microbatches share an update: those whose gradients are finished between two updates of the stage.
class Sharers {
public:
  explicit Sharers(const Program &program)
      : microbatches_(program.microbatches), open_(program.stages.size()),
        counts_(program.stages.size() * static_cast<std::size_t>(program.microbatches), 0) {}

  void follow(const Instruction &i) {
    std::vector<std::int32_t> &open = open_[static_cast<std::size_t>(i.stage.value())];
    if (finishesGradient(i.opcode) && i.microbatch.valid())
      open.push_back(i.microbatch.value());
    if (!updates(i))
      return;
    for (const std::int32_t m : open)
      counts_[static_cast<std::size_t>(i.stage.value()) * static_cast<std::size_t>(microbatches_) +
              static_cast<std::size_t>(m)] = static_cast<std::int32_t>(open.size());
    open.clear();
  }

  std::vector<std::int32_t> take() { return std::move(counts_); }

private:
  std::int32_t microbatches_;
  std::vector<std::vector<std::int32_t>> open_; // by stage: not updated yet
  std::vector<std::int32_t> counts_;
};

} // namespace

Result<VersionPlan> planVersions(const Program &program) {
  VersionPlan plan;
  plan.uses.resize(program.instructions.size());
  std::vector<StageVersions> stages(program.stages.size());
  Sharers sharers(program);
  for (std::uint32_t index = 0; index < program.instructions.size(); ++index) {
    const Instruction &i = program.instructions[index];
    if (!i.stage.valid())
      continue;
    StageVersions &versions = stages[static_cast<std::size_t>(i.stage.value())];
    if (std::string wrong = versions.follow(i, index); !wrong.empty())
      return Diagnostic{program.name, i.location.line, i.location.column,
                        fullNameOf(program, InstructionId(static_cast<std::int32_t>(index))) + " " + wrong};
    if (isPass(i.opcode))
      versions.usePass(index);
    sharers.follow(i);
  }
  for (StageVersions &versions : stages)
    plan.stages.push_back(versions.place(plan.uses));
  plan.sharers = sharers.take();
  return plan;
}

} // namespace plumbline::runtime
