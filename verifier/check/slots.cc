#include "verifier/check/slots.h"

#include "verifier/check/declared_slots.h"
#include "verifier/check/liveness.h"
#include "verifier/check/slot_count.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

namespace plumbline::check {

void checkSlots(const Context &context) {
  std::vector<PoolHistory> histories = slotHistories(context.program, context.graph, context.order);
  const auto rankOf = [&](const PoolHistory &history) {
    return context.program.pools[static_cast<std::size_t>(history.pool.value())].rank;
  };
  llvm::stable_sort(histories, [&](const PoolHistory &a, const PoolHistory &b) { return rankOf(a) < rankOf(b); });
  const bool finishes = context.order.complete(context.graph);
  ChainClaims lives, counts;
  bool late = false; // no time left to count the slots of every pool
  for (std::size_t k = 0; k < histories.size();) {
    const RankId rank = rankOf(histories[k]);
    const RankPrecedence precedence(context, rank);
    for (; k < histories.size() && rankOf(histories[k]) == rank; ++k) {
      checkLiveness(context, histories[k], precedence, lives);
      if (finishes && std::chrono::steady_clock::now() >= context.session.budget().deadline)
        late = true;
      else if (finishes)
        context.slots.push_back(countSlots(context, histories[k], precedence, counts));
    }
  }
  if (late)
    context.undecided.emplace_back("least slots: timeout");
  if (const smt::Judgement judged = lives.prove(context.session, "buffer liveness"); judged.answer != smt::Answer::yes)
    context.undecided.push_back(judged.failure);
  if (const smt::Judgement judged = counts.prove(context.session, "least slots"); judged.answer != smt::Answer::yes) {
    context.undecided.push_back(judged.failure);
    for (SlotCount &count : context.slots) { // a number that is not proved is none
      count.least = -1;
      count.places.clear();
      count.witness.clear();
    }
  }
  checkDeclaredSlots(context);
}

} // namespace plumbline::check
