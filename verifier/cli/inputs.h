// Which files are meant by the names on the command line: files, folders and patterns.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace plumbline::cli {

struct Input {
  std::string file;     // as it is opened and shown; "-" is standard input
  std::string batches;  // the file with its fused launches; empty: none
  std::string relative; // its path below the folder that was named; without a folder, its own name
  std::string wrong;    // set for a name that means no file, a folder without one, or one that cannot be read
};

// What is wrong with a folder without any schedule.
inline constexpr const char *holdsNoSchedules =
    "holds no schedules: no file below it, but for what --exclude leaves out, ends in .csv, .txt, .json or .pir";

struct InputRules {
  std::vector<std::string> excluded; // patterns of what is left out of folders and patterns
  bool pairBatches = false;          // X.batches.csv belongs to X.csv also where X.csv was named as a file
};

// In the order of the names; of a folder or pattern by path, byte by byte. A folder means all files below it whose
// names end in .csv, .txt, .json or .pir; links to folders are not followed, and names that begin with a dot are left
// out. A name with *, ? or [ that is no file is a pattern (path_pattern.h), and means whatever matches. Where a folder
// or a pattern gives X.csv, X.batches.csv beside it is no schedule of its own but the fused launches of it. What a
// folder or pattern gives is listed once, however many of the names mean it. Never empty for names that are not.
std::vector<Input> findInputs(llvm::ArrayRef<std::string> names, const InputRules &rules);

} // namespace plumbline::cli
