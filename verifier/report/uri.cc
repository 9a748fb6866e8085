#include "verifier/report/uri.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace plumbline::report {
namespace {

bool isUnreserved(char c) { return llvm::isAlnum(c) || llvm::StringRef("-._~").contains(c); }

void addEncoded(llvm::StringRef part, std::string &uri) {
  for (const char c : part) {
    if (isUnreserved(c)) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += {'%', llvm::hexdigit(byte >> 4U), llvm::hexdigit(byte & 15U)};
  }
}

} // namespace

std::string uriOf(llvm::StringRef file) {
  const bool absolute = file.starts_with("/");
  std::string uri = absolute ? "file:///" : "";
  llvm::SmallVector<llvm::StringRef, 8> parts;
  file.split(parts, '/', -1, false);
  bool first = true;
  for (const llvm::StringRef part : parts) {
    if (part == ".")
      continue;
    if (!first)
      uri += '/';
    first = false;
    addEncoded(part, uri);
  }
  return uri.empty() ? "." : uri;
}

} // namespace plumbline::report
