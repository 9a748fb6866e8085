#include "verifier/ir/pir_instruction.h"

#include "verifier/ir/pir_access.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace plumbline::pir {
namespace {

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

bool isNumbered(llvm::StringRef word, char letter) {
  return word.size() > 1 && word.front() == letter && llvm::isDigit(word[1]);
}

llvm::StringRef peerWord(Opcode opcode) {
  return isSend(opcode) ? "to" : isReceive(opcode) ? "from" : opcode == Opcode::broadcast ? "root" : "peer";
}

// Reads one line.
class InstructionParser {
public:
  explicit InstructionParser(Reading &reading) : r_(reading), lexer_(reading.lexer) {}

  bool run() {
    llvm::StringRef name;
    const std::uint32_t nameColumn = lexer_.column();
    if (lexer_.peek() == '%' && (!lexer_.percentName(name) || !lexer_.expect('=')))
      return false;
    const std::uint32_t column = lexer_.column();
    if (!parseOpcode(column))
      return false;
    i_.group = r_.open.group;
    i_.location = {r_.fileOfText(), lexer_.line(), column};
    while (!lexer_.atEnd())
      if (!parsePart())
        return false;
    if (!complete(column))
      return false;
    const InstructionId id = r_.builder.append(i_, accesses_, waits_);
    if (!name.empty() && !r_.open.named.try_emplace(name, id).second)
      return lexer_.fail(nameColumn, "the name " + inQuotes(name) + " is taken in this rank");
    return true;
  }

private:
  bool parseOpcode(std::uint32_t column) {
    const llvm::StringRef word = lexer_.word();
    const std::optional<Opcode> opcode = opcodeFromName(word);
    if (!opcode)
      return lexer_.fail(column, word.empty() ? "expected an instruction or '}'"
                                              : "unknown instruction " + inQuotes(word) +
                                                    "; expected an opcode such as forward or send_activation");
    i_.opcode = *opcode;
    return true;
  }

  bool parsePart() {
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef key = lexer_.peekWord();
    if (isNumbered(key, 's'))
      return once(partStage, column) && parseStage();
    if (isNumbered(key, 'm'))
      return once(partMicrobatch, column) && parseMicrobatch();
    lexer_.word();
    if (key == "to" || key == "from" || key == "root" || key == "peer")
      return once(partPeer, column) && parsePeer(key, column);
    if (key == "via")
      return once(partCommunicator, column) && parseVia();
    if (key == "label")
      return once(partLabel, column) && parseLabel();
    if (key == "bytes")
      return once(partBytes, column) && parseBytes();
    if (key == "type")
      return once(partType, column) && parseType();
    if (key == "read")
      return parseAccesses(r_, i_, AccessMode::read, accesses_);
    if (key == "write")
      return parseAccesses(r_, i_, AccessMode::write, accesses_);
    if (key == "wait")
      return once(partWait, column) && parseWaits();
    if (key == "at")
      return once(partAt, column) && parseOrigin();
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

  bool parseStage() {
    Pending stage = r_.pending();
    if (!lexer_.numbered('s', "a stage such as s0", stage.number))
      return false;
    i_.stage = StageId(stage.number);
    r_.stagesNamed.push_back(stage);
    r_.firstRank.try_emplace(stage.number, r_.open.id.value());
    return true;
  }

  bool parseMicrobatch() {
    std::int32_t number = 0;
    if (!lexer_.numbered('m', "a microbatch such as m0", number))
      return false;
    i_.microbatch = MicrobatchId(number);
    r_.highestMicrobatch = std::max(r_.highestMicrobatch, number);
    return true;
  }

  bool parsePeer(llvm::StringRef key, std::uint32_t column) {
    const llvm::StringRef expected = peerWord(i_.opcode);
    if (key != expected)
      return lexer_.fail(column,
                         "expected '" + expected.str() + "' for " + name(i_.opcode).str() + ", found " + inQuotes(key));
    return r_.rank(i_.peer);
  }

  // 0 stands for a size that is not known, and sizes that are not known are not compared.
  bool parseBytes() {
    const std::uint32_t column = lexer_.column();
    if (!lexer_.number("a number of bytes", std::numeric_limits<std::uint64_t>::max(), i_.bytes))
      return false;
    return i_.bytes > 0 ||
           lexer_.fail(column, "expected a number of bytes from 1 on; where it is not known, leave it out");
  }

  bool parseVia() {
    std::int32_t id = 0;
    const auto isNamed = [&](std::size_t index, llvm::StringRef text) {
      const std::vector<Communicator> &communicators = r_.program().communicators;
      return index < communicators.size() && communicators[index].name == text;
    };
    if (!parseReference(r_, "communicator", r_.communicators, isNamed, id))
      return false;
    i_.communicator = CommunicatorId(id);
    return true;
  }

  bool parseLabel() {
    std::string text;
    if (!lexer_.string(text))
      return false;
    i_.label = r_.builder.label(text);
    return true;
  }

  bool parseType() {
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef text = lexer_.word();
    const std::optional<ElementType> type = kindFromName<ElementType>(text, elementTypeCount);
    if (!type || *type == ElementType::unknown)
      return lexer_.fail(column, "expected an element type such as f32 or bf16, found " + inQuotes(text));
    i_.elementType = *type;
    return true;
  }

  bool parseWaits() {
    do {
      const std::uint32_t column = lexer_.column();
      llvm::StringRef name;
      if (!lexer_.percentName(name))
        return false;
      const auto found = r_.open.named.find(name);
      if (found == r_.open.named.end())
        return lexer_.fail(column, "no instruction above in this rank has the name %" + name.str());
      if (i_.group.valid() && r_.builder.program().at(found->second).group == i_.group)
        return lexer_.fail(column, "expected an instruction outside this group: its members begin together, so none "
                                   "can wait for %" +
                                       name.str());
      waits_.push_back(found->second);
    } while (lexer_.accept(','));
    return true;
  }

  bool parseOrigin() {
    constexpr std::uint64_t highest = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t column = lexer_.column();
    std::int32_t file = 0;
    std::uint64_t line = 0, lineColumn = 0;
    if (!lexer_.number("a file's number", maxInt, file) || !lexer_.expect(':') ||
        !lexer_.number("a line", highest, line) || !lexer_.expect(':') ||
        !lexer_.number("a column", highest, lineColumn))
      return false;
    if (static_cast<std::size_t>(file) >= r_.program().files.size())
      return lexer_.fail(column, "there is no 'file " + std::to_string(file) + "' in the header");
    i_.origin = {FileId(file), static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(lineColumn)};
    return true;
  }

  // Fills in what the line may leave out.
  bool complete(std::uint32_t column) {
    Program &program = r_.program();
    if (static_cast<std::int64_t>(program.instructions.size()) >= maxInstructions)
      return lexer_.fail(column, "more than " + std::to_string(maxInstructions) + " instructions");
    if (!isPointToPoint(i_.opcode) && i_.opcode != Opcode::broadcast)
      return true;
    if (!i_.peer.valid())
      return lexer_.fail("expected '" + peerWord(i_.opcode).str() + " RANK'");
    if (program.communicators.empty())
      r_.builder.addCommunicator({"pipeline", {}, -1});
    if (!i_.communicator.valid())
      i_.communicator = CommunicatorId(0);
    return true;
  }

  Reading &r_;
  PirLexer &lexer_;
  Instruction i_;
  unsigned parts_ = 0;
  llvm::SmallVector<SlotAccess, 4> accesses_;
  llvm::SmallVector<InstructionId, 4> waits_;
};

} // namespace

bool parseInstruction(Reading &reading) { return InstructionParser(reading).run(); }

} // namespace plumbline::pir
