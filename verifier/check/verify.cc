#include "verifier/check/verify.h"

#include "verifier/check/budget.h"
#include "verifier/check/completeness.h"
#include "verifier/check/data_flow.h"
#include "verifier/check/deadlock.h"
#include "verifier/check/matching.h"
#include "verifier/check/slots.h"
#include "verifier/check/streams.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace plumbline::check {
namespace {

void checkOrderAndCompleteness(const Context &context) {
  const Catalogue catalogue(context.program);
  checkCompleteness(context, catalogue);
  checkDataFlowOrder(context, catalogue);
  checkOptimizerOrder(context);
}

void checkHangs(const Context &context) { checkDeadlock(context, RuleId::wait_cycle, Severity::error); }

// The properties, in the order of their rules. A new property is one more row.
using Property = void (*)(const Context &);
constexpr Property properties[] = {checkOrderAndCompleteness, checkMatching, checkHangs, checkStreams, checkSlots};

// What hangs only while connections are made: a warning, or an error when asked to be strict.
void checkFirstUse(const Context &context, bool strict) {
  model::Options options = context.options;
  options.connect = model::Connect::firstUse;
  const model::EventGraph graph = model::buildEventGraph(context.program, options);
  const model::Order order = model::orderEvents(graph);
  const Context connected{context.program, options,          graph,         order,
                          context.session, context.findings, context.slots, context.undecided};
  checkDeadlock(connected, RuleId::first_use, strict ? Severity::error : Severity::warning);
}

// A read that finds nothing because its producer is missing or late on the rank is one fault, not two; nor is what a
// microbatch that does not exist leaves behind.
void dropConsequences(const Program &program, Verification &result) {
  llvm::DenseSet<std::int32_t> explained;
  for (const Finding &f : result.findings)
    if ((f.rule == RuleId::data_flow_order || f.rule == RuleId::missing_message || f.rule == RuleId::missing_forward) &&
        f.instruction.valid())
      explained.insert(f.instruction.value());
  llvm::erase_if(result.findings, [&](const Finding &f) {
    const bool leak = f.rule == RuleId::leak && f.microbatch.value() >= program.microbatches;
    const bool read =
        f.rule == RuleId::read_before_written && f.instruction.valid() && explained.contains(f.instruction.value());
    result.explainedLeaks += leak;
    result.explainedReads += read;
    return leak || read;
  });
}

smt::Statistics difference(const smt::Statistics &now, const smt::Statistics &then) {
  return {now.queries - then.queries, now.reused - then.reused, now.seconds - then.seconds};
}

bool before(const Finding &a, const Finding &b) {
  const auto key = [](const Finding &f) {
    return std::make_tuple(-static_cast<int>(f.severity), static_cast<int>(f.rule) / 100, f.location.file,
                           f.location.line, f.location.column, static_cast<int>(f.rule));
  };
  return key(a) < key(b);
}

} // namespace

Verification verify(const Program &program, const VerifyOptions &options, smt::Session &session) {
  Verification result;
  Findings findings(options.findingsPerRule);
  const smt::Statistics earlier = session.statistics();
  const model::EventGraph graph = model::buildEventGraph(program, options.model);
  const model::Order order = model::orderEvents(graph);
  const Context context{program, options.model, graph, order, session, findings, result.slots, result.undecided};
  for (const Property property : properties)
    property(context);
  checkBudget(context, options.limits, result.bubble); // after the slots are counted
  if (options.model.connect == model::Connect::ready && order.complete(graph))
    checkFirstUse(context, options.strict);
  result.finishes = order.complete(graph);
  result.findings = std::move(findings.kept);
  dropConsequences(program, result);
  llvm::stable_sort(result.findings, before);
  result.verdict = findings.anyError           ? Verdict::rejected
                   : !result.undecided.empty() ? Verdict::undecided
                                               : Verdict::verified;
  result.dropped = std::move(findings.dropped);
  result.solver = difference(session.statistics(), earlier);
  return result;
}

} // namespace plumbline::check
