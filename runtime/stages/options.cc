#include "runtime/stages/options.h"

#include "verifier/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cassert>
#include <cstdio>

namespace plumbline::stages {
namespace {

std::string textOf(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}

std::string allowedBy(const Option &option) {
  if (!option.words.empty())
    return "one of " + llvm::join(option.words, ", ");
  return (option.whole ? "a whole number from " : "a number from ") + textOf(option.least) + " to " +
         textOf(option.most);
}

// Digits, and a point between them where fractions are allowed: no sign, no exponent, no "inf".
bool isNumber(llvm::StringRef text, bool whole) {
  const auto [before, after] = text.split('.');
  const bool point = before.size() != text.size();
  return !before.empty() && llvm::all_of(before, llvm::isDigit) && text.size() <= 30 &&
         (!point || (!whole && !after.empty() && llvm::all_of(after, llvm::isDigit)));
}

bool takeValue(const Option &option, llvm::StringRef text, double &value) {
  if (!option.words.empty()) {
    const auto *const word = llvm::find_if(option.words, [&](const char *w) { return text == w; });
    value = static_cast<double>(word - option.words.begin());
    return word != option.words.end();
  }
  return isNumber(text, option.whole) && !text.getAsDouble(value) && value >= option.least && value <= option.most;
}

} // namespace

std::string Options::readOne(llvm::ArrayRef<Option> known, llvm::StringRef entry) {
  const std::size_t equals = entry.find('=');
  if (equals == llvm::StringRef::npos)
    return "options are NAME=VALUE, with commas between them; got " + inQuotes(entry);
  const llvm::StringRef name = entry.take_front(equals);
  const llvm::StringRef value = entry.drop_front(equals + 1);
  const auto *const option = llvm::find_if(known, [&](const Option &o) { return name == o.name; });
  if (option == known.end()) {
    std::string names;
    for (const Option &other : known)
      names += (names.empty() ? "" : ", ") + std::string(other.name);
    return "there is no option " + inQuotes(name) + "; there are " + names;
  }
  if (!given_.try_emplace(name, true).second)
    return "option " + name.str() + " is given twice";
  if (!takeValue(*option, value, values_[name]))
    return "option " + name.str() + " is " + allowedBy(*option) + "; got " + inQuotes(value);
  return "";
}

std::string Options::read(llvm::ArrayRef<Option> known, llvm::StringRef text) {
  for (const Option &option : known)
    values_[option.name] = option.initial;
  while (!text.empty()) {
    const auto [entry, rest] = text.split(',');
    const bool commaAtEnd = rest.empty() && entry.size() != text.size();
    if (std::string wrong = readOne(known, commaAtEnd ? text : entry); !wrong.empty())
      return wrong;
    text = rest;
  }
  return "";
}

double Options::number(llvm::StringRef name) const {
  const auto entry = values_.find(name);
  assert(entry != values_.end() && "the stage does not list this option");
  return entry->second;
}

std::string describe(llvm::ArrayRef<Option> options) {
  std::string text;
  for (const Option &option : options) {
    const std::string initial =
        option.words.empty() ? textOf(option.initial) : option.words[static_cast<std::size_t>(option.initial)];
    std::string entry = std::string("    ") + option.name + "=" + initial;
    entry.resize(std::max<std::size_t>(entry.size() + 2, 30), ' ');
    text += entry + option.meaning + "; " + allowedBy(option) + "\n";
  }
  return text;
}

} // namespace plumbline::stages
