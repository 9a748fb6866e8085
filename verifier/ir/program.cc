#include "verifier/ir/program.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <tuple>

namespace plumbline {
namespace {

constexpr std::array<const char *, valueKindCount> valueKindNames = {
    "input", "output", "output_gradient", "input_gradient", "stash", "labels", "loss", "other"};
constexpr std::array<const char *, elementTypeCount> elementTypeNames = {"unknown", "f64", "f32", "f16", "bf16", "f8",
                                                                         "i64",     "i32", "i16", "i8",  "bool"};
constexpr std::array<int, elementTypeCount> elementTypeBytes = {0, 8, 4, 2, 2, 1, 8, 4, 2, 1, 1};

template <typename T> llvm::ArrayRef<T> slice(const std::vector<T> &all, IndexRange range) {
  return llvm::ArrayRef<T>(all).slice(range.first, range.count);
}

// Where an instruction came from, in a form that does not depend on file numbering.
std::tuple<llvm::StringRef, std::uint32_t, std::uint32_t> sourceOf(const Program &p, const Instruction &i) {
  const SourceLocation &l = i.origin.valid() ? i.origin : i.location;
  if (!l.valid())
    return {"", 0, 0};
  return {p.files[static_cast<std::size_t>(l.file.value())], l.line, l.column};
}

// A Program that was made and not read has no places until it is printed and read back.
bool sameSource(const Program &a, const Instruction &x, const Program &b, const Instruction &y) {
  const auto known = [](const Instruction &i) { return i.origin.valid() || i.location.valid(); };
  return !known(x) || !known(y) || sourceOf(a, x) == sourceOf(b, y);
}

bool sameInstruction(const Program &a, const Instruction &x, const Program &b, const Instruction &y) {
  const bool fields = x.opcode == y.opcode && x.elementType == y.elementType && x.rank == y.rank &&
                      x.stage == y.stage && x.microbatch == y.microbatch && x.peer == y.peer &&
                      x.communicator == y.communicator && x.group == y.group && x.bytes == y.bytes;
  if (!fields || x.label.valid() != y.label.valid())
    return false;
  if (x.label.valid() &&
      a.labels[static_cast<std::size_t>(x.label.value())] != b.labels[static_cast<std::size_t>(y.label.value())])
    return false;
  return a.accessesOf(x) == b.accessesOf(y) && a.waitsOf(x) == b.waitsOf(y) && sameSource(a, x, b, y);
}

bool samePool(const Pool &x, const Pool &y) {
  return x.name == y.name && x.rank == y.rank && x.declared == y.declared && x.declaration == y.declaration;
}

bool sameCommunicator(const Communicator &x, const Communicator &y) {
  return x.name == y.name && x.members == y.members && x.room == y.room;
}

std::string validateInstruction(const Program &p, std::size_t index, const RankProgram &rank, RankId rankId) {
  const Instruction &i = p.instructions[index];
  const std::string at = "instruction " + std::to_string(index) + ": ";
  const auto inside = [](auto id, std::size_t size) {
    return id.value() >= -1 && id.value() < static_cast<std::int64_t>(size);
  };
  if (i.rank != rankId)
    return at + "rank differs from the rank it stands in";
  if (!inside(i.stage, p.stages.size()) || !inside(i.peer, p.ranks.size()) ||
      !inside(i.communicator, p.communicators.size()) || !inside(i.label, p.labels.size()) ||
      i.group.value() >= p.groupCount)
    return at + "an identifier is out of range";
  if ((isPointToPoint(i.opcode) || i.opcode == Opcode::broadcast) && (!i.peer.valid() || !i.communicator.valid()))
    return at + "communication without peer or communicator";
  if (std::uint64_t(i.accesses.first) + i.accesses.count > p.accesses.size() ||
      std::uint64_t(i.waits.first) + i.waits.count > p.waits.size())
    return at + "a range is out of bounds";
  for (const SlotAccess &a : p.accessesOf(i))
    if (!a.pool.valid() || !inside(a.pool, p.pools.size()) || a.slot < 0 ||
        p.pools[static_cast<std::size_t>(a.pool.value())].rank != i.rank)
      return at + "a slot is not one of its rank";
  for (const InstructionId w : p.waitsOf(i))
    if (!w.valid() || static_cast<std::size_t>(w.value()) >= index ||
        static_cast<std::size_t>(w.value()) < rank.instructions.first)
      return at + "waits on something not issued before it on its rank";
  for (const InstructionId w : p.waitsOf(i))
    if (i.group.valid() && p.at(w).group == i.group)
      return at + "waits on a member of its own group, which begins together with it";
  return "";
}

// Ranks and files that the Program's tables speak of.
std::string validateTables(const Program &p) {
  const auto isRank = [&](RankId rank) { return rank.valid() && rank.value() < p.rankCount(); };
  if (!llvm::all_of(p.pools, [&](const Pool &pool) { return isRank(pool.rank); }))
    return "a pool is on no rank";
  if (!llvm::all_of(p.communicators, [&](const Communicator &c) { return llvm::all_of(c.members, isRank); }))
    return "a communicator has a member that is no rank";
  if (!llvm::all_of(p.stages, [&](const Stage &stage) { return !stage.rank.valid() || isRank(stage.rank); }))
    return "a stage is on a rank that does not exist";
  const auto files = static_cast<std::int64_t>(p.files.size());
  const auto isFile = [&](const SourceLocation &l) { return l.file.value() < files; };
  if (!llvm::all_of(p.instructions, [&](const Instruction &i) { return isFile(i.location) && isFile(i.origin); }))
    return "an instruction comes from a file that is not listed";
  return "";
}

} // namespace

llvm::StringRef name(ValueKind kind) { return valueKindNames.at(static_cast<std::size_t>(kind)); }
llvm::StringRef name(ElementType type) { return elementTypeNames.at(static_cast<std::size_t>(type)); }
int bytesOf(ElementType type) { return elementTypeBytes.at(static_cast<std::size_t>(type)); }
llvm::StringRef name(Mode mode) {
  return mode == Mode::training ? "training" : mode == Mode::inference ? "inference" : "fragment";
}
llvm::StringRef name(Execution execution) { return execution == Execution::blocking ? "blocking" : "streams"; }

llvm::ArrayRef<Instruction> Program::instructionsOf(RankId rank) const {
  return slice(instructions, ranks[static_cast<std::size_t>(rank.value())].instructions);
}
llvm::ArrayRef<SlotAccess> Program::accessesOf(const Instruction &i) const { return slice(accesses, i.accesses); }
llvm::ArrayRef<InstructionId> Program::waitsOf(const Instruction &i) const { return slice(waits, i.waits); }

bool identical(const Program &a, const Program &b) {
  const bool header = a.name == b.name && a.mode == b.mode && a.execution == b.execution &&
                      a.waitsForGroups == b.waitsForGroups && a.stagesPerReplica == b.stagesPerReplica &&
                      a.replicas == b.replicas && a.microbatches == b.microbatches && a.groupCount == b.groupCount &&
                      a.ranks.size() == b.ranks.size() && a.instructions.size() == b.instructions.size();
  if (!header || !llvm::equal(a.pools, b.pools, samePool) ||
      !llvm::equal(a.communicators, b.communicators, sameCommunicator) ||
      !llvm::equal(a.stages, b.stages, [](const Stage &x, const Stage &y) { return x.rank == y.rank; }) ||
      !llvm::equal(a.ranks, b.ranks,
                   [](const RankProgram &x, const RankProgram &y) { return x.instructions == y.instructions; }))
    return false;
  for (std::size_t i = 0; i < a.instructions.size(); ++i)
    if (!sameInstruction(a, a.instructions[i], b, b.instructions[i]))
      return false;
  return true;
}

std::string validate(const Program &p) {
  if (p.stagesPerReplica < 0 || p.replicas < 1 ||
      p.stages.size() != static_cast<std::size_t>(p.stagesPerReplica) * static_cast<std::size_t>(p.replicas))
    return "the number of stages does not fit the number of replicas";
  if (std::string wrong = validateTables(p); !wrong.empty())
    return wrong;
  std::uint64_t next = 0;
  llvm::DenseSet<std::int32_t> closedGroups;
  for (const auto &[r, rank] : llvm::enumerate(p.ranks)) {
    if (rank.instructions.first != next)
      return "ranks do not partition the instructions";
    next += rank.instructions.count;
    if (next > p.instructions.size())
      return "a rank reaches past the instructions";
    GroupId open;
    for (std::size_t k = rank.instructions.first; k < next; ++k) {
      if (std::string wrong = validateInstruction(p, k, rank, RankId(static_cast<std::int32_t>(r))); !wrong.empty())
        return wrong;
      const GroupId group = p.instructions[k].group;
      if (group != open && open.valid())
        closedGroups.insert(open.value());
      if (group.valid() && closedGroups.contains(group.value()))
        return "members of a group do not stand together";
      open = group;
    }
    if (open.valid())
      closedGroups.insert(open.value());
  }
  return next == p.instructions.size() ? "" : "ranks do not partition the instructions";
}

} // namespace plumbline
