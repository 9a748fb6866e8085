#include "verifier/check/precedence.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {

using model::Edge;

void ChainClaims::add(llvm::ArrayRef<bool> strictSteps, bool strictClaim) {
  ++total_;
  llvm::SmallVector<bool, 64> steps(strictSteps.begin(), strictSteps.end());
  while (steps.size() > longest) {
    llvm::SmallVector<bool, 64> lemmas;
    for (llvm::ArrayRef<bool> rest = steps; !rest.empty(); rest = rest.drop_front(std::min(longest, rest.size()))) {
      const llvm::ArrayRef<bool> piece = rest.take_front(longest);
      lemmas.push_back(llvm::is_contained(piece, true));
      insert(piece, lemmas.back());
    }
    steps = std::move(lemmas);
  }
  insert(steps, strictClaim);
}

void ChainClaims::insert(llvm::ArrayRef<bool> strictSteps, bool strictClaim) {
  std::string chain(1, strictClaim ? 's' : '-');
  for (const bool strict : strictSteps)
    chain.push_back(strict ? 's' : '-');
  chains_.insert(std::move(chain));
}

smt::Judgement ChainClaims::prove(smt::Session &session, const std::string &what) {
  std::vector<smt::Query> queries;
  for (const std::string &chain : chains_) {
    smt::Query query;
    query.events = static_cast<std::uint32_t>(chain.size());
    for (std::uint32_t k = 1; k < chain.size(); ++k)
      query.constraints.push_back({k - 1, k, chain[k] == 's'});
    query.hasClaim = true;
    query.claim = {0, query.events - 1, chain[0] == 's'};
    queries.push_back(std::move(query));
  }
  chains_.clear();
  return session.proveAll(queries, [&](std::size_t) { return what; });
}

RankPrecedence::RankPrecedence(const Context &context, RankId rank)
    : context_(context), memberSearch_(!context.graph.completions.empty()) {
  std::vector<std::uint32_t> lanes;
  const auto first = context.program.ranks[static_cast<std::size_t>(rank.value())].instructions.first;
  for (const auto &[k, i] : llvm::enumerate(context.program.instructionsOf(rank)))
    if (i.accesses.count > 0)
      lanes.push_back(laneOf(InstructionId(static_cast<std::int32_t>(first + k))));
  llvm::sort(lanes);
  lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
  if (lanes.size() < 2)
    return;
  for (const std::uint32_t lane : lanes)
    reaches_.emplace_back(lane, std::make_unique<model::LaneReach>(context.graph, context.order, lane));
}

const model::LaneReach *RankPrecedence::reach(std::uint32_t lane) const {
  for (const auto &[number, reach] : reaches_)
    if (number == lane)
      return reach.get();
  return nullptr;
}

std::uint32_t RankPrecedence::doneInLane(std::uint32_t lane, InstructionId later) const {
  if (laneOf(later) == lane)
    return positionOf(later);
  const model::LaneReach *found = reach(lane);
  return found ? found->endedBefore(context_.graph.begin(later)) : 0;
}

bool RankPrecedence::doneBefore(InstructionId access, InstructionId later, ChainClaims *claims) const {
  const model::EventGraph &graph = context_.graph;
  const std::uint32_t lane = laneOf(access), position = positionOf(access);
  const bool member = graph.completion(access) != graph.end(access);
  const std::uint32_t done = doneInLane(lane, later);
  if (done > position) {
    if (!claims)
      return true;
    llvm::SmallVector<bool, 8> steps;
    if (member)
      steps.push_back(false); // the launch ends when each member is done
    if (laneOf(later) == lane) {
      steps.push_back(false); // lane order
    } else {
      if (done > position + 1) { // lane order to the last unit known to have ended, which then runs
        steps.push_back(false);
        steps.push_back(true);
      }
      for (const Edge &edge : reach(lane)->path(graph.begin(later)))
        steps.push_back(edge.strict);
    }
    claims->add(steps, false);
    return true;
  }
  // A member may be known to be done before its launch has ended: a later message took the room that it freed.
  if (!member || done < position || !context_.order.happens(graph.completion(access)))
    return false;
  std::vector<Edge> path;
  if (!model::pathExists(graph, context_.order, graph.completion(access), graph.begin(later), &path))
    return false;
  if (claims) {
    llvm::SmallVector<bool, 8> steps;
    for (const Edge &edge : path)
      steps.push_back(edge.strict);
    claims->add(steps, false);
  }
  return true;
}

} // namespace plumbline::check
