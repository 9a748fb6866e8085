#include "verifier/smt/session.h"

#include "verifier/smt/windows.h"

#include <atomic>
#include <thread>

namespace plumbline::smt {
namespace {

// The whole content of a query as bytes: equal content, equal question.
std::string contentOf(const Query &query) {
  std::string bytes;
  bytes.reserve(query.constraints.size() * 9 + 16);
  const auto put = [&](std::uint32_t value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof value); };
  const auto putConstraint = [&](const Constraint &c) {
    put(c.from);
    put(c.to);
    bytes.push_back(c.strict ? 1 : 0);
  };
  put(query.events);
  bytes.push_back(query.hasClaim ? 1 : 0);
  if (query.hasClaim)
    putConstraint(query.claim);
  for (const Constraint &c : query.constraints)
    putConstraint(c);
  return bytes;
}

Answer askOne(DifferenceSolver &solver, const Query &query) {
  return query.hasClaim ? solver.entails(query.events, query.constraints, query.claim)
                        : solver.satisfiable(query.events, query.constraints);
}

} // namespace

Session::Session(unsigned jobs) : jobs_(std::max(1U, jobs)) {
  solvers_.push_back(std::make_unique<DifferenceSolver>(budget_));
}
Session::~Session() = default;

void Session::setBudget(const Budget &budget) {
  budget_ = budget;
  for (const auto &solver : solvers_)
    solver->setBudget(budget);
}

void Session::solve(std::vector<Query> &pending, std::vector<Answer> &answers) {
  answers.assign(pending.size(), Answer::unknown);
  const auto workers = static_cast<unsigned>(std::min<std::size_t>(jobs_, (pending.size() + 7) / 8));
  while (solvers_.size() < std::max(1U, workers))
    solvers_.push_back(std::make_unique<DifferenceSolver>(budget_));
  std::atomic<std::size_t> next = 0;
  const auto work = [&](DifferenceSolver &solver) {
    for (std::size_t k = next++; k < pending.size(); k = next++)
      answers[k] = askOne(solver, pending[k]);
  };
  std::vector<std::thread> threads;
  for (unsigned w = 1; w < workers; ++w)
    threads.emplace_back(work, std::ref(*solvers_[w]));
  work(*solvers_[0]);
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &solver : solvers_)
    if (!solver->reason().empty())
      reason_ = solver->reason();
}

Statistics Session::statistics() const {
  Statistics sum = statistics_;
  for (const auto &solver : solvers_) {
    sum.queries += solver->statistics().queries;
    sum.seconds += solver->statistics().seconds;
  }
  return sum;
}

Answer Session::hang(llvm::ArrayRef<ExclusiveUnit> units, ExclusiveHang &hang, std::string &reason) {
  return findHang(units, budget_, &hang, &reason, &statistics_);
}

std::vector<Answer> Session::askAll(llvm::ArrayRef<Query> queries) {
  constexpr std::size_t mostBytes = std::size_t{64} << 20;
  if (knownBytes_ > mostBytes) {
    known_.clear();
    knownBytes_ = 0;
  }
  std::vector<Query> pending;
  std::vector<std::string> pendingContent;
  std::unordered_map<std::string, std::size_t> pendingIndex;
  std::vector<Answer> answers(queries.size(), Answer::unknown);
  std::vector<std::pair<std::size_t, std::size_t>> open; // query, index in pending
  for (std::size_t k = 0; k < queries.size(); ++k) {
    std::string content = contentOf(queries[k]);
    if (const auto known = known_.find(content); known != known_.end()) {
      answers[k] = known->second;
      ++statistics_.reused;
      continue;
    }
    const auto [entry, isNew] = pendingIndex.try_emplace(content, pending.size());
    if (isNew) {
      pending.push_back(queries[k]);
      pendingContent.push_back(std::move(content));
    } else {
      ++statistics_.reused;
    }
    open.emplace_back(k, entry->second);
  }
  std::vector<Answer> solved;
  if (!pending.empty())
    solve(pending, solved);
  for (const auto &[query, index] : open)
    answers[query] = solved[index];
  for (std::size_t k = 0; k < pending.size(); ++k)
    if (solved[k] != Answer::unknown) { // with more time it may be decided
      knownBytes_ += pendingContent[k].size();
      known_.emplace(std::move(pendingContent[k]), solved[k]);
    }
  return answers;
}

Answer Session::core(std::uint32_t events, llvm::ArrayRef<Constraint> constraints, std::vector<std::uint32_t> &core) {
  DifferenceSolver &solver = *solvers_.front();
  const Answer answer = solver.satisfiable(events, constraints, &core);
  if (answer == Answer::unknown)
    reason_ = solver.reason();
  return answer;
}

Judgement Session::proveSatisfiable(const OrderedSystem &system, const std::string &what) {
  for (const Constraint &c : system.constraints)
    if (c.from >= c.to && (c.strict || c.from != c.to))
      return {Answer::no, what + ": a constraint points backwards in the order"};
  const std::vector<std::uint32_t> starts = chooseWindows(system);
  const std::size_t count = starts.size() - 1;
  // In batches, so that the windows of a very large program are never all in memory.
  constexpr std::size_t batch = 256;
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t last = std::min(count, first + batch);
    std::vector<Query> queries;
    for (std::size_t w = first; w < last; ++w)
      queries.push_back(window(system, starts[w], starts[w + 1]));
    Judgement judged = proveAll(queries, [&](std::size_t k) {
      return what + ", window " + std::to_string(first + k + 1) + " of " + std::to_string(count);
    });
    if (judged.answer != Answer::yes)
      return judged;
  }
  return {Answer::yes, ""};
}

} // namespace plumbline::smt
