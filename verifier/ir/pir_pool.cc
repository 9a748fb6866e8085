#include "verifier/ir/pir_pool.h"

namespace plumbline::pir {
namespace {

bool parseName(Reading &reading, Pool &pool) {
  pool.location = {FileId(), reading.lexer.line(), reading.lexer.column()}; // the file is known at the end
  return reading.lexer.name("a pool's name", pool.name);
}

bool parseFields(PirLexer &lexer, Pool &pool) {
  while (!lexer.atEnd()) {
    const std::uint32_t column = lexer.column();
    const llvm::StringRef key = lexer.word();
    if (key == "declared"      ? !lexer.number("a number of slots", highestNumber + 1, pool.declared)
        : key == "declaration" ? !lexer.number("a declaration's number", maxInt, pool.declaration)
                               : !lexer.fail(column, "expected 'declared' or 'declaration', found " + inQuotes(key)))
      return false;
  }
  return true;
}

} // namespace

bool parseHeaderPool(Reading &reading) {
  PirLexer &lexer = reading.lexer;
  Pool pool;
  if (!parseName(reading, pool) || !lexer.expectWord("on") || !lexer.expectWord("rank") || !reading.rank(pool.rank) ||
      !parseFields(lexer, pool))
    return false;
  std::vector<std::int32_t> &ofRank = reading.headerPools[pool.rank.value()];
  ofRank.push_back(reading.builder.addPool(std::move(pool)).value());
  return true;
}

bool parseRankPool(Reading &reading) {
  Pool pool;
  if (!parseName(reading, pool) || !parseFields(reading.lexer, pool))
    return false;
  pool.rank = reading.open.id;
  const std::string name = pool.name;
  reading.open.pools.add(name, reading.builder.addPool(std::move(pool)).value());
  return true;
}

void openHeaderPools(Reading &reading) {
  for (const std::int32_t id : reading.headerPools.lookup(reading.open.id.value()))
    reading.open.pools.add(reading.program().pools[static_cast<std::size_t>(id)].name, id);
}

} // namespace plumbline::pir
