#include "verifier/smt/exclusive.h"

#include <z3++.h>

#include <algorithm>

namespace plumbline::smt {
namespace {

using Clock = std::chrono::steady_clock;

class ExclusiveQuery {
public:
  ExclusiveQuery(llvm::ArrayRef<ExclusiveUnit> units, const Budget &budget) : units_(units), solver_(context_) {
    z3::params parameters(context_);
    parameters.set("random_seed", budget.seed);
    if (budget.deadline != Clock::time_point::max()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(budget.deadline - Clock::now()).count();
      parameters.set("timeout", static_cast<unsigned>(std::clamp<std::int64_t>(left, 1, 1'000'000'000)));
    }
    solver_.set(parameters);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const std::string n = std::to_string(i);
      begun_.push_back(context_.bool_const(("b" + n).c_str()));
      ended_.push_back(context_.bool_const(("e" + n).c_str()));
      begin_.push_back(context_.int_const(("B" + n).c_str()));
      end_.push_back(context_.int_const(("E" + n).c_str()));
    }
  }

  z3::check_result run() {
    for (std::uint32_t i = 0; i < units_.size(); ++i)
      addRules(i);
    for (std::uint32_t i = 0; i < units_.size(); ++i)
      for (std::uint32_t j = i + 1; j < units_.size(); ++j)
        if (units_[i].device == units_[j].device && units_[i].device != UINT32_MAX)
          addExclusion(i, j);
    addStuck();
    return solver_.check();
  }

  std::string reason() { return solver_.reason_unknown(); }

  ExclusiveHang hang() {
    const z3::model model = solver_.get_model();
    std::vector<std::pair<std::int64_t, std::uint32_t>> order;
    ExclusiveHang result;
    for (std::uint32_t i = 0; i < units_.size(); ++i) {
      if (!model.eval(begun_[i], true).is_true())
        continue;
      order.emplace_back(model.eval(begin_[i], true).get_numeral_int64(), i);
      if (!model.eval(ended_[i], true).is_true())
        result.held.push_back(i);
    }
    std::sort(order.begin(), order.end());
    for (const auto &[time, unit] : order)
      result.begun.push_back(unit);
    return result;
  }

private:
  void addRules(std::uint32_t i) {
    const ExclusiveUnit &unit = units_[i];
    solver_.add(z3::implies(ended_[i], begun_[i] && end_[i] > begin_[i]));
    if (unit.neverEnds)
      solver_.add(!ended_[i]);
    for (const std::uint32_t j : unit.beginAfter)
      solver_.add(z3::implies(begun_[i], ended_[j] && begin_[i] >= end_[j]));
    for (const std::uint32_t j : unit.endAfter)
      solver_.add(z3::implies(ended_[i], begun_[j] && end_[i] > begin_[j]));
  }

  void addExclusion(std::uint32_t i, std::uint32_t j) {
    solver_.add(z3::implies(begun_[i] && begun_[j],
                            (ended_[i] && begin_[j] >= end_[i]) || (ended_[j] && begin_[i] >= end_[j])));
  }

  // Nothing can begin or end, and not everything has ended.
  void addStuck() {
    z3::expr_vector unfinished(context_);
    for (std::uint32_t i = 0; i < units_.size(); ++i) {
      const ExclusiveUnit &unit = units_[i];
      unfinished.push_back(!ended_[i]);
      z3::expr_vector cannotEnd(context_), cannotBegin(context_);
      cannotEnd.push_back(context_.bool_val(unit.neverEnds));
      for (const std::uint32_t j : unit.endAfter)
        cannotEnd.push_back(!begun_[j]);
      cannotBegin.push_back(context_.bool_val(false));
      for (const std::uint32_t j : unit.beginAfter)
        cannotBegin.push_back(!ended_[j]);
      for (std::uint32_t k = 0; k < units_.size(); ++k)
        if (k != i && unit.device != UINT32_MAX && units_[k].device == unit.device)
          cannotBegin.push_back(begun_[k] && !ended_[k]);
      solver_.add(z3::implies(begun_[i] && !ended_[i], z3::mk_or(cannotEnd)));
      solver_.add(begun_[i] || z3::mk_or(cannotBegin));
    }
    solver_.add(z3::mk_or(unfinished));
  }

  llvm::ArrayRef<ExclusiveUnit> units_;
  z3::context context_;
  z3::solver solver_;
  std::vector<z3::expr> begun_, ended_, begin_, end_;
};

} // namespace

Answer findHang(llvm::ArrayRef<ExclusiveUnit> units, const Budget &budget, ExclusiveHang *hang, std::string *reason,
                Statistics *statistics) {
  const auto start = Clock::now();
  Answer answer = Answer::unknown;
  if (Clock::now() >= budget.deadline) {
    *reason = "timeout";
    return answer;
  }
  ++statistics->queries;
  try {
    ExclusiveQuery query(units, budget);
    const z3::check_result result = query.run();
    answer = result == z3::sat ? Answer::yes : result == z3::unsat ? Answer::no : Answer::unknown;
    if (result == z3::sat)
      *hang = query.hang();
    else if (result == z3::unknown)
      *reason = query.reason();
  } catch (const z3::exception &error) {
    *reason = error.msg();
  }
  statistics->seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return answer;
}

} // namespace plumbline::smt
