// The question of --streams any: units that exclude each other on a device, begun in an order that an adversary picks.
//
// A unit may begin when the units in `beginAfter` have ended and its device is free, and keeps the device until it
// ends; it can end when the units in `endAfter` have begun. A hang is a reachable state in which nothing can begin or
// end and something has not ended.
#pragma once

#include "verifier/smt/solver.h"

namespace plumbline::smt {

struct ExclusiveUnit {
  std::uint32_t device = UINT32_MAX; // UINT32_MAX: needs none
  std::vector<std::uint32_t> beginAfter;
  std::vector<std::uint32_t> endAfter;
  bool neverEnds = false;
};

struct ExclusiveHang {
  std::vector<std::uint32_t> begun; // in order of begin
  std::vector<std::uint32_t> held;  // begun and not ended
};

// yes: some order hangs, and *hang is one; no: none does. Satisfiability over Booleans and integer times, with a
// disjunction for each two units of one device: for small programs.
Answer findHang(llvm::ArrayRef<ExclusiveUnit> units, const Budget &budget, ExclusiveHang *hang, std::string *reason,
                Statistics *statistics);

} // namespace plumbline::smt
