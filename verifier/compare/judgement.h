// Which numbers got worse.
#pragma once

#include "verifier/compare/allowance.h"
#include "verifier/compare/change.h"
#include "verifier/compare/figures.h"

#include <vector>

namespace plumbline::compare {

// The grade of a number of which less is better. One that is unknown, or that the base has and the new version has
// not, is never taken for equal; nothing that is there counts from 0. Grade::neutral also where both are equal.
Grade gradeOf(const Pair &pair, std::int32_t allowed);

// A larger share of idle time than the base has, by more than is allowed. Exact.
bool growsBeyond(const check::Bubble &base, const check::Bubble &next, const check::Share &allowed);

// A longer step in which, if whatever the ranks compute beyond the work of the base counted as idle, the share of idle
// time would grow by more than is allowed. With equal work that is the same as growsBeyond. Exact. Both have as many
// ranks and equal costs.
bool lastsBeyond(const check::Bubble &base, const check::Bubble &next, const check::Share &allowed);

// The changes among the numbers, in the order of the figures. `costs` are those of the times.
std::vector<Change> judgeFigures(const Figures &figures, const model::Costs &costs, const Allowance &allowance);

} // namespace plumbline::compare
