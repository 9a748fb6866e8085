// Text of unknown origin within Markdown as GitHub and GitLab show it: it stays what it is, text.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline::report {

// A code span, of at most about `most` bytes of the text. In code spans neither host looks for markup, HTML, links,
// @mentions or #references (GitHub Flavored Markdown 6.1; both leave code alone when they link names). Its fence is
// longer than any row of backticks in the text; what cannot be seen becomes '?' as printable() says, and '|', which
// would end a cell of a table even here, the broken bar. Stands on one line.
std::string codeSpan(llvm::StringRef text, std::size_t most = 200);

// A fenced block with the lines of the text, which ends with a line end, treated as above but for '|'.
std::string codeBlock(llvm::StringRef text);

} // namespace plumbline::report
