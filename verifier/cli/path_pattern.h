// Patterns of paths, as shells and .gitignore have them.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace plumbline::cli {

// Has it a character that makes it a pattern: *, ? or [?
bool isPattern(llvm::StringRef text);

// Does the whole path match? Both are cut at each '/'. In a part, * stands for any characters, ? for one, [...] for one
// of a set (POSIX fnmatch); none of them matches a dot at the begin of a part. A part ** stands for any number of
// parts, also none, that do not begin with a dot. Exponential in the number of ** only.
bool matchesPath(llvm::StringRef pattern, llvm::StringRef path);

// The same for leaving out: a pattern without '/' is about every part of the path, as in .gitignore; one with it about
// the path from its begin. What lies below a match matches too.
bool excludesPath(llvm::StringRef pattern, llvm::StringRef path);

} // namespace plumbline::cli
