// PL301, PL302, PL303: can every instruction end? If not, the shortest cycle of waits says why.
#pragma once

#include "verifier/check/context.h"

namespace plumbline::check {

// Asks Z3 whether the constraints have a solution; a knot of waits becomes a finding with its shortest cycle, which
// Z3 confirms to be unsatisfiable and minimal. Findings carry `rule` (wait_cycle, or first_use for a graph with
// connections) and `severity`.
void checkDeadlock(const Context &context, RuleId rule, Severity severity);

// Puts an order of events before Z3 (see smt::Session::proveSatisfiable): is there an execution of all that happens in
// `order`? `extra` are constraints beside the graph's, and must have been given to orderEvents too.
smt::Judgement proveOrder(const model::EventGraph &graph, const model::Order &order,
                          llvm::ArrayRef<model::ExtraEdge> extra, smt::Session &session, const std::string &what);

} // namespace plumbline::check
