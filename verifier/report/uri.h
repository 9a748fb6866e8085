// File names as they stand in formats that want URIs.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline::report {

// A reference by RFC 3986 for any bytes: "file:///..." for a name that begins with '/', else relative. Whatever is not
// unreserved there is percent-encoded, so a name cannot be taken for a scheme, a query or a fragment. Empty and '.'
// parts of a path mean nothing and are left out; '..' stays. Never empty. Linear.
std::string uriOf(llvm::StringRef file);

} // namespace plumbline::report
