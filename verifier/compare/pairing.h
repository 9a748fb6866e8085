// Which files of two folders are versions of each other.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::compare {

struct NamedContent {
  std::string name;    // its path below the folder
  std::string content; // or a digest; equal exactly if the contents are. Empty: not known, so equal to nothing
};

struct FilePair {
  std::optional<std::size_t> base, next; // indices; at least one is there
  bool equal = false;                    // of equal content
};

// Pairs files of equal names; then a removed file and an added one of equal content, which is a rename, in order of
// their names. The rest is added or removed. Names are unique on each side. Sorted by the new name, or the base's where
// there is no other. O(n log n).
std::vector<FilePair> pairFiles(llvm::ArrayRef<NamedContent> base, llvm::ArrayRef<NamedContent> next);

} // namespace plumbline::compare
