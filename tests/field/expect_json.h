// tests/corpus/field/EXPECT.json: what there is to find in each schedule made after a public bug report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::testing {

// One command line of an entry.
struct FieldLine {
  std::string arguments;
  std::string verdict;
  std::vector<std::string> families; // of the rules, as "PL3"; sorted
};

// Slots of pool `inputs` on one stage, for the order as printed.
struct FieldSlots {
  std::int64_t stage = 0, declared = 0, least = 0;
};

struct FieldEntry {
  std::string id;
  std::string format;
  std::string schedule;                             // file name; empty for programs in JSON and HLO
  std::string batches;                              // file name; empty: none
  std::map<std::string, std::string> communication; // outcome by name of the model: ok, deadlock, mismatch or size
  std::map<std::string, std::string> otherModels;
  std::optional<std::int64_t> leastRoom; // per channel, to finish; none: no room up to 64 will do
  std::vector<FieldSlots> slots;
  // Most activations that a rank may keep at a time (the largest of the ranks' limits), from the entry's `meta` file.
  std::optional<std::int64_t> mostActivations;
  std::vector<FieldLine> lines;
  std::vector<std::string> files; // of all kinds
};

inline const std::string fieldFolder = "tests/corpus/field/";

// All entries. A file that cannot be read fails the test.
std::vector<FieldEntry> readFieldEntries();

} // namespace plumbline::testing
