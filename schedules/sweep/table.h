// The tables of docs/schedules.md: what the families are, and what the sweep found for each family under each model.
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

// "| `gpipe` | all forward ... | M | (S-1)(F+B) | recompute | Huang et al. 2019 |": what the family is.
std::string descriptionOf(const Family &family);

// "| `gpipe` | verified | verified | ... |": a model's cell lists the outcomes, each rejection with the number of its
// note.
std::string rowOf(const Family &family, const Found &found);

// The heads of both tables, and the notes below the second, made from documented().
std::string headOfDescriptions();
std::string headOfTable();
std::string notesOfTable();

// The document with its tables, between the two marker lines, replaced; nothing without the markers.
std::optional<std::string> withTables(llvm::StringRef document, llvm::StringRef tables);

} // namespace plumbline::schedules::sweep
