// Programs of the library's families, as they would be run.
#pragma once

#include "schedules/family/family.h"
#include "verifier/ir/program.h"
#include "verifier/model/options.h"

#include <optional>
#include <vector>

namespace plumbline::runtime::testing {

// The family's Program for those sizes, and the model that it is judged under by default; nothing if the family refuses
// the sizes. `words` as in schedules/testing: "recompute=yes".
struct Sized {
  Program program;
  model::Options options;
};
std::optional<Sized> programOf(const schedules::Family &family, std::int32_t ranks, std::int32_t microbatches,
                               llvm::ArrayRef<schedules::OptionText> words = {});

// On every stage gradients of the microbatches are finished in the order of their numbers.
bool inOrder(const Program &program);

} // namespace plumbline::runtime::testing
