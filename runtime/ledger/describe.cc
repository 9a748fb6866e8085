#include "runtime/ledger/ledger.h"

#include "verifier/ir/words.h"

namespace plumbline::runtime {

std::string describe(const Program &program, const Violation &v) {
  const std::string slot = slotName(program, {v.pool, v.slot, AccessMode::read, v.expected});
  const std::string what = fullNameOf(program, v.instruction);
  const std::string other = v.other.valid() ? fullNameOf(program, v.other) : "";
  const StageId stage = program.at(v.instruction).stage;
  const std::string expected = nameOf(program, v.expected, stage), found = nameOf(program, v.found, stage);
  switch (v.kind) {
  case ViolationKind::overwritten:
    return what + " writes " + slot + " while " + other + " is using " + expected + " there";
  case ViolationKind::needed:
    return what + " overwrites " + slot + ", which still holds " + expected + " for " + other;
  case ViolationKind::incomplete:
    return what + " reads " + expected + " in " + slot + " while " + other + " is writing it";
  case ViolationKind::unread:
    return what + " overwrites " + expected + " in " + slot + ", which nothing has read";
  case ViolationKind::missing:
    break;
  }
  return what + " expects " + expected + " in " + slot +
         (other.empty() ? ", and nothing has been written there"
                        : ", and finds " + found + " that " + other + " put there");
}

} // namespace plumbline::runtime
