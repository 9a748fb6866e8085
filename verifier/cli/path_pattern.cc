#include "verifier/cli/path_pattern.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

#include <fnmatch.h>

namespace plumbline::cli {
namespace {

using Parts = llvm::SmallVector<llvm::StringRef, 16>;

Parts partsOf(llvm::StringRef text) {
  Parts parts;
  text.split(parts, '/');
  llvm::erase(parts, ".");
  return parts;
}

bool matchesPart(llvm::StringRef pattern, llvm::StringRef part) {
  return ::fnmatch(pattern.str().c_str(), part.str().c_str(), FNM_PERIOD | FNM_NOESCAPE) == 0;
}

bool matchesParts(llvm::ArrayRef<llvm::StringRef> pattern, llvm::ArrayRef<llvm::StringRef> path) {
  for (; !pattern.empty(); pattern = pattern.drop_front(), path = path.drop_front()) {
    if (pattern.front() == "**") {
      if (matchesParts(pattern.drop_front(), path))
        return true;
      return !path.empty() && !path.front().starts_with(".") && matchesParts(pattern, path.drop_front());
    }
    if (path.empty() || !matchesPart(pattern.front(), path.front()))
      return false;
  }
  return path.empty();
}

} // namespace

bool isPattern(llvm::StringRef text) { return text.find_first_of("*?[") != llvm::StringRef::npos; }

bool matchesPath(llvm::StringRef pattern, llvm::StringRef path) {
  return matchesParts(partsOf(pattern), partsOf(path));
}

bool excludesPath(llvm::StringRef pattern, llvm::StringRef path) {
  pattern.consume_back("/");
  const Parts parts = partsOf(path);
  if (!pattern.contains('/'))
    return llvm::any_of(parts, [&](llvm::StringRef part) { return matchesPart(pattern, part); });
  const Parts wanted = partsOf(pattern);
  for (std::size_t n = 1; n <= parts.size(); ++n)
    if (matchesParts(wanted, llvm::ArrayRef(parts).take_front(n)))
      return true;
  return false;
}

} // namespace plumbline::cli
