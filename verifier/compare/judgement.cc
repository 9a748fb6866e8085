#include "verifier/compare/judgement.h"

#include "verifier/ir/words.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::compare {
namespace {

using check::Bubble;

// Products of three of our numbers need up to 188 bits.
llvm::APInt wide(std::uint64_t n) { return {256, n}; }

// a/b > c/d + e/f
bool isMore(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d, const check::Share &e) {
  const llvm::APInt left = wide(a) * wide(d) * wide(e.whole);
  const llvm::APInt right = wide(c) * wide(b) * wide(e.whole) + wide(e.parts) * wide(b) * wide(d);
  return left.ugt(right);
}

// a/b > c/d
bool isMore(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
  return (wide(a) * wide(d)).ugt(wide(c) * wide(b));
}

// A percentage, rounded to so many digits after the point.
std::string percent(std::uint64_t part, std::uint64_t whole, unsigned digits) {
  std::uint64_t scale = 100;
  for (unsigned k = 0; k < digits; ++k)
    scale *= 10;
  const llvm::APInt rounded = (wide(part) * wide(scale) + wide(whole / 2)).udiv(wide(whole));
  std::string text = std::to_string(rounded.getZExtValue());
  if (text.size() <= digits)
    text.insert(0, digits + 1 - text.size(), '0');
  return text.insert(text.size() - digits, ".") + "%";
}

// Both with as many digits as it takes to tell them apart, if that is possible.
std::pair<std::string, std::string> percentages(const Bubble &base, const Bubble &next) {
  for (const unsigned digits : {2U, 4U, 8U}) {
    std::pair<std::string, std::string> texts(percent(base.idle, base.total, digits),
                                              percent(next.idle, next.total, digits));
    if (texts.first != texts.second)
      return texts;
  }
  return {percent(base.idle, base.total, 2), percent(next.idle, next.total, 2)};
}

class Judge {
public:
  Judge(const Figures &figures, const model::Costs &costs, const Allowance &allowance)
      : figures_(figures), costs_(costs), allowance_(allowance) {}

  std::vector<Change> run() {
    if (figures_.baseFinishes && !figures_.nextFinishes)
      addUnknown(Subject::question, "slots and bubble", "known",
                 "the new version cannot finish, so neither its least slots nor its bubble are known");
    judgePools();
    for (const RankFigures &rank : figures_.ranks)
      judgeInFlight(rank);
    judgeBubble(figures_.bubble);
    return std::move(changes_);
  }

private:
  // Numbers of a version with errors are no standard for one without, and a number that it lacks is none for any.
  [[nodiscard]] Grade gradeOfNumbers(const Pair &pair) const {
    const Grade grade = gradeOf(pair, allowance_.buffers);
    const bool standard = !figures_.baseHasErrors || (figures_.nextHasErrors && pair.base.state != Figure::State::none);
    return standard || !pair.next.known() || grade == Grade::better ? grade : Grade::neutral;
  }

  [[nodiscard]] bool isRepaired() const { return figures_.baseHasErrors && !figures_.nextHasErrors; }

  // A program without any pool does not say what it needs; one with other pools has lost this one.
  void judgePools() {
    const bool described = llvm::any_of(figures_.pools, [](const PoolFigures &p) { return p.inNext; });
    if (!described && !figures_.pools.empty()) {
      addUnknown(Subject::least_slots, "pools", std::to_string(figures_.pools.size()),
                 "the new version names no slots, so what it needs is not known");
      return;
    }
    for (const PoolFigures &pool : figures_.pools) {
      judgeSlots(pool, pool.least, Subject::least_slots);
      if (pool.inBase && pool.inNext && !pool.declared.base.known())
        addSlots(pool, pool.declared, Subject::declared_slots, Grade::neutral); // what is said now was not said before
      else
        judgeSlots(pool, pool.declared, Subject::declared_slots);
    }
  }

  void judgeSlots(const PoolFigures &pool, const Pair &pair, Subject subject) {
    if (pool.inNext)
      addSlots(pool, pair, subject, gradeOfNumbers(pair));
    else
      addSlots(pool, pair, subject, pair.base.value > 0 ? Grade::better : Grade::neutral);
  }

  void addSlots(const PoolFigures &pool, const Pair &pair, Subject subject, Grade grade) {
    if (pair.next.state == Figure::State::unfinished || (pair.base == pair.next && grade != Grade::undecided))
      return; // that the program cannot finish is said once
    Change change;
    change.grade = grade;
    change.subject = subject;
    change.rank = pool.rank;
    change.pool = pool.pool;
    change.what =
        std::string(subject == Subject::least_slots ? "least" : "declared") + " slots of pool '" + pool.pool + "'";
    addNumbers(std::move(change), pair);
  }

  void judgeInFlight(const RankFigures &rank) {
    const bool judged = llvm::none_of(figures_.pools, [](const PoolFigures &p) { return p.inNext; });
    const Pair &pair = rank.mostInFlight;
    const Grade grade = !judged || !rank.inNext ? Grade::neutral : gradeOfNumbers(pair);
    if (pair.base == pair.next && grade != Grade::undecided)
      return;
    Change change;
    change.grade = grade;
    change.subject = Subject::in_flight;
    change.rank = rank.rank;
    change.what = "most in flight";
    addNumbers(std::move(change), pair);
  }

  void addNumbers(Change change, const Pair &pair) {
    change.before = words(pair.base);
    change.after = words(pair.next);
    change.message = change.what + " on rank " + std::to_string(change.rank.value()) + ": " + change.before +
                     " before, " + change.after + " now";
    if (change.grade == Grade::worse || change.grade == Grade::allowed)
      change.message += "; " + std::to_string(allowance_.buffers) + " more are allowed";
    changes_.push_back(std::move(change));
  }

  void judgeBubble(const BubbleFigures &bubble) {
    if (bubble.base && bubble.next)
      compareBubbles(*bubble.base, *bubble.next);
    else if (bubble.base && figures_.nextFinishes)
      addUnknown(Subject::bubble, "bubble", percent(bubble.base->idle, bubble.base->total, 2),
                 "the new version has no bubble that is known");
    else if (bubble.next && bubble.baseUnknown && !isRepaired())
      addUnknown(Subject::bubble, "bubble", "?", "the bubble of the base is not known, so it may have been smaller");
  }

  void compareBubbles(const Bubble &base, const Bubble &next) {
    const bool larger = isMore(next.idle, next.total, base.idle, base.total);
    const bool smaller = isMore(base.idle, base.total, next.idle, next.total);
    const bool beyond = growsBeyond(base, next, allowance_.bubble);
    const auto [before, after] = percentages(base, next);
    if (larger || smaller)
      addBubble(Subject::bubble,
                larger && isRepaired() ? Grade::neutral
                : beyond               ? Grade::worse
                : larger               ? Grade::allowed
                                       : Grade::better,
                {before, after},
                "the bubble: " + idleText(base, before) + " before, " + idleText(next, after) + " now" +
                    (larger && !isRepaired() ? allowedText() : ""));
    if (base.makespan == next.makespan)
      return;
    const std::string lasted = units(base.makespan), lasts = units(next.makespan);
    const bool longer = next.makespan > base.makespan;
    const bool lasting = longer && figures_.sameSizes && lastsBeyond(base, next, allowance_.bubble);
    addBubble(Subject::makespan,
              !figures_.sameSizes || (longer && isRepaired()) ? Grade::neutral
              : lasting                                       ? Grade::worse
              : longer                                        ? Grade::allowed
                                                              : Grade::better,
              {lasted, lasts},
              "the step lasts " + lasts + " units of time, " + lasted + " before" +
                  (lasting && !isRepaired() ? ", at equal sizes" : ""));
  }

  void addUnknown(Subject subject, const char *what, std::string before, const char *message) {
    Change change;
    change.grade = Grade::undecided;
    change.subject = subject;
    change.what = what;
    change.before = std::move(before);
    change.after = "?";
    change.message = message;
    changes_.push_back(std::move(change));
  }

  [[nodiscard]] std::string allowedText() const {
    return "; " + allowance_.bubble.text + " percentage points more are allowed";
  }

  [[nodiscard]] std::string units(std::uint64_t ticks) const {
    return model::inUnits(static_cast<std::int64_t>(ticks), costs_);
  }

  [[nodiscard]] std::string idleText(const Bubble &bubble, const std::string &share) const {
    return share + " (" + units(bubble.idle) + " of " + units(bubble.total) + " units idle)";
  }

  void addBubble(Subject subject, Grade grade, std::pair<std::string, std::string> values, std::string message) {
    Change change;
    change.grade = grade;
    change.subject = subject;
    change.what = subject == Subject::bubble ? "bubble" : "makespan";
    change.before = std::move(values.first);
    change.after = std::move(values.second);
    change.message = std::move(message);
    changes_.push_back(std::move(change));
  }

  const Figures &figures_;
  const model::Costs &costs_;
  const Allowance &allowance_;
  std::vector<Change> changes_;
};

} // namespace

Grade gradeOf(const Pair &pair, std::int32_t allowed) {
  using State = Figure::State;
  const auto &[base, next] = pair;
  switch (next.state) {
  case State::none:
    return base.known() ? Grade::undecided : Grade::neutral;
  case State::unfinished: // has an error of its own, unless the base has the same
    return base.state == State::unfinished ? Grade::neutral : Grade::undecided;
  case State::unknown:
    return Grade::undecided;
  case State::known:
    break;
  }
  if (base.state == State::unfinished)
    return Grade::neutral;
  const std::int64_t growth = next.value - (base.known() ? base.value : 0);
  if (base.state == State::unknown) // at least 0
    return growth <= allowed ? Grade::neutral : Grade::undecided;
  return growth > allowed ? Grade::worse : growth > 0 ? Grade::allowed : growth < 0 ? Grade::better : Grade::neutral;
}

bool growsBeyond(const Bubble &base, const Bubble &next, const check::Share &allowed) {
  return isMore(next.idle, next.total, base.idle, base.total, allowed);
}

bool lastsBeyond(const Bubble &base, const Bubble &next, const check::Share &allowed) {
  const std::uint64_t work = base.total - base.idle;
  return next.total > base.total && isMore(next.total - work, next.total, base.idle, base.total, allowed);
}

std::vector<Change> judgeFigures(const Figures &figures, const model::Costs &costs, const Allowance &allowance) {
  return Judge(figures, costs, allowance).run();
}

} // namespace plumbline::compare
