#include "verifier/ir/pir_print.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace plumbline {
namespace {

bool isPlainName(llvm::StringRef text) {
  const auto starts = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  const auto continues = [&](char c) { return starts(c) || llvm::isDigit(c) || c == '.' || c == '-'; };
  return !text.empty() && starts(text.front()) && llvm::all_of(text, continues);
}

void printString(llvm::StringRef text, llvm::raw_ostream &out) {
  out << '"';
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out << '\\' << c;
    else if (c == '\n')
      out << "\\n";
    else if (c == '\t')
      out << "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      out << "\\x" << llvm::hexdigit(byte >> 4) << llvm::hexdigit(byte & 15);
    else
      out << c;
  }
  out << '"';
}

void printName(llvm::StringRef text, llvm::raw_ostream &out) {
  if (isPlainName(text))
    out << text;
  else
    printString(text, out);
}

const SourceLocation &sourceOf(const Instruction &i) { return i.origin.valid() ? i.origin : i.location; }

class Printer {
public:
  Printer(const Program &program, llvm::raw_ostream &out) : p_(program), out_(out) {}

  void run() {
    printHeader();
    numberFiles();
    printCommunicators();
    printPlacement();
    if (!poolsByRank_)
      for (const Pool &pool : p_.pools)
        printPool(pool);
    countPools();
    for (std::int32_t rank = 0; rank < p_.rankCount(); ++rank)
      printRank(RankId(rank));
  }

private:
  void printHeader() {
    out_ << "plumbline ir 1\nname ";
    printString(p_.name, out_);
    out_ << "\nmode " << name(p_.mode) << "\nexecution " << name(p_.execution) << '\n';
    if (p_.waitsForGroups)
      out_ << "waits_for_groups\n";
    if (p_.replicas != 1)
      out_ << "replicas " << p_.replicas << '\n';
    out_ << "stages " << p_.stagesPerReplica << "\nmicrobatches " << p_.microbatches << '\n';
    if (p_.groupCount != impliedGroups())
      out_ << "groups " << p_.groupCount << '\n';
  }

  [[nodiscard]] std::int32_t impliedGroups() const {
    std::int32_t highest = -1;
    for (const Instruction &i : p_.instructions)
      highest = std::max(highest, i.group.value());
    return highest + 1;
  }

  // Files that no instruction came from are left out, so that printing what was parsed adds none.
  void numberFiles() {
    std::int32_t last = -1;
    for (const Instruction &i : p_.instructions) {
      const std::int32_t file = sourceOf(i).file.value();
      if (file < 0 || file == last)
        continue;
      last = file;
      const auto [entry, isNew] = fileNumbers_.try_emplace(file, static_cast<int>(fileNumbers_.size()));
      if (!isNew)
        continue;
      out_ << "file " << entry->second << ' ';
      printString(p_.files[static_cast<std::size_t>(file)], out_);
      out_ << '\n';
    }
  }

  void printCommunicators() {
    for (const Communicator &communicator : p_.communicators) {
      ++communicatorNames_[communicator.name];
      out_ << "communicator ";
      printName(communicator.name, out_);
      if (!communicator.members.empty())
        out_ << " members";
      for (const RankId member : communicator.members)
        out_ << ' ' << member.value();
      if (communicator.room >= 0)
        out_ << " room " << communicator.room;
      out_ << '\n';
    }
  }

  void printPlacement() {
    for (const auto &[stage, placed] : llvm::enumerate(p_.stages)) {
      out_ << "stage " << stage << " on ";
      if (placed.rank.valid())
        out_ << "rank " << placed.rank.value() << '\n';
      else
        out_ << "no rank\n";
    }
  }

  void printPool(const Pool &pool) {
    out_ << (poolsByRank_ ? "  pool " : "pool ");
    printName(pool.name, out_);
    if (!poolsByRank_)
      out_ << " on rank " << pool.rank.value();
    if (pool.declared >= 0)
      out_ << " declared " << pool.declared;
    if (pool.declaration >= 0)
      out_ << " declaration " << pool.declaration;
    out_ << '\n';
  }

  void countPools() {
    llvm::StringMap<int> onRank;
    ambiguous_.resize(p_.pools.size());
    std::vector<std::pair<RankId, std::size_t>> order;
    for (const auto &[index, pool] : llvm::enumerate(p_.pools))
      order.emplace_back(pool.rank, index);
    llvm::sort(order);
    for (auto first = order.begin(); first != order.end();) {
      const auto last = std::find_if(first, order.end(), [&](const auto &o) { return o.first != first->first; });
      onRank.clear();
      for (auto it = first; it != last; ++it)
        ++onRank[p_.pools[it->second].name];
      for (auto it = first; it != last; ++it)
        ambiguous_[it->second] = onRank.lookup(p_.pools[it->second].name) > 1;
      first = last;
    }
  }

  void printRank(RankId rank) {
    out_ << "\nrank " << rank.value() << " {\n";
    if (poolsByRank_)
      for (; nextPool_ < p_.pools.size() && p_.pools[nextPool_].rank == rank; ++nextPool_)
        printPool(p_.pools[nextPool_]);
    nameWaited(rank);
    GroupId open;
    std::size_t index = p_.ranks[static_cast<std::size_t>(rank.value())].instructions.first;
    for (const Instruction &i : p_.instructionsOf(rank)) {
      if (i.group != open)
        changeGroup(open, i.group);
      open = i.group;
      out_ << (i.group.valid() ? "    " : "  ");
      printInstruction(InstructionId(static_cast<std::int32_t>(index++)), i);
    }
    changeGroup(open, GroupId());
    out_ << "}\n";
  }

  void changeGroup(GroupId from, GroupId to) {
    if (from.valid())
      out_ << "  }\n";
    if (!to.valid())
      return;
    out_ << "  group ";
    if (to.value() != nextGroup_)
      out_ << to.value() << ' ';
    out_ << "{\n";
    nextGroup_ = to.value() + 1;
  }

  // Only what is waited on has a name, made of what the instruction does, so that it stays when others come and go.
  void nameWaited(RankId rank) {
    names_.clear();
    std::vector<InstructionId> waited;
    for (const Instruction &i : p_.instructionsOf(rank))
      llvm::append_range(waited, p_.waitsOf(i));
    llvm::sort(waited);
    waited.erase(std::unique(waited.begin(), waited.end()), waited.end());
    llvm::StringMap<int> used;
    for (const InstructionId id : waited) {
      const Instruction &i = p_.at(id);
      std::string text = name(i.opcode).str();
      if (i.stage.valid())
        text += ".s" + std::to_string(i.stage.value());
      if (i.microbatch.valid())
        text += ".m" + std::to_string(i.microbatch.value());
      if (const int before = used[text]++; before > 0)
        text += "." + std::to_string(before + 1);
      names_[id.value()] = std::move(text);
    }
  }

  void printInstruction(InstructionId id, const Instruction &i) {
    if (const auto named = names_.find(id.value()); named != names_.end())
      out_ << '%' << named->second << " = ";
    out_ << name(i.opcode);
    if (i.stage.valid())
      out_ << " s" << i.stage.value();
    if (i.microbatch.valid())
      out_ << " m" << i.microbatch.value();
    if (i.peer.valid())
      out_ << peerWord(i.opcode) << i.peer.value();
    if (i.communicator.valid())
      printCommunicatorOf(i);
    if (i.label.valid()) {
      out_ << " label ";
      printString(p_.labels[static_cast<std::size_t>(i.label.value())], out_);
    }
    if (i.bytes != 0)
      out_ << " bytes " << i.bytes;
    if (i.elementType != ElementType::unknown)
      out_ << " type " << name(i.elementType);
    printAccesses(i);
    printWaits(i);
    printSource(sourceOf(i));
    out_ << '\n';
  }

  static const char *peerWord(Opcode opcode) {
    return isSend(opcode) ? " to " : isReceive(opcode) ? " from " : opcode == Opcode::broadcast ? " root " : " peer ";
  }

  void printCommunicatorOf(const Instruction &i) {
    const llvm::StringRef text = p_.communicators[static_cast<std::size_t>(i.communicator.value())].name;
    out_ << " via ";
    printName(text, out_);
    if (communicatorNames_.lookup(text) > 1)
      out_ << '#' << i.communicator.value();
  }

  void printAccesses(const Instruction &i) {
    const SlotAccess *before = nullptr;
    for (const SlotAccess &access : p_.accessesOf(i)) {
      if (before && before->mode == access.mode)
        out_ << ", ";
      else
        out_ << (access.mode == AccessMode::read ? " read " : " write ");
      const std::size_t pool = static_cast<std::size_t>(access.pool.value());
      printName(p_.pools[pool].name, out_);
      if (ambiguous_[pool])
        out_ << '#' << pool;
      out_ << '[' << access.slot << "]:" << name(access.value.kind);
      printOwner(i, access.value);
      before = &access;
    }
  }

  void printOwner(const Instruction &i, const Value &value) {
    if (value.stage == i.stage && value.microbatch == i.microbatch)
      return;
    const auto number = [&](char letter, std::int32_t id) {
      if (id < 0)
        out_ << '-';
      else
        out_ << letter << id;
    };
    out_ << '(';
    number('s', value.stage.value());
    out_ << ',';
    number('m', value.microbatch.value());
    out_ << ')';
  }

  void printWaits(const Instruction &i) {
    const char *separator = " wait ";
    for (const InstructionId wait : p_.waitsOf(i)) {
      out_ << separator << '%' << names_.find(wait.value())->second;
      separator = ", ";
    }
  }

  void printSource(const SourceLocation &source) {
    if (source.valid())
      out_ << " at " << fileNumbers_.lookup(source.file.value()) << ':' << source.line << ':' << source.column;
  }

  const Program &p_;
  llvm::raw_ostream &out_;
  const bool poolsByRank_ = llvm::is_sorted(p_.pools, [](const Pool &x, const Pool &y) { return x.rank < y.rank; });
  llvm::DenseMap<std::int32_t, int> fileNumbers_;
  llvm::StringMap<int> communicatorNames_;
  std::vector<bool> ambiguous_; // by pool: another one of its rank has the same name
  std::size_t nextPool_ = 0;
  std::int32_t nextGroup_ = 0;
  llvm::DenseMap<std::int32_t, std::string> names_; // of instructions of the rank being printed
};

} // namespace

void printPir(const Program &program, llvm::raw_ostream &out) { Printer(program, out).run(); }

std::string toPir(const Program &program) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printPir(program, out);
  return text;
}

} // namespace plumbline
