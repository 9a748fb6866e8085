#include "verifier/ir/pir_reading.h"

namespace plumbline::pir {

void Names::add(llvm::StringRef name, std::int32_t id) {
  const auto [entry, isNew] = ids_.try_emplace(name, id);
  if (!isNew)
    entry->second = several;
}

std::int32_t Names::find(llvm::StringRef name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? none : found->second;
}

bool Reading::rank(RankId &result) {
  Pending named = pending();
  if (!lexer.number("a rank", highestNumber, named.number))
    return false;
  result = RankId(named.number);
  ranksNamed.push_back(named);
  return true;
}

bool parseReference(Reading &reading, const char *what, const Names &names,
                    llvm::function_ref<bool(std::size_t id, llvm::StringRef name)> isNamed, std::int32_t &id) {
  PirLexer &lexer = reading.lexer;
  const std::uint32_t column = lexer.column();
  std::string text;
  if (!lexer.name(what, text))
    return false;
  const std::int32_t found = names.find(text);
  if (found == Names::none)
    return lexer.fail(column, std::string("no ") + what + " here has the name " + inQuotes(text));
  if (lexer.accept('#')) {
    const std::uint32_t numberColumn = lexer.column();
    return lexer.number("a number", maxInt, id) &&
           (isNamed(static_cast<std::size_t>(id), text) ||
            lexer.fail(numberColumn, std::string(what) + " " + std::to_string(id) + " is not " + inQuotes(text)));
  }
  if (found == Names::several)
    return lexer.fail(column, std::string("more than one ") + what + " has the name " + inQuotes(text) +
                                  "; expected its number too, as in " + text + "#0");
  id = found;
  return true;
}

} // namespace plumbline::pir
