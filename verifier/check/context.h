// What every check gets: the Program, its event graph under the chosen model, and the place for findings.
#pragma once

#include "verifier/check/finding.h"
#include "verifier/model/event_graph.h"
#include "verifier/model/order.h"
#include "verifier/smt/session.h"

namespace plumbline::check {

struct Context {
  const Program &program;
  const model::Options &options;
  const model::EventGraph &graph;
  const model::Order &order;
  smt::Session &session;
  Findings &findings;
  std::vector<SlotCount> &slots;
  std::vector<std::string> &undecided; // questions without an answer: the verdict cannot be "verified"

  // A finding about one instruction, with rank, stage, microbatch and place filled in.
  [[nodiscard]] Finding at(RuleId rule, InstructionId instruction, std::string message) const {
    const Instruction &i = program.at(instruction);
    Finding finding;
    finding.rule = rule;
    finding.message = std::move(message);
    finding.instruction = instruction;
    finding.rank = i.rank;
    finding.stage = i.stage;
    finding.microbatch = i.microbatch;
    finding.location = i.location;
    return finding;
  }
};

} // namespace plumbline::check
