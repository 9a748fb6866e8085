#include "verifier/compare/change.h"

namespace plumbline::compare {

llvm::StringRef name(Grade grade) {
  static constexpr const char *names[] = {"worse", "undecided", "allowed", "better", "changed"};
  return names[static_cast<std::size_t>(grade)];
}

llvm::StringRef name(Subject subject) {
  static constexpr const char *names[] = {"input",       "verdict",   "error",   "warning",  "declared_slots",
                                          "least_slots", "in_flight", "bubble",  "makespan", "mode",
                                          "model",       "room",      "question"};
  return names[static_cast<std::size_t>(subject)];
}

} // namespace plumbline::compare
