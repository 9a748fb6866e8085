#include "tests/differential/compare.h"

#include "tests/differential/any_streams.h"
#include "tests/differential/executor.h"
#include "tests/differential/hazards.h"
#include "tests/differential/host_backend.h"
#include "verifier/check/verify.h"
#include "verifier/lower/communicators.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::oracle {
namespace {

using check::RuleId;
using check::Severity;

Program withCommunicators(Program program, model::Comms comms) {
  if (comms != model::Comms::given)
    lower::setCommunicators(program, comms == model::Comms::single ? lower::Communicators::single
                                     : comms == model::Comms::pair ? lower::Communicators::pair
                                                                   : lower::Communicators::directed);
  return program;
}

bool hasError(const check::Verification &v, std::initializer_list<RuleId> rules) {
  return llvm::any_of(v.findings, [&](const check::Finding &f) {
    return f.severity == Severity::error && llvm::is_contained(rules, f.rule);
  });
}

std::string compareHang(const check::Verification &v, bool hangs) {
  if (v.finishes == hangs)
    return hangs ? "the executor hangs, the verifier says that everything ends"
                 : "the executor finishes, the verifier says that something cannot end";
  // What cannot end must be said, and nothing said of what can.
  const bool cycle = hasError(v, {RuleId::wait_cycle, RuleId::no_room});
  const bool partner = hasError(v, {RuleId::unmatched_send, RuleId::unmatched_receive, RuleId::collective_mismatch});
  if (hangs && !cycle && !partner)
    return "the program hangs, and no finding says so";
  if (!hangs && cycle)
    return "the program finishes, and a finding says that it hangs";
  return "";
}

// What finishes is judged once more with connections made at first use.
std::string compareFirstUse(const Program &program, const model::Options &options, const check::Verification &v) {
  if (options.connect != model::Connect::ready || !v.finishes)
    return "";
  model::Options connecting = options;
  connecting.connect = model::Connect::firstUse;
  const bool said = llvm::any_of(v.findings, [](const check::Finding &f) { return f.rule == RuleId::first_use; });
  // A host that waits for one that never connects has a message without its other end.
  const bool partner = hasError(v, {RuleId::unmatched_send, RuleId::unmatched_receive});
  const bool hung = hangs(program, connecting);
  if (hung == said || (hung && partner))
    return "";
  return said ? "connecting at first use does not hang, a finding says that it does"
              : "connecting at first use hangs, and no finding says so";
}

std::string compareHazards(const check::Verification &v, const Instances &instances) {
  const HazardReport report = findHazards(instances);
  // Behind a hang a value may look unread only because its reader never comes; neither side counts that.
  const bool executor = llvm::any_of(report.hazards, [](const Hazard &h) { return !h.pendingReader; });
  const bool verifier =
      v.explainedReads > 0 || hasError(v, {RuleId::overwritten, RuleId::read_before_written, RuleId::written_twice});
  if (executor != verifier)
    return executor ? "the executor shows a hazard (" + std::string(name(report.hazards.front().kind)) +
                          "), the verifier finds none"
                    : "the verifier finds a hazard, the executor shows none";
  const bool leaks =
      v.explainedLeaks > 0 || llvm::any_of(v.findings, [](const check::Finding &f) { return f.rule == RuleId::leak; });
  // Of two values that race for a slot each may be the one that stays; then the hazard is what matters.
  if (v.finishes && !executor && leaks == report.leaks.empty())
    return leaks ? "the verifier finds a leak, the executor none" : "the executor shows a leak, the verifier none";
  return "";
}

std::string compareSlots(const check::Verification &v, const Instances &instances) {
  if (instances.ambiguous()) // what lives how long is a matter of convention then
    return "";
  for (const check::SlotCount &count : v.slots) {
    const std::optional<int> least = leastSlots(instances, count.pool);
    if (least && *least != count.least)
      return "pool " + std::to_string(count.pool.value()) + " needs " + std::to_string(*least) +
             " slots by search, the verifier says " + std::to_string(count.least);
  }
  return "";
}

std::string compareStreams(const Program &program, const model::Options &options, const check::Verification &v) {
  if (options.streams != model::Streams::any || !v.finishes)
    return "";
  const std::optional<bool> hangs = streamsAnyHangs(program, options);
  if (!hangs || *hangs == hasError(v, {RuleId::any_stream}))
    return "";
  return *hangs ? "some order of the streams hangs, the verifier finds none"
                : "the verifier finds an order that hangs, exhaustive search finds none";
}

} // namespace

std::string difference(const Program &given, const model::Options &options, smt::Session &session) {
  const Program program = withCommunicators(given, options.comms);
  check::VerifyOptions verifyOptions;
  verifyOptions.model = options;
  verifyOptions.findingsPerRule = 3;
  const check::Verification v = check::verify(program, verifyOptions, session);
  if (!v.undecided.empty())
    return "undecided: " + v.undecided.front();
  if (std::string wrong = compareHang(v, hangs(program, options)); !wrong.empty())
    return wrong;
  if (std::string wrong = compareFirstUse(program, options, v); !wrong.empty())
    return wrong;
  const Layout layout(program, options);
  const Instances instances(layout);
  if (std::string wrong = compareHazards(v, instances); !wrong.empty())
    return wrong;
  if (std::string wrong = compareSlots(v, instances); !wrong.empty())
    return wrong;
  if (std::string wrong = hostDifference(program, options, v, program.instructions.size()); !wrong.empty())
    return wrong;
  return compareStreams(program, options, v);
}

std::string describe(const model::Options &o) {
  const char *kinds[] = {"blocking", "nccl", "mpi"};
  const char *comms[] = {"given", "single", "pair", "directed"};
  const char *groups[] = {"given", "none", "atomic"};
  return std::string(kinds[static_cast<int>(o.kind)]) + " comms=" + comms[static_cast<int>(o.comms)] +
         " group=" + groups[static_cast<int>(o.grouping)] + " wait=" + (o.wait == model::Wait::use ? "use" : "group") +
         " connect=" + (o.connect == model::Connect::ready ? "ready" : "first-use") +
         " streams=" + (o.streams == model::Streams::any ? "any" : "independent") + " room=" + std::to_string(o.room) +
         " room-bytes=" + std::to_string(o.roomBytes) + " plan=" + std::to_string(o.plan);
}

} // namespace plumbline::oracle
