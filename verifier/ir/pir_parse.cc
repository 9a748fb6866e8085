#include "verifier/ir/pir_parse.h"

#include "verifier/ir/builder.h"
#include "verifier/ir/limits.h"
#include "verifier/ir/pir_lexer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <limits>

namespace plumbline {
namespace {

constexpr std::int32_t highestNumber = static_cast<std::int32_t>(maxNumber) - 1;
constexpr std::int32_t maxInt = std::numeric_limits<std::int32_t>::max();

// A number that can only be judged once the whole text is read, and where it stands.
struct Pending {
  std::int32_t number = -1;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct PlacementLine {
  Pending stage;
  Pending rank; // number -1: on no rank
};

// Which of its parts an instruction already has.
enum Part : unsigned {
  partStage = 1,
  partMicrobatch = 2,
  partPeer = 4,
  partCommunicator = 8,
  partLabel = 16,
  partBytes = 32,
  partType = 64,
  partWait = 128,
  partAt = 256,
};

template <typename Kind> std::optional<Kind> kindFromName(llvm::StringRef text, int count) {
  for (int i = 0; i < count; ++i)
    if (text == name(static_cast<Kind>(i)))
      return static_cast<Kind>(i);
  return std::nullopt;
}

// Ids by name; a name that several things have refers to none of them.
class Names {
public:
  void add(llvm::StringRef name, std::int32_t id) {
    const auto [entry, isNew] = ids_.try_emplace(name, id);
    if (!isNew)
      entry->second = several;
  }
  // The id, `none` or `several`.
  [[nodiscard]] std::int32_t find(llvm::StringRef name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? none : found->second;
  }
  void clear() { ids_.clear(); }

  static constexpr std::int32_t none = -1;
  static constexpr std::int32_t several = -2;

private:
  llvm::StringMap<std::int32_t> ids_;
};

class Parser {
public:
  Parser(const std::string &name, llvm::StringRef text) : name_(name), text_(text), lexer_(name) {
    builder_.program().name = name;
  }

  Result<Program> run() {
    std::uint32_t endColumn = 1;
    lexer_.startLine({"", 1, true});
    LineReader lines(text_);
    while (const std::optional<Line> line = lines.next()) {
      lexer_.startLine(*line);
      endColumn = static_cast<std::uint32_t>(line->text.size()) + 1;
      if (!lexer_.atEnd() && !parseLine())
        return *lexer_.error();
    }
    if (!finish(endColumn))
      return *lexer_.error();
    return std::move(builder_).take();
  }

private:
  enum class Where : std::uint8_t { start, header, rank, group };

  // Everything below returns false after it has told lexer_ what is wrong.
  bool parseLine() {
    switch (where_) {
    case Where::start:
      return parseVersion();
    case Where::header:
      return parseHeaderLine();
    case Where::rank:
      return parseRankLine();
    case Where::group:
      if (lexer_.accept('}')) {
        group_ = GroupId();
        where_ = Where::rank;
        return lexer_.expectEnd();
      }
      return parseInstruction();
    }
    return false;
  }

  bool parseVersion() {
    std::int32_t version = 0;
    const std::uint32_t column = lexer_.column();
    if (lexer_.peekWord() != "plumbline")
      return lexer_.fail("expected 'plumbline ir 1' as the first line");
    if (!lexer_.expectWord("plumbline") || !lexer_.expectWord("ir") || !lexer_.number("a version", maxInt, version))
      return false;
    if (version != 1)
      return lexer_.fail(column, "version " + std::to_string(version) + " of the text form; expected 1");
    where_ = Where::header;
    return lexer_.expectEnd();
  }

  bool parseHeaderLine() {
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef key = lexer_.word();
    if (key == "rank")
      return parseRankStart();
    if (p().rankCount() > 0)
      return lexer_.fail(column, "expected 'rank " + std::to_string(p().rankCount()) + " {', found " + inQuotes(key));
    if (!parseHeaderField(key, column))
      return false;
    return lexer_.expectEnd();
  }

  bool parseHeaderField(llvm::StringRef key, std::uint32_t column) {
    if (key == "name") {
      p().name.clear();
      return lexer_.string(p().name);
    }
    if (key == "mode")
      return choice(p().mode, {Mode::training, Mode::inference, Mode::fragment});
    if (key == "execution")
      return choice(p().execution, {Execution::blocking, Execution::streams});
    if (key == "waits_for_groups")
      return p().waitsForGroups = true;
    if (key == "replicas")
      return lexer_.number("the number of replicas", highestNumber + 1, p().replicas) &&
             (p().replicas > 0 || lexer_.fail(column, "expected at least one replica"));
    if (key == "stages")
      return lexer_.number("the number of stages", highestNumber + 1, stages_);
    if (key == "microbatches")
      return lexer_.number("the number of microbatches", highestNumber + 1, microbatches_);
    if (key == "groups")
      return lexer_.number("the number of groups", static_cast<std::int32_t>(maxInstructions), groups_);
    if (key == "file")
      return parseFile();
    if (key == "communicator")
      return parseCommunicator();
    if (key == "stage")
      return parsePlacement();
    if (key == "pool")
      return parsePool(RankId());
    return lexer_.fail(column, "expected a header word (name, mode, execution, waits_for_groups, replicas, stages, "
                               "microbatches, groups, file, communicator, stage, pool) or 'rank 0 {', found " +
                                   inQuotes(key));
  }

  template <typename Kind> bool choice(Kind &result, llvm::ArrayRef<Kind> kinds) {
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef text = lexer_.word();
    std::string expected;
    for (const Kind kind : kinds) {
      if (text == name(kind)) {
        result = kind;
        return true;
      }
      expected += (expected.empty() ? "" : ", ") + name(kind).str();
    }
    return lexer_.fail(column, "expected one of " + expected + ", found " + inQuotes(text));
  }

  bool parseFile() {
    const std::uint32_t column = lexer_.column();
    std::int32_t number = 0;
    if (!lexer_.number("a file's number", maxInt, number))
      return false;
    if (static_cast<std::size_t>(number) != p().files.size())
      return lexer_.fail(column, "expected file " + std::to_string(p().files.size()) + ": files count from 0");
    return lexer_.string(p().files.emplace_back());
  }

  bool parseCommunicator() {
    Communicator communicator;
    if (!lexer_.name("a communicator's name", communicator.name))
      return false;
    while (!lexer_.atEnd()) {
      const std::uint32_t column = lexer_.column();
      const llvm::StringRef key = lexer_.word();
      if (key == "members" ? !parseMembers(communicator)
          : key == "room"  ? !lexer_.number("a number of messages", maxInt, communicator.room)
                           : !lexer_.fail(column, "expected 'members' or 'room', found " + inQuotes(key)))
        return false;
    }
    communicators_.add(communicator.name, static_cast<std::int32_t>(p().communicators.size()));
    builder_.addCommunicator(std::move(communicator));
    return true;
  }

  bool parseMembers(Communicator &communicator) {
    do {
      Pending rank = pending();
      if (!lexer_.number("a rank", highestNumber, rank.number))
        return false;
      communicator.members.push_back(RankId(rank.number));
      ranksNamed_.push_back(rank);
    } while (llvm::isDigit(lexer_.peek()));
    return true;
  }

  bool parsePlacement() {
    PlacementLine line{pending(), {}};
    if (!lexer_.number("a stage's number", highestNumber, line.stage.number) || !lexer_.expectWord("on"))
      return false;
    if (lexer_.peekWord() == "no") {
      placement_.push_back(line);
      return lexer_.expectWord("no") && lexer_.expectWord("rank");
    }
    if (!lexer_.expectWord("rank"))
      return false;
    line.rank = pending();
    if (!lexer_.number("a rank", highestNumber, line.rank.number))
      return false;
    placement_.push_back(line);
    ranksNamed_.push_back(line.rank);
    return true;
  }

  // In a rank's block `rank` is that rank; in the header the line names it.
  bool parsePool(RankId rank) {
    Pool pool;
    pool.location = {FileId(), lexer_.line(), lexer_.column()}; // finish() knows the file
    if (!lexer_.name("a pool's name", pool.name))
      return false;
    if (!rank.valid()) {
      std::int32_t number = 0;
      if (!lexer_.expectWord("on") || !lexer_.expectWord("rank"))
        return false;
      Pending named = pending();
      if (!lexer_.number("a rank", highestNumber, number))
        return false;
      named.number = number;
      ranksNamed_.push_back(named);
      pool.rank = RankId(number);
    } else {
      pool.rank = rank;
    }
    return parsePoolFields(pool) && addPool(std::move(pool), rank.valid());
  }

  bool parsePoolFields(Pool &pool) {
    while (!lexer_.atEnd()) {
      const std::uint32_t column = lexer_.column();
      const llvm::StringRef key = lexer_.word();
      if (key == "declared"      ? !lexer_.number("a number of slots", highestNumber + 1, pool.declared)
          : key == "declaration" ? !lexer_.number("a declaration's number", maxInt, pool.declaration)
                                 : !lexer_.fail(column, "expected 'declared' or 'declaration', found " + inQuotes(key)))
        return false;
    }
    return true;
  }

  bool addPool(Pool pool, bool ofOpenRank) {
    const std::int32_t id = static_cast<std::int32_t>(p().pools.size());
    if (ofOpenRank)
      pools_.add(pool.name, id);
    else
      headerPools_[pool.rank.value()].push_back(id);
    builder_.addPool(std::move(pool));
    return true;
  }

  bool parseRankStart() {
    const std::uint32_t column = lexer_.column();
    std::int32_t number = 0;
    if (!lexer_.number("a rank's number", highestNumber, number))
      return false;
    if (number != p().rankCount())
      return lexer_.fail(column, "expected rank " + std::to_string(p().rankCount()) +
                                     ": ranks stand in order and count from 0");
    rank_ = builder_.beginRank();
    where_ = Where::rank;
    pools_.clear();
    named_.clear();
    for (const std::int32_t id : headerPools_.lookup(number))
      pools_.add(p().pools[static_cast<std::size_t>(id)].name, id);
    return lexer_.expect('{') && lexer_.expectEnd();
  }

  bool parseRankLine() {
    if (lexer_.accept('}')) {
      where_ = Where::header;
      return lexer_.expectEnd();
    }
    const llvm::StringRef word = lexer_.peekWord();
    if (word == "pool")
      return lexer_.expectWord("pool") && parsePool(rank_);
    if (word == "group")
      return lexer_.expectWord("group") && parseGroupStart();
    return parseInstruction();
  }

  bool parseGroupStart() {
    const std::uint32_t column = lexer_.column();
    std::int32_t number = nextGroup_;
    if (lexer_.peek() != '{' &&
        !lexer_.number("a group's number or '{'", static_cast<std::int32_t>(maxInstructions), number))
      return false;
    if (!usedGroups_.insert(number).second)
      return lexer_.fail(column, "group " + std::to_string(number) + " is there already");
    group_ = GroupId(number);
    nextGroup_ = number + 1;
    highestGroup_ = std::max(highestGroup_, number);
    where_ = Where::group;
    return lexer_.expect('{') && lexer_.expectEnd();
  }

  bool parseInstruction() {
    llvm::StringRef name;
    const std::uint32_t nameColumn = lexer_.column();
    if (lexer_.peek() == '%' && (!lexer_.percentName(name) || !lexer_.expect('=')))
      return false;
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef word = lexer_.word();
    const std::optional<Opcode> opcode = opcodeFromName(word);
    if (!opcode)
      return lexer_.fail(column, word.empty() ? "expected an instruction or '}'"
                                              : "unknown instruction " + inQuotes(word) +
                                                    "; expected an opcode such as forward or send_activation");
    Instruction instruction;
    instruction.opcode = *opcode;
    instruction.group = group_;
    instruction.location = {fileOfText(), lexer_.line(), column};
    accesses_.clear();
    waits_.clear();
    parts_ = 0;
    while (!lexer_.atEnd())
      if (!parsePart(instruction))
        return false;
    if (!complete(instruction, column))
      return false;
    const InstructionId id = builder_.append(instruction, accesses_, waits_);
    if (!name.empty() && !named_.try_emplace(name, id).second)
      return lexer_.fail(nameColumn, "the name " + inQuotes(name) + " is taken in this rank");
    return true;
  }

  bool parsePart(Instruction &i) {
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef key = lexer_.peekWord();
    if (isNumbered(key, 's'))
      return once(partStage, column) && parseStage(i);
    if (isNumbered(key, 'm'))
      return once(partMicrobatch, column) && parseMicrobatch(i);
    lexer_.word();
    if (key == "to" || key == "from" || key == "root" || key == "peer")
      return once(partPeer, column) && parsePeer(i, key, column);
    if (key == "via")
      return once(partCommunicator, column) && parseVia(i);
    if (key == "label")
      return once(partLabel, column) && parseLabel(i);
    if (key == "bytes")
      return once(partBytes, column) &&
             lexer_.number("a number of bytes", std::numeric_limits<std::uint64_t>::max(), i.bytes);
    if (key == "type")
      return once(partType, column) && parseType(i);
    if (key == "read")
      return parseAccesses(i, AccessMode::read);
    if (key == "write")
      return parseAccesses(i, AccessMode::write);
    if (key == "wait")
      return once(partWait, column) && parseWaits();
    if (key == "at")
      return once(partAt, column) && parseOrigin(i);
    return lexer_.fail(column, "expected sN, mN, to, from, root, peer, via, label, bytes, type, read, write, wait, at "
                               "or the end of the line, found " +
                                   (key.empty() ? inQuotes(std::string(1, lexer_.peek())) : inQuotes(key)));
  }

  bool once(Part part, std::uint32_t column) {
    if (parts_ & part)
      return lexer_.fail(column, "this is given twice for one instruction");
    parts_ |= part;
    return true;
  }

  static bool isNumbered(llvm::StringRef word, char letter) {
    return word.size() > 1 && word.front() == letter && llvm::isDigit(word[1]);
  }

  bool parseStage(Instruction &i) {
    Pending stage = pending();
    if (!lexer_.numbered('s', "a stage such as s0", stage.number))
      return false;
    i.stage = StageId(stage.number);
    stagesNamed_.push_back(stage);
    firstRank_.try_emplace(stage.number, rank_.value());
    return true;
  }

  bool parseMicrobatch(Instruction &i) {
    std::int32_t number = 0;
    if (!lexer_.numbered('m', "a microbatch such as m0", number))
      return false;
    i.microbatch = MicrobatchId(number);
    highestMicrobatch_ = std::max(highestMicrobatch_, number);
    return true;
  }

  bool parsePeer(Instruction &i, llvm::StringRef key, std::uint32_t column) {
    const llvm::StringRef expected = peerWord(i.opcode);
    if (key != expected)
      return lexer_.fail(column,
                         "expected '" + expected.str() + "' for " + name(i.opcode).str() + ", found " + inQuotes(key));
    Pending rank = pending();
    if (!lexer_.number("a rank", highestNumber, rank.number))
      return false;
    i.peer = RankId(rank.number);
    ranksNamed_.push_back(rank);
    return true;
  }

  static llvm::StringRef peerWord(Opcode opcode) {
    return isSend(opcode) ? "to" : isReceive(opcode) ? "from" : opcode == Opcode::broadcast ? "root" : "peer";
  }

  bool parseVia(Instruction &i) {
    std::int32_t id = 0;
    if (!reference("communicator", communicators_, static_cast<std::int32_t>(p().communicators.size()), id))
      return false;
    i.communicator = CommunicatorId(id);
    return true;
  }

  // NAME or NAME#N.
  bool reference(const char *what, const Names &names, std::int32_t count, std::int32_t &id) {
    const std::uint32_t column = lexer_.column();
    std::string text;
    if (!lexer_.name(what, text))
      return false;
    const std::int32_t found = names.find(text);
    if (found == Names::none)
      return lexer_.fail(column, std::string("no ") + what + " here has the name " + inQuotes(text));
    if (lexer_.accept('#')) {
      const std::uint32_t numberColumn = lexer_.column();
      return lexer_.number("a number", maxInt, id) &&
             ((id < count && hasName(what, id, text)) ||
              lexer_.fail(numberColumn, std::string(what) + " " + std::to_string(id) + " is not " + inQuotes(text)));
    }
    if (found == Names::several)
      return lexer_.fail(column, std::string("more than one ") + what + " has the name " + inQuotes(text) +
                                     "; expected its number too, as in " + text + "#0");
    id = found;
    return true;
  }

  bool hasName(llvm::StringRef what, std::int32_t id, llvm::StringRef text) {
    const std::size_t index = static_cast<std::size_t>(id);
    if (what == "communicator")
      return p().communicators[index].name == text;
    return p().pools[index].name == text && p().pools[index].rank == rank_;
  }

  bool parseLabel(Instruction &i) {
    std::string text;
    if (!lexer_.string(text))
      return false;
    i.label = builder_.label(text);
    return true;
  }

  bool parseType(Instruction &i) {
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef text = lexer_.word();
    const std::optional<ElementType> type = kindFromName<ElementType>(text, elementTypeCount);
    if (!type || *type == ElementType::unknown)
      return lexer_.fail(column, "expected an element type such as f32 or bf16, found " + inQuotes(text));
    i.elementType = *type;
    return true;
  }

  bool parseAccesses(const Instruction &i, AccessMode mode) {
    do {
      SlotAccess access;
      access.mode = mode;
      std::int32_t pool = 0;
      const std::int32_t count = static_cast<std::int32_t>(p().pools.size());
      if (!reference("pool of this rank", pools_, count, pool) || !lexer_.expect('[') ||
          !lexer_.number("a slot's number", highestNumber, access.slot) || !lexer_.expect(']') || !lexer_.expect(':') ||
          !parseValue(i, access.value))
        return false;
      access.pool = PoolId(pool);
      accesses_.push_back(access);
    } while (lexer_.accept(','));
    return true;
  }

  bool parseValue(const Instruction &i, Value &value) {
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef text = lexer_.word();
    const std::optional<ValueKind> kind = kindFromName<ValueKind>(text, valueKindCount);
    if (!kind)
      return lexer_.fail(column, "expected input, output, output_gradient, input_gradient, labels or other, found " +
                                     inQuotes(text));
    value = {*kind, i.stage, i.microbatch};
    if (!lexer_.accept('('))
      return true;
    Pending stage = pending();
    std::int32_t microbatch = -1;
    if ((!lexer_.accept('-') && !lexer_.numbered('s', "a stage such as s0, or -", stage.number)) ||
        !lexer_.expect(',') ||
        (!lexer_.accept('-') && !lexer_.numbered('m', "a microbatch such as m0, or -", microbatch)))
      return false;
    if (stage.number >= 0)
      stagesNamed_.push_back(stage);
    value.stage = StageId(stage.number);
    value.microbatch = MicrobatchId(microbatch);
    return lexer_.expect(')');
  }

  bool parseWaits() {
    do {
      const std::uint32_t column = lexer_.column();
      llvm::StringRef name;
      if (!lexer_.percentName(name))
        return false;
      const auto found = named_.find(name);
      if (found == named_.end())
        return lexer_.fail(column, "no instruction above in this rank has the name %" + name.str());
      waits_.push_back(found->second);
    } while (lexer_.accept(','));
    return true;
  }

  bool parseOrigin(Instruction &i) {
    constexpr std::uint64_t highest = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t column = lexer_.column();
    std::int32_t file = 0;
    std::uint64_t line = 0, lineColumn = 0;
    if (!lexer_.number("a file's number", maxInt, file) || !lexer_.expect(':') ||
        !lexer_.number("a line", highest, line) || !lexer_.expect(':') ||
        !lexer_.number("a column", highest, lineColumn))
      return false;
    if (static_cast<std::size_t>(file) >= p().files.size())
      return lexer_.fail(column, "there is no 'file " + std::to_string(file) + "' in the header");
    i.origin = {FileId(file), static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(lineColumn)};
    return true;
  }

  bool complete(Instruction &i, std::uint32_t column) {
    if (static_cast<std::int64_t>(p().instructions.size()) >= maxInstructions)
      return lexer_.fail(column, "more than " + std::to_string(maxInstructions) + " instructions");
    if (!isPointToPoint(i.opcode) && i.opcode != Opcode::broadcast)
      return true;
    if (!i.peer.valid())
      return lexer_.fail("expected '" + peerWord(i.opcode).str() + " RANK'");
    if (p().communicators.empty())
      builder_.addCommunicator({"pipeline", {}, -1});
    if (!i.communicator.valid())
      i.communicator = CommunicatorId(0);
    return true;
  }

  // --- What can only be judged at the end ---

  bool finish(std::uint32_t endColumn) {
    if (where_ == Where::start)
      return lexer_.fail(endColumn, "expected 'plumbline ir 1' as the first line");
    if (where_ != Where::header)
      return lexer_.fail(endColumn, where_ == Where::group ? "the text is cut off; expected '}' to end the group"
                                                           : "the text is cut off; expected '}' to end the rank");
    if (p().rankCount() == 0)
      return lexer_.fail(endColumn, "expected 'rank 0 {'");
    p().files.push_back(name_);
    for (Pool &pool : p().pools)
      pool.location.file = FileId(static_cast<std::int32_t>(p().files.size()) - 1);
    return finishGroups(endColumn) && finishSizes(endColumn) && checkRanks() && checkStages() && placeStages();
  }

  bool finishGroups(std::uint32_t endColumn) {
    p().groupCount = std::max(groups_, highestGroup_ + 1);
    return groups_ < 0 || groups_ > highestGroup_ ||
           lexer_.fail(endColumn, "the header says 'groups " + std::to_string(groups_) + "', but there is a group " +
                                      std::to_string(highestGroup_));
  }

  bool finishSizes(std::uint32_t endColumn) {
    std::int32_t named = 0;
    for (const Pending &stage : stagesNamed_)
      named = std::max(named, stage.number + 1);
    for (const PlacementLine &line : placement_)
      named = std::max(named, line.stage.number + 1);
    if (stages_ < 0 && named % p().replicas != 0)
      return lexer_.fail(endColumn, std::to_string(named) + " stages do not divide into " +
                                        std::to_string(p().replicas) + " replicas; expected 'stages N'");
    const std::int32_t stages = stages_ < 0 ? named / p().replicas : stages_;
    p().microbatches = microbatches_ < 0 ? highestMicrobatch_ + 1 : microbatches_;
    const std::int64_t all = std::int64_t(stages) * p().replicas;
    if (all > maxNumber || all * p().microbatches > maxPairs)
      return lexer_.fail(endColumn, "stages times replicas is more than " + std::to_string(maxNumber) +
                                        ", or that times microbatches more than " + std::to_string(maxPairs));
    builder_.setStages(stages, p().replicas);
    return true;
  }

  bool checkRanks() {
    for (const Pending &rank : ranksNamed_)
      if (rank.number >= p().rankCount())
        return lexer_.failAt(rank.line, rank.column,
                             "there is no rank " + std::to_string(rank.number) + "; ranks are 0 to " +
                                 std::to_string(p().rankCount() - 1));
    return true;
  }

  bool checkStages() {
    const auto fault = [this](const Pending &stage) {
      return lexer_.failAt(stage.line, stage.column,
                           "there is no stage " + std::to_string(stage.number) + "; the header's sizes make " +
                               std::to_string(p().stageCount()));
    };
    for (const Pending &stage : stagesNamed_)
      if (stage.number >= p().stageCount())
        return fault(stage);
    for (const PlacementLine &line : placement_)
      if (line.stage.number >= p().stageCount())
        return fault(line.stage);
    return true;
  }

  bool placeStages() {
    std::vector<bool> placed(p().stages.size());
    for (const PlacementLine &line : placement_) {
      const std::size_t stage = static_cast<std::size_t>(line.stage.number);
      if (placed[stage])
        return lexer_.failAt(line.stage.line, line.stage.column, "stage " + std::to_string(stage) + " is placed twice");
      placed[stage] = true;
      p().stages[stage].rank = RankId(line.rank.number);
    }
    for (const auto &[stage, rank] : firstRank_)
      if (!placed[static_cast<std::size_t>(stage)])
        p().stages[static_cast<std::size_t>(stage)].rank = RankId(rank);
    return true;
  }

  Program &p() { return builder_.program(); }
  // The text itself is the file behind those of the header, which are all known once the first rank begins.
  FileId fileOfText() { return FileId(static_cast<std::int32_t>(p().files.size())); }
  Pending pending() { return {-1, lexer_.line(), lexer_.column()}; }

  const std::string &name_;
  llvm::StringRef text_;
  PirLexer lexer_;
  ProgramBuilder builder_;
  Where where_ = Where::start;

  std::int32_t stages_ = -1, microbatches_ = -1, groups_ = -1; // as the header says; -1: it does not
  std::int32_t highestMicrobatch_ = -1;
  std::vector<Pending> ranksNamed_, stagesNamed_;
  std::vector<PlacementLine> placement_;
  llvm::DenseMap<std::int32_t, std::int32_t> firstRank_; // of each stage with an instruction
  Names communicators_;
  llvm::DenseMap<std::int32_t, std::vector<std::int32_t>> headerPools_; // by rank

  RankId rank_; // the open one
  Names pools_; // of the open rank
  llvm::StringMap<InstructionId> named_;
  GroupId group_; // the open one
  std::int32_t nextGroup_ = 0, highestGroup_ = -1;
  llvm::DenseSet<std::int32_t> usedGroups_;

  unsigned parts_ = 0; // of the open instruction
  llvm::SmallVector<SlotAccess, 4> accesses_;
  llvm::SmallVector<InstructionId, 4> waits_;
};

} // namespace

Result<Program> parsePir(const std::string &name, llvm::StringRef text) {
  if (std::optional<Diagnostic> wrong = checkText(name, text))
    return *std::move(wrong);
  return Parser(name, text).run();
}

} // namespace plumbline
