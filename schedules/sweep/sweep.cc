#include "schedules/sweep/sweep.h"

#include "schedules/sweep/documented.h"
#include "schedules/sweep/judge_case.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::schedules::sweep {

Swept sweep(const Family &family, Extent extent, std::size_t first, std::size_t step) {
  Swept swept;
  swept.found.outcomes.resize(modelNames().size());
  smt::Session session(1);
  std::size_t number = 0;
  swept.refused = forEachCase(family, extent, [&](const Case &made) {
    if (number++ % step != first)
      return;
    ++swept.cases;
    for (const auto &[k, model] : llvm::enumerate(modelNames())) {
      const std::string outcome = outcomeOf(family, made, model, session);
      const Documented *const known = findDocumented(family.name, model, made.request);
      swept.found.outcomes[k].insert(outcome);
      if (outcome != (known ? known->rules : "verified"))
        swept.unexpected.push_back(std::string(family.name) + " " + made.words + " under " + model + ": " + outcome +
                                   (known ? std::string(", documented: ") + known->rules : ""));
    }
  });
  return swept;
}

} // namespace plumbline::schedules::sweep
