// What the parts of the `.pir` reader share: the text, what it has named so far, and the Program it makes.
//
// Every function of the reader that returns a bool returns false once it has told the lexer what is wrong.
#pragma once

#include "verifier/ir/builder.h"
#include "verifier/ir/limits.h"
#include "verifier/ir/pir_lexer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::pir {

constexpr std::int32_t highestNumber = static_cast<std::int32_t>(maxNumber) - 1;
constexpr std::int32_t maxInt = std::numeric_limits<std::int32_t>::max();

// A number that can only be judged once the whole text is read, and where it stands.
struct Pending {
  std::int32_t number = -1;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct PlacementLine {
  Pending stage;
  RankId rank; // invalid: on no rank
};

// Ids by name; a name that several things have refers to none of them.
class Names {
public:
  void add(llvm::StringRef name, std::int32_t id);
  // The id, `none` or `several`.
  [[nodiscard]] std::int32_t find(llvm::StringRef name) const;
  void clear() { ids_.clear(); }

  static constexpr std::int32_t none = -1;
  static constexpr std::int32_t several = -2;

private:
  llvm::StringMap<std::int32_t> ids_;
};

// The rank whose block is being read.
struct OpenRank {
  RankId id;
  Names pools;
  llvm::StringMap<InstructionId> named;
  GroupId group; // the open one, if any
};

struct Reading {
  explicit Reading(const std::string &name) : file(name), lexer(name) { builder.program().name = name; }

  Program &program() { return builder.program(); }
  // The text itself is the file behind those of the header, which are all known once the first rank begins.
  FileId fileOfText() { return FileId(static_cast<std::int32_t>(program().files.size())); }
  // The place of the next word, for a number yet to be read.
  Pending pending() { return {-1, lexer.line(), lexer.column()}; }
  // Reads a rank's number; whether there is such a rank is judged at the end.
  bool rank(RankId &result);

  const std::string &file;
  PirLexer lexer;
  ProgramBuilder builder;

  std::int32_t stages = -1, microbatches = -1, groups = -1; // as the header says; -1: it does not
  std::int32_t highestMicrobatch = -1, highestGroup = -1;   // of those named
  std::vector<Pending> ranksNamed, stagesNamed;
  std::vector<PlacementLine> placement;
  llvm::DenseMap<std::int32_t, std::int32_t> firstRank; // of each stage with an instruction
  Names communicators;
  llvm::DenseMap<std::int32_t, std::vector<std::int32_t>> headerPools; // by rank
  OpenRank open;
};

// Reads NAME or NAME#N. `isNamed` says whether there is an N and it has that name.
bool parseReference(Reading &reading, const char *what, const Names &names,
                    llvm::function_ref<bool(std::size_t id, llvm::StringRef name)> isNamed, std::int32_t &id);

template <typename Kind> std::optional<Kind> kindFromName(llvm::StringRef text, int count) {
  for (int i = 0; i < count; ++i)
    if (text == name(static_cast<Kind>(i)))
      return static_cast<Kind>(i);
  return std::nullopt;
}

} // namespace plumbline::pir
