// From a schedule family and sizes to a file: generate, lower as far as the format needs, print. No exits.
#pragma once

#include "schedules/family/family.h"
#include "verifier/ir/diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::cli {

enum class Emit : std::uint8_t {
  pir,       // the whole program
  csv,       // PyTorch CSV, computing only
  csv_comms, // PyTorch CSV with the messages that lowering adds
  deepspeed, // DeepSpeed's instruction lists
};

struct GenerateSettings {
  Sizes sizes;
  std::vector<schedules::OptionText> options;
  Emit emit = Emit::pir;
};

// The text. Errors, in the name of the family: sizes or options that the family refuses, and what the format cannot
// hold. Linear in the size of the schedule.
Result<std::string> generateText(const schedules::Family &family, const GenerateSettings &settings);

// A line for each family: name, memory, bubble, options, paper.
void listFamilies(llvm::ArrayRef<const schedules::Family *> families, llvm::raw_ostream &out);

// All there is to say about one family, its options with their meaning and range included.
void describeFamily(const schedules::Family &family, llvm::raw_ostream &out);

} // namespace plumbline::cli
