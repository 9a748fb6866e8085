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
};

struct InputOptions {
  std::vector<std::string> excluded; // patterns of paths that are left out of folders and patterns
  bool pairBatches = false;          // X.batches.csv belongs to X.csv also where X.csv was named as a file
};

struct Inputs {
  std::vector<Input> files; // in the order of the names; of a folder or pattern by path, byte by byte
  std::string wrong;        // a name that means no file, or a folder that cannot be read; empty if there is none
};

// A folder means all files below it whose names end in .csv, .txt, .json or .pir; links to folders are not followed,
// and names that begin with a dot are left out. A name with *, ? or [ that is no file is a pattern: * and ? match
// within one part of a path, ** any number of parts. Where a folder or a pattern gives X.csv, X.batches.csv beside it
// is no schedule of its own but the fused launches of it. A file that several names mean is listed once.
Inputs findInputs(llvm::ArrayRef<std::string> names, const InputOptions &options);

} // namespace plumbline::cli
