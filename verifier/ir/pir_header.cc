#include "verifier/ir/pir_header.h"

#include "verifier/ir/pir_pool.h"

#include "llvm/ADT/StringExtras.h"

namespace plumbline::pir {
namespace {

template <typename Kind> bool parseChoice(PirLexer &lexer, Kind &result, llvm::ArrayRef<Kind> kinds) {
  const std::uint32_t column = lexer.column();
  const llvm::StringRef text = lexer.word();
  std::string expected;
  for (const Kind kind : kinds) {
    if (text == name(kind)) {
      result = kind;
      return true;
    }
    expected += (expected.empty() ? "" : ", ") + name(kind).str();
  }
  return lexer.fail(column, "expected one of " + expected + ", found " + inQuotes(text));
}

bool parseReplicas(Reading &reading, std::uint32_t column) {
  std::int32_t &replicas = reading.program().replicas;
  return reading.lexer.number("the number of replicas", highestNumber + 1, replicas) &&
         (replicas > 0 || reading.lexer.fail(column, "expected at least one replica"));
}

bool parseFile(Reading &reading) {
  PirLexer &lexer = reading.lexer;
  std::vector<std::string> &files = reading.program().files;
  const std::uint32_t column = lexer.column();
  std::int32_t number = 0;
  if (!lexer.number("a file's number", maxInt, number))
    return false;
  if (static_cast<std::size_t>(number) != files.size())
    return lexer.fail(column, "expected file " + std::to_string(files.size()) + ": files count from 0");
  return lexer.string(files.emplace_back());
}

bool parseMembers(Reading &reading, Communicator &communicator) {
  do {
    if (!reading.rank(communicator.members.emplace_back()))
      return false;
  } while (llvm::isDigit(reading.lexer.peek()));
  return true;
}

bool parseCommunicator(Reading &reading) {
  PirLexer &lexer = reading.lexer;
  Communicator communicator;
  if (!lexer.name("a communicator's name", communicator.name))
    return false;
  while (!lexer.atEnd()) {
    const std::uint32_t column = lexer.column();
    const llvm::StringRef key = lexer.word();
    if (key == "members" ? !parseMembers(reading, communicator)
        : key == "room"  ? !lexer.number("a number of messages", maxInt, communicator.room)
                         : !lexer.fail(column, "expected 'members' or 'room', found " + inQuotes(key)))
      return false;
  }
  reading.communicators.add(communicator.name, static_cast<std::int32_t>(reading.program().communicators.size()));
  reading.builder.addCommunicator(std::move(communicator));
  return true;
}

bool parsePlacement(Reading &reading) {
  PirLexer &lexer = reading.lexer;
  PlacementLine line{reading.pending(), {}};
  if (!lexer.number("a stage's number", highestNumber, line.stage.number) || !lexer.expectWord("on"))
    return false;
  const bool nowhere = lexer.peekWord() == "no";
  if (nowhere ? !lexer.expectWord("no") || !lexer.expectWord("rank")
              : !lexer.expectWord("rank") || !reading.rank(line.rank))
    return false;
  reading.placement.push_back(line);
  return true;
}

} // namespace

bool parseVersion(Reading &reading) {
  PirLexer &lexer = reading.lexer;
  std::int32_t version = 0;
  const std::uint32_t column = lexer.column();
  if (lexer.peekWord() != "plumbline")
    return lexer.fail("expected 'plumbline ir 1' as the first line");
  if (!lexer.expectWord("plumbline") || !lexer.expectWord("ir") || !lexer.number("a version", maxInt, version))
    return false;
  if (version != 1)
    return lexer.fail(column, "version " + std::to_string(version) + " of the text form; expected 1");
  return lexer.expectEnd();
}

bool parseHeaderField(Reading &reading, llvm::StringRef key, std::uint32_t column) {
  PirLexer &lexer = reading.lexer;
  Program &program = reading.program();
  if (key == "name") {
    program.name.clear();
    return lexer.string(program.name);
  }
  if (key == "mode")
    return parseChoice(lexer, program.mode, {Mode::training, Mode::inference, Mode::fragment});
  if (key == "execution")
    return parseChoice(lexer, program.execution, {Execution::blocking, Execution::streams});
  if (key == "waits_for_groups")
    return program.waitsForGroups = true;
  if (key == "replicas")
    return parseReplicas(reading, column);
  if (key == "stages")
    return lexer.number("the number of stages", highestNumber + 1, reading.stages);
  if (key == "microbatches")
    return lexer.number("the number of microbatches", highestNumber + 1, reading.microbatches);
  if (key == "groups")
    return lexer.number("the number of groups", static_cast<std::int32_t>(maxInstructions), reading.groups);
  if (key == "file")
    return parseFile(reading);
  if (key == "communicator")
    return parseCommunicator(reading);
  if (key == "stage")
    return parsePlacement(reading);
  if (key == "pool")
    return parseHeaderPool(reading);
  return lexer.fail(column, "expected a header word (name, mode, execution, waits_for_groups, replicas, stages, "
                            "microbatches, groups, file, communicator, stage, pool) or 'rank 0 {', found " +
                                inQuotes(key));
}

} // namespace plumbline::pir
