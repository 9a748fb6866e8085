// The options of a stage: "width=64,layers=2". Read strictly, since a misspelt option that is passed over costs a run.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace plumbline::stages {

// A number in a range, or one of a few words.
struct Option {
  const char *name = nullptr;
  const char *meaning = nullptr; // for people, a few words
  double initial = 0;            // value where the user says nothing; of words, the index
  double least = 0;
  double most = 0;
  bool whole = true; // else fractions are allowed
  llvm::ArrayRef<const char *> words = {};
};

class Options {
public:
  // Reads the text against the options that there are. What is wrong, naming the option, what is allowed and what was
  // given; empty: nothing.
  std::string read(llvm::ArrayRef<Option> known, llvm::StringRef text);

  // Values of options that are known.
  [[nodiscard]] double number(llvm::StringRef name) const;
  [[nodiscard]] std::int64_t whole(llvm::StringRef name) const { return static_cast<std::int64_t>(number(name)); }
  [[nodiscard]] bool given(llvm::StringRef name) const { return given_.contains(name); }

private:
  std::string readOne(llvm::ArrayRef<Option> known, llvm::StringRef entry);

  llvm::StringMap<double> values_;
  llvm::StringMap<bool> given_;
};

// A line for each option, for --help: name, value if not given, meaning, what is allowed.
std::string describe(llvm::ArrayRef<Option> options);

} // namespace plumbline::stages
