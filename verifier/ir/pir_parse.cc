#include "verifier/ir/pir_parse.h"

#include "verifier/ir/pir_finish.h"
#include "verifier/ir/pir_header.h"
#include "verifier/ir/pir_instruction.h"
#include "verifier/ir/pir_pool.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace plumbline {
namespace {

// Goes over the lines and knows which block each stands in.
class Parser {
public:
  Parser(const std::string &name, llvm::StringRef text) : text_(text), reading_(name) {}

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
    if (!expectWhole(endColumn) || !pir::finish(reading_, endColumn))
      return *lexer_.error();
    return std::move(reading_.builder).take();
  }

private:
  enum class Where : std::uint8_t { start, header, rank, group };

  bool parseLine() {
    switch (where_) {
    case Where::start:
      where_ = Where::header;
      return pir::parseVersion(reading_);
    case Where::header:
      return parseHeaderLine();
    case Where::rank:
      return parseRankLine();
    case Where::group:
      return parseGroupLine();
    }
    return false;
  }

  bool parseHeaderLine() {
    const std::int32_t ranks = reading_.program().rankCount();
    const std::uint32_t column = lexer_.column();
    const llvm::StringRef key = lexer_.word();
    if (key == "rank")
      return parseRankStart();
    if (ranks > 0)
      return lexer_.fail(column, "expected 'rank " + std::to_string(ranks) + " {', found " + inQuotes(key));
    return pir::parseHeaderField(reading_, key, column) && lexer_.expectEnd();
  }

  bool parseRankStart() {
    const std::int32_t next = reading_.program().rankCount();
    const std::uint32_t column = lexer_.column();
    std::int32_t number = 0;
    if (!lexer_.number("a rank's number", pir::highestNumber, number))
      return false;
    if (number != next)
      return lexer_.fail(column, "expected rank " + std::to_string(next) + ": ranks stand in order and count from 0");
    reading_.open = {reading_.builder.beginRank(), {}, {}, {}};
    pir::openHeaderPools(reading_);
    where_ = Where::rank;
    return lexer_.expect('{') && lexer_.expectEnd();
  }

  bool parseRankLine() {
    if (lexer_.accept('}')) {
      where_ = Where::header;
      return lexer_.expectEnd();
    }
    const llvm::StringRef word = lexer_.peekWord();
    if (word == "pool")
      return lexer_.expectWord("pool") && pir::parseRankPool(reading_);
    if (word == "group")
      return lexer_.expectWord("group") && parseGroupStart();
    return pir::parseInstruction(reading_);
  }

  bool parseGroupStart() {
    const std::uint32_t column = lexer_.column();
    std::int32_t number = nextGroup_;
    if (lexer_.peek() != '{' &&
        !lexer_.number("a group's number or '{'", static_cast<std::int32_t>(maxInstructions), number))
      return false;
    if (!usedGroups_.insert(number).second)
      return lexer_.fail(column, "group " + std::to_string(number) + " is there already");
    reading_.open.group = GroupId(number);
    reading_.highestGroup = std::max(reading_.highestGroup, number);
    nextGroup_ = number + 1;
    where_ = Where::group;
    return lexer_.expect('{') && lexer_.expectEnd();
  }

  bool parseGroupLine() {
    if (!lexer_.accept('}'))
      return pir::parseInstruction(reading_);
    reading_.open.group = GroupId();
    where_ = Where::rank;
    return lexer_.expectEnd();
  }

  // The text does not end within a block, or before the first.
  bool expectWhole(std::uint32_t endColumn) {
    switch (where_) {
    case Where::start:
      return lexer_.fail(endColumn, "expected 'plumbline ir 1' as the first line");
    case Where::rank:
      return lexer_.fail(endColumn, "the text is cut off; expected '}' to end the rank");
    case Where::group:
      return lexer_.fail(endColumn, "the text is cut off; expected '}' to end the group");
    case Where::header:
      break;
    }
    return reading_.program().rankCount() > 0 || lexer_.fail(endColumn, "expected 'rank 0 {'");
  }

  llvm::StringRef text_;
  pir::Reading reading_;
  PirLexer &lexer_ = reading_.lexer;
  Where where_ = Where::start;
  std::int32_t nextGroup_ = 0;
  llvm::DenseSet<std::int32_t> usedGroups_;
};

} // namespace

Result<Program> parsePir(const std::string &name, llvm::StringRef text) {
  if (std::optional<Diagnostic> wrong = checkText(name, text))
    return *std::move(wrong);
  return Parser(name, text).run();
}

} // namespace plumbline
