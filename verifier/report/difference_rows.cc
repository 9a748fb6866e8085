#include "verifier/report/difference_rows.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

namespace plumbline::report {
namespace {

using compare::Change;
using compare::Subject;

// "0-3, 5" from ascending numbers.
std::string rangesOf(const std::vector<std::int32_t> &numbers) {
  std::string text;
  for (std::size_t k = 0; k < numbers.size();) {
    std::size_t last = k;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[k]);
    if (last > k)
      text += "-" + std::to_string(numbers[last]);
    k = last + 1;
  }
  return text;
}

// Rows in the order in which the first of their ranks came.
class Rows {
public:
  void add(RankId rank, DifferenceRow row) {
    const auto key = std::make_tuple(row.grade, row.what, row.before, row.after, rank.valid());
    const auto [place, isNew] = places_.try_emplace(key, rows_.size());
    if (isNew || !rank.valid()) {
      rows_.push_back(std::move(row));
      ranks_.emplace_back();
    }
    if (rank.valid())
      ranks_[place->second].push_back(rank.value());
  }

  std::vector<DifferenceRow> take() {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      rows_[k].ranks = rangesOf(ranks_[k]);
    return std::move(rows_);
  }

private:
  std::vector<DifferenceRow> rows_;
  std::vector<std::vector<std::int32_t>> ranks_; // of each row
  std::map<std::tuple<compare::Grade, std::string, std::string, std::string, bool>, std::size_t> places_;
};

DifferenceRow rowOf(const Change &change) {
  static constexpr Subject toldInASentence[] = {Subject::question, Subject::input, Subject::mode, Subject::model,
                                                Subject::room};
  if (llvm::is_contained(toldInASentence, change.subject))
    return {change.grade, "", change.message, "", ""};
  return {change.grade, "", change.what, change.before, change.after};
}

} // namespace

std::vector<DifferenceRow> rowsOf(const compare::Comparison &comparison) {
  Rows rows;
  for (const Change &change : comparison.changes)
    rows.add(change.rank, rowOf(change));
  if (!comparison.alone)
    for (const compare::InstructionFigures &figures : comparison.figures.instructions)
      rows.add(figures.rank, {compare::Grade::neutral, "", name(figures.opcode).str() + " instructions",
                              std::to_string(figures.base), std::to_string(figures.next)});
  return rows.take();
}

} // namespace plumbline::report
