// One execution of a Program: which units have begun and ended so far, and what may move next.
#pragma once

#include "tests/differential/layout.h"

#include <cstdint>
#include <vector>

namespace plumbline::oracle {

// An instruction whose begin or completion is put off for ever, to see what can do without it.
struct Withheld {
  int begin = -1;
  int completion = -1;
};

class Execution {
public:
  explicit Execution(const Layout &layout);

  // Back to the start.
  void reset(Withheld withheld = {});

  // The lane's next unit that has not ended, or -1.
  int head(int lane) const {
    const std::vector<int> &queue = layout_->lanes[lane].units;
    return next_[lane] < static_cast<int>(queue.size()) ? queue[next_[lane]] : -1;
  }
  bool begun(int unit) const { return beginTime_[unit] >= 0; }
  bool ended(int unit) const { return ended_[unit] != 0; }
  bool completed(int instruction) const { return completionTime_[instruction] >= 0; }
  // When it happened, counted in begins and completions of this execution; -1: not yet.
  int beginTime(int unit) const { return beginTime_[unit]; }
  int completionTime(int instruction) const { return completionTime_[instruction]; }

  // A unit that has not begun may do so: it is its turn, and all that it waits for on its own rank is done.
  bool mayBegin(int unit) const { return waitsDone(unit) && connected(unit); }
  bool waitsDone(int unit) const; // the same without connections, which need other ranks
  void begin(int unit);

  // The single steps other than begins, each true if it took place.
  bool complete(int instruction);
  bool end(int unit);
  bool beginHostStep(int rank); // the next one of the rank
  bool endHostStep(int rank);

  // Takes every step but begins until none is left. Such steps only ever enable others.
  void settle();
  // Begins whatever can begin as well, until nothing can move.
  void runToTheEnd();

private:
  bool atHead(int unit) const; // in every queue that it stands in
  bool connected(int unit) const;
  bool mayComplete(int instruction) const;
  bool moveHost(int rank);
  void skipEndedCommunication(int rank);
  bool advance(bool mayBeginUnits); // one round over all ranks
  bool finish(int unit);            // completes what it can of a begun unit, and ends it if that was all

  const Layout *layout_;
  Withheld withheld_;
  int clock_ = 0;
  std::vector<int> beginTime_;           // per unit
  std::vector<int> completionTime_;      // per instruction
  std::vector<std::uint8_t> ended_;      // per unit
  std::vector<int> next_;                // per lane: units that have ended
  std::vector<int> oldestCommunicating_; // per rank: first communicating unit that has not ended
  std::vector<int> nextHostStep_;        // per rank: first host step that has not ended
  std::vector<std::uint8_t> hostBegun_;  // per host step
  std::vector<int> begunUnits_;          // per component
};

} // namespace plumbline::oracle
