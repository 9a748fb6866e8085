#include "verifier/ir/pir_access.h"

namespace plumbline::pir {
namespace {

bool parsePoolName(Reading &reading, PoolId &pool) {
  std::int32_t id = 0;
  const auto isNamed = [&](std::size_t index, llvm::StringRef text) {
    const std::vector<Pool> &pools = reading.program().pools;
    return index < pools.size() && pools[index].name == text && pools[index].rank == reading.open.id;
  };
  if (!parseReference(reading, "pool of this rank", reading.open.pools, isNamed, id))
    return false;
  pool = PoolId(id);
  return true;
}

// (sN|-, mN|-) behind the parenthesis.
bool parseOwner(Reading &reading, Value &value) {
  PirLexer &lexer = reading.lexer;
  Pending stage = reading.pending();
  std::int32_t microbatch = -1;
  if ((!lexer.accept('-') && !lexer.numbered('s', "a stage such as s0, or -", stage.number)) || !lexer.expect(',') ||
      (!lexer.accept('-') && !lexer.numbered('m', "a microbatch such as m0, or -", microbatch)))
    return false;
  if (stage.number >= 0)
    reading.stagesNamed.push_back(stage);
  value.stage = StageId(stage.number);
  value.microbatch = MicrobatchId(microbatch);
  return lexer.expect(')');
}

bool parseValue(Reading &reading, const Instruction &instruction, Value &value) {
  PirLexer &lexer = reading.lexer;
  const std::uint32_t column = lexer.column();
  const llvm::StringRef text = lexer.word();
  const std::optional<ValueKind> kind = kindFromName<ValueKind>(text, valueKindCount);
  if (!kind)
    return lexer.fail(column, "expected input, output, output_gradient, input_gradient, labels, loss or other, found " +
                                  inQuotes(text));
  value = {*kind, instruction.stage, instruction.microbatch};
  return !lexer.accept('(') || parseOwner(reading, value);
}

} // namespace

bool parseAccesses(Reading &reading, const Instruction &instruction, AccessMode mode,
                   llvm::SmallVectorImpl<SlotAccess> &accesses) {
  PirLexer &lexer = reading.lexer;
  do {
    SlotAccess access;
    access.mode = mode;
    if (!parsePoolName(reading, access.pool) || !lexer.expect('[') ||
        !lexer.number("a slot's number", highestNumber, access.slot) || !lexer.expect(']') || !lexer.expect(':') ||
        !parseValue(reading, instruction, access.value))
      return false;
    accesses.push_back(access);
  } while (lexer.accept(','));
  return true;
}

} // namespace plumbline::pir
