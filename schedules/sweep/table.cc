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

std::string descriptionOf(const Family &family) {
  std::vector<std::string> options;
  for (const Option &option : optionsOf(family))
    options.emplace_back(option.name);
  return rowBegin(family) + " " + family.title + " | " + family.memory + " | " + family.bubble + " | " +
         llvm::join(options, ", ") + " | " + family.paper + " |";
}

std::string headOfDescriptions() {
  return "| schedule | what it is | memory | bubble | options | from |\n|---|---|---|---|---|---|\n";
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

std::optional<std::string> withTables(llvm::StringRef document, llvm::StringRef tables) {
  const std::size_t begin = document.find(begins), end = document.find(ends);
  if (begin == llvm::StringRef::npos || end == llvm::StringRef::npos || end < begin)
    return std::nullopt;
  return (document.take_front(begin + begins.size()) + tables + document.drop_front(end)).str();
}

} // namespace plumbline::schedules::sweep
