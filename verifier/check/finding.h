// What a check has to say: places, texts and evidence, ready for any report.
#pragma once

#include "verifier/check/rule.h"
#include "verifier/ir/program.h"

#include <map>
#include <string>
#include <vector>

namespace plumbline::check {

// Another place that a finding speaks of.
struct Related {
  InstructionId instruction; // none: no place
  std::string message;
};

struct Finding {
  RuleId rule = RuleId::missing_forward;
  Severity severity = Severity::error;
  std::string message;
  InstructionId instruction; // the offending one; none if the finding is about a rank or the whole program
  RankId rank;
  StageId stage;
  MicrobatchId microbatch;
  PoolId pool; // of a finding about slots
  SourceLocation location;
  std::vector<Related> related;
  std::vector<Related> cycle; // of a wait-for cycle, in order; each step waits for the next, the last for the first
};

// The slot that an access of the Program (an index into Program::accesses) gets where no more than the least are used.
struct SlotPlace {
  std::uint32_t access = 0;
  std::int32_t slot = 0;
};

// The least number of slots of one pool for the order at hand.
struct SlotCount {
  PoolId pool;
  RankId rank;
  std::int32_t declared = -1;
  std::int32_t least = -1;            // -1: not determined
  std::vector<InstructionId> witness; // the instructions that write the values which live together
  std::vector<SlotPlace> places; // an assignment with `least` slots, for every access of an instruction that begins
};

// Keeps at most `limit` findings of each rule, and counts the rest.
class Findings {
public:
  explicit Findings(std::size_t limitPerRule) : limit_(limitPerRule) {}

  // True if a further finding of the rule would still be kept; checks may save the work of wording it.
  [[nodiscard]] bool wanted(RuleId rule) const;
  void add(Finding finding);
  // Counts a finding without keeping it.
  void count(RuleId rule);

  std::vector<Finding> kept;
  struct Dropped {
    RuleId rule;
    std::size_t count;
  };
  std::vector<Dropped> dropped; // findings counted and not kept, by rule
  bool anyError = false;

private:
  std::size_t limit_;
  std::map<RuleId, std::size_t> keptOf_;
};

} // namespace plumbline::check
