#include "schedules/sweep/table.h"

#include "schedules/sweep/documented.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace plumbline::schedules::sweep {
namespace {

constexpr llvm::StringRef begins = "<!-- the sweep writes from here -->\n";
constexpr llvm::StringRef ends = "<!-- to here -->\n";

// Notes are numbered by reason, so that families may share one.
std::vector<std::string> reasons() {
  std::vector<std::string> all;
  for (const Documented &entry : documented())
    if (!llvm::is_contained(all, entry.reason))
      all.emplace_back(entry.reason);
  return all;
}

std::string cellOf(const Family &family, llvm::StringRef model, const std::set<std::string> &outcomes) {
  std::vector<std::string> parts;
  for (const std::string &outcome : outcomes) {
    std::string part = outcome;
    for (const Documented &entry : documented())
      if (outcome == entry.rules && family.name == llvm::StringRef(entry.family) && model == entry.model) {
        const std::vector<std::string> all = reasons();
        part += " (" + std::to_string(llvm::find(all, entry.reason) - all.begin() + 1) + ")";
      }
    parts.push_back(part);
  }
  return parts.empty() ? "refused" : llvm::join(parts, "; ");
}

std::string rowBegin(const Family &family) { return "| `" + std::string(family.name) + "` |"; }

} // namespace

std::string rowOf(const Family &family, const Found &found) {
  std::string row = rowBegin(family);
  for (const auto &[model, outcomes] : llvm::zip(modelNames(), found.outcomes))
    row += " " + cellOf(family, model, outcomes) + " |";
  return row;
}

std::string headOfTable() {
  std::string head = "| schedule |", rule = "|---|";
  for (const char *model : modelNames()) {
    head += std::string(" ") + model + " |";
    rule += "---|";
  }
  return head + "\n" + rule + "\n";
}

std::string notesOfTable() {
  std::string notes;
  for (const auto &[k, reason] : llvm::enumerate(reasons()))
    notes += "\n" + std::to_string(k + 1) + ". " + reason + "\n";
  return notes;
}

std::optional<std::string> rowIn(llvm::StringRef document, const Family &family) {
  const std::size_t at = document.find("\n" + rowBegin(family));
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  return document.drop_front(at + 1).take_until([](char c) { return c == '\n'; }).str();
}

std::optional<std::string> withTable(llvm::StringRef document, llvm::StringRef table) {
  const std::size_t begin = document.find(begins), end = document.find(ends);
  if (begin == llvm::StringRef::npos || end == llvm::StringRef::npos || end < begin)
    return std::nullopt;
  return (document.take_front(begin + begins.size()) + table + document.drop_front(end)).str();
}

} // namespace plumbline::schedules::sweep
