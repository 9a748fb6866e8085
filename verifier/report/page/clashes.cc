#include "verifier/report/page/clashes.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace plumbline::report {
namespace {

using check::Timeline;

class Clashes {
public:
  Clashes(const Program &program, const Timeline &timeline, PoolId pool)
      : program_(program), timeline_(timeline), pool_(pool) {}

  void add(const check::Finding &finding) {
    for (const SlotAccess &access : program_.accessesOf(program_.at(finding.instruction)))
      if (access.pool == pool_ && llvm::all_of(finding.related, [&](const check::Related &related) {
            return related.instruction.valid() && touches(related.instruction, access.slot);
          })) {
        addWritten(finding.instruction, access.slot);
        for (const check::Related &related : finding.related)
          addWritten(related.instruction, access.slot);
      }
  }

  std::vector<std::uint32_t> take() {
    llvm::sort(found_);
    found_.erase(llvm::unique(found_), found_.end());
    return std::move(found_);
  }

private:
  [[nodiscard]] bool touches(InstructionId instruction, std::int32_t slot) const {
    return llvm::any_of(program_.accessesOf(program_.at(instruction)),
                        [&](const SlotAccess &access) { return access.pool == pool_ && access.slot == slot; });
  }

  [[nodiscard]] bool writes(InstructionId instruction, std::int32_t slot) const {
    return llvm::any_of(program_.accessesOf(program_.at(instruction)), [&](const SlotAccess &access) {
      return access.pool == pool_ && access.slot == slot && access.mode == AccessMode::write;
    });
  }

  [[nodiscard]] std::int64_t beginOf(InstructionId i) const {
    return timeline_.begin[static_cast<std::size_t>(i.value())];
  }

  // The life that the instruction begins; of one that works in place, the last that has begun by then.
  void addWritten(InstructionId writer, std::int32_t slot) {
    if (!writes(writer, slot))
      return;
    const llvm::ArrayRef<Timeline::Life> lives = timeline_.lives;
    const auto end = llvm::partition_point(lives, [&](const Timeline::Life &life) {
      return std::make_tuple(life.pool, life.slot, beginOf(life.birth)) <=
             std::make_tuple(pool_, slot, beginOf(writer));
    });
    const auto inSlot = [&](const Timeline::Life *life) {
      return life != lives.begin() && life[-1].pool == pool_ && life[-1].slot == slot;
    };
    for (const Timeline::Life *life = end; inSlot(life) && beginOf(life[-1].birth) == beginOf(writer); --life)
      if (life[-1].birth == writer) {
        found_.push_back(static_cast<std::uint32_t>(life - 1 - lives.begin()));
        return;
      }
    if (inSlot(end))
      found_.push_back(static_cast<std::uint32_t>(end - 1 - lives.begin()));
  }

  const Program &program_;
  const Timeline &timeline_;
  PoolId pool_;
  std::vector<std::uint32_t> found_;
};

bool speaksOfValues(check::RuleId rule) {
  return rule == check::RuleId::overwritten || rule == check::RuleId::read_before_written ||
         rule == check::RuleId::written_twice;
}

} // namespace

std::vector<std::uint32_t> clashingLives(const Program &program, const Timeline &timeline,
                                         const check::Finding &finding) {
  if (!speaksOfValues(finding.rule) || !finding.pool.valid() || !finding.instruction.valid())
    return {};
  Clashes clashes(program, timeline, finding.pool);
  clashes.add(finding);
  return clashes.take();
}

} // namespace plumbline::report
