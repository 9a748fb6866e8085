// An input text and the name under which messages speak of it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline::frontend {

struct Source {
  std::string name; // as shown to the user
  llvm::StringRef text;
};

} // namespace plumbline::frontend
