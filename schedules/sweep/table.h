// The table of docs/schedules.md: what the sweep found for each family under each model.
#pragma once

#include "schedules/family/family.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace plumbline::schedules::sweep {

// What came out for one family: by model, in the order of modelNames().
struct Found {
  std::vector<std::set<std::string>> outcomes;
};

// "| `gpipe` | verified | verified | ... |": a model's cell lists the outcomes, each rejection with the number of its
// note.
std::string rowOf(const Family &family, const Found &found);

// The head of the table, and the notes below it, made from documented().
std::string headOfTable();
std::string notesOfTable();

// The table's row for the family in a document; nothing if it has none.
std::optional<std::string> rowIn(llvm::StringRef document, const Family &family);

// The document with its table, between the two marker lines, replaced; nothing without the markers.
std::optional<std::string> withTable(llvm::StringRef document, llvm::StringRef table);

} // namespace plumbline::schedules::sweep
