#include "tests/differential/host_backend.h"

#include "runtime/host/threads.h"
#include "runtime/host/timing.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::oracle {
namespace {

using check::RuleId;

constexpr int randomTimings = 4;

class NoWork : public runtime::Worker {
public:
  std::string work(runtime::InstructionIndex) override { return ""; }
};

bool saysHazard(const check::Verification &v) {
  return v.explainedReads > 0 || llvm::any_of(v.findings, [](const check::Finding &f) {
           return f.severity == check::Severity::error &&
                  (f.rule == RuleId::overwritten || f.rule == RuleId::read_before_written ||
                   f.rule == RuleId::written_twice);
         });
}

model::Options independent(model::Options options) {
  options.streams = model::Streams::independent;
  return options;
}

bool getsStuck(const runtime::Plan &plan) {
  runtime::Effects effects;
  runtime::Machine machine(plan, effects);
  NoWork work;
  runtime::RankThreads threads(plan, machine, work, std::chrono::nanoseconds(0));
  return threads.run() == runtime::End::stuck;
}

} // namespace

bool hostGetsStuck(const Program &program, const model::Options &options) {
  std::string wrong;
  return getsStuck(runtime::makePlan(program, independent(options), wrong));
}

std::string hostDifference(const Program &program, const model::Options &options, const check::Verification &v,
                           std::uint64_t seed) {
  std::string wrong;
  const runtime::Plan plan = runtime::makePlan(program, independent(options), wrong);
  if (!wrong.empty())
    return "the host backend refuses: " + wrong;
  if (const bool stuck = getsStuck(plan); stuck == v.finishes)
    return stuck ? "the host backend gets stuck, the verifier says that everything ends"
                 : "the host backend finishes, the verifier says that something cannot end";
  const std::optional<runtime::Violation> violation = runtime::findViolation(plan, seed, randomTimings);
  if (violation.has_value() == saysHazard(v))
    return "";
  return violation ? "the host backend trips, the verifier finds no hazard: " + runtime::describe(program, *violation)
                   : "the verifier finds a hazard, no timing of the host backend trips";
}

} // namespace plumbline::oracle
