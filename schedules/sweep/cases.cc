#include "schedules/sweep/cases.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <vector>

namespace plumbline::schedules::sweep {
namespace {

std::vector<std::int32_t> ranksOf(Extent extent) {
  return extent == Extent::full ? std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 16}
                                : std::vector<std::int32_t>{1, 2, 3, 4, 8};
}

// Stages of a replica on each rank.
std::vector<std::int32_t> chunksOf(const Family &family, Extent extent) {
  switch (family.shape) {
  case Shape::loop:
    return extent == Extent::full ? std::vector<std::int32_t>{1, 2, 3} : std::vector<std::int32_t>{2, 3};
  case Shape::vee:
    return {2};
  case Shape::waves:
    return {2, 4};
  case Shape::line:
  case Shape::bidirectional:
    break;
  }
  return {1};
}

std::vector<std::int32_t> microbatchesOf(std::int32_t ranks, Extent extent) {
  std::vector<std::int32_t> counts;
  if (extent == Extent::full) {
    for (std::int32_t m = 1; m <= 4 * ranks; ++m)
      counts.push_back(m);
    for (const std::int32_t large : {6 * ranks, 8 * ranks + 1})
      counts.push_back(large);
  } else if (ranks < 4) {
    counts = {1, 2, ranks, ranks + 1, 2 * ranks, 2 * ranks + 1, 4 * ranks};
  } else {
    counts = {1, ranks - 1, ranks, 2 * ranks, 2 * ranks + 2};
  }
  llvm::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::vector<std::string> valuesOf(const Option &option) {
  if (!option.words.empty())
    return std::vector<std::string>(option.words.begin(), option.words.end());
  // Of a time, which may be anything, one other value shows enough; of a count the small ones differ most.
  const bool isTime = option.most > 10'000;
  std::vector<std::int64_t> numbers = {option.initial, option.initial * 2 + 100};
  if (!isTime)
    numbers = {option.initial, option.least, option.least + 1, 4};
  llvm::erase_if(numbers, [&](std::int64_t n) { return n < option.least || n > option.most; });
  std::vector<std::string> values;
  for (const std::int64_t n : numbers)
    if (!llvm::is_contained(values, std::to_string(n)))
      values.push_back(std::to_string(n));
  return values;
}

using Texts = std::vector<OptionText>;

// All initial values; then one option at another value, and each pair of two.
std::vector<Texts> optionChoices(const Family &family) {
  std::vector<Texts> singles;
  for (const Option &option : optionsOf(family)) {
    const std::vector<std::string> values = valuesOf(option);
    const std::string initial =
        option.words.empty() ? std::to_string(option.initial) : option.words[static_cast<std::size_t>(option.initial)];
    for (const std::string &value : values)
      if (value != initial)
        singles.push_back({{option.name, value}});
  }
  std::vector<Texts> choices = {{}};
  for (std::size_t k = 0; k < singles.size(); ++k) {
    choices.push_back(singles[k]);
    for (std::size_t other = 0; other < k; ++other)
      if (singles[other].front().name != singles[k].front().name)
        choices.push_back({singles[other].front(), singles[k].front()});
  }
  return choices;
}

} // namespace

std::size_t forEachCase(const Family &family, Extent extent, llvm::function_ref<void(const Case &)> visit) {
  std::size_t refused = 0;
  const std::vector<Texts> choices = optionChoices(family);
  // Options change the order in the same way at every size, so larger ones take turns with them.
  std::size_t turn = 0;
  const auto visitSize = [&](std::int32_t ranks, std::int32_t chunks, std::int32_t microbatches, const Texts &texts) {
    const Result<Request> request = makeRequest(family, {std::int64_t(ranks) * chunks, ranks, microbatches}, texts);
    if (!request) {
      ++refused;
      return;
    }
    Case made{*request, "stages=" + std::to_string(ranks * chunks) + " ranks=" + std::to_string(ranks) +
                            " microbatches=" + std::to_string(microbatches)};
    for (const OptionText &text : texts)
      made.words += " " + text.name + "=" + text.value;
    visit(made);
  };
  for (const std::int32_t ranks : ranksOf(extent))
    for (const std::int32_t chunks : chunksOf(family, extent))
      for (const std::int32_t microbatches : microbatchesOf(ranks, extent)) {
        const bool all = ranks <= (extent == Extent::full ? 4 : 2);
        if (all) {
          for (const Texts &texts : choices)
            visitSize(ranks, chunks, microbatches, texts);
          continue;
        }
        visitSize(ranks, chunks, microbatches, {});
        if (choices.size() > 1)
          visitSize(ranks, chunks, microbatches, choices[1 + turn++ % (choices.size() - 1)]);
      }
  return refused;
}

} // namespace plumbline::schedules::sweep
