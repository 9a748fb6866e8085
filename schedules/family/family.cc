#include "schedules/family/family.h"

#include "schedules/family/recompute.h"
#include "verifier/ir/limits.h"
#include "verifier/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cassert>

namespace plumbline::schedules {
namespace {

constexpr const char *noYes[] = {"no", "yes"};

std::string number(std::int64_t n) { return std::to_string(n); }

// Fills in the size that the shape implies; what is wrong, or nothing.
std::string fitSizes(const Family &family, Sizes &sizes) {
  const bool several = family.shape != Shape::line && family.shape != Shape::bidirectional;
  const std::int64_t usual = several ? 2 : 1; // chunks of a rank
  if (sizes.stages == 0)
    sizes.stages = sizes.ranks * usual;
  if (sizes.ranks == 0)
    sizes.ranks = sizes.stages / usual;
  const std::string got = "; got " + number(sizes.stages) + " stages on " + number(sizes.ranks) + " ranks";
  if (!several && sizes.stages != sizes.ranks)
    return "needs one stage on each rank" + got;
  if (family.shape == Shape::loop && (sizes.ranks < 1 || sizes.stages % sizes.ranks != 0))
    return "needs a number of stages that is divisible by the number of ranks" + got;
  if (family.shape == Shape::vee && sizes.stages != 2 * sizes.ranks)
    return "needs two stages on each rank" + got;
  if (family.shape == Shape::waves && (sizes.ranks < 1 || sizes.stages % (2 * sizes.ranks) != 0))
    return "needs an even number of stages on each rank" + got;
  return "";
}

std::string checkSizes(const Sizes &sizes, std::int32_t replicas) {
  if (sizes.stages == 0 && sizes.ranks == 0)
    return "needs a number of stages or of ranks";
  for (const std::int64_t size : {sizes.stages, sizes.ranks, sizes.microbatches})
    if (size < 0 || size > maxNumber)
      return "sizes are at most " + number(maxNumber) + "; got " + number(size);
  if (sizes.microbatches < 1)
    return "needs at least one microbatch";
  if (sizes.stages * sizes.microbatches * replicas > mostPairs)
    return "stages times microbatches is at most " + number(mostPairs) + "; got " + number(sizes.stages) + " times " +
           number(sizes.microbatches);
  return "";
}

std::string wordsOf(const Option &option) { return llvm::join(option.words, ", "); }

std::string takeOption(const Option &option, llvm::StringRef text, std::int64_t &value) {
  const std::string name = std::string("option ") + option.name;
  if (!option.words.empty()) {
    const auto *const word = llvm::find_if(option.words, [&](const char *w) { return text == w; });
    if (word == option.words.end())
      return name + " is one of " + wordsOf(option) + "; got " + inQuotes(text);
    value = word - option.words.begin();
    return "";
  }
  if (text.getAsInteger(10, value) || value < option.least || value > option.most)
    return name + " is a number from " + number(option.least) + " to " + number(option.most) + "; got " +
           inQuotes(text);
  return "";
}

std::string takeOptions(const Family &family, llvm::ArrayRef<OptionText> texts, Request &request) {
  const std::vector<Option> options = optionsOf(family);
  for (const Option &option : options)
    request.options[option.name] = option.initial;
  llvm::StringMap<bool> given;
  for (const OptionText &text : texts) {
    const auto option = llvm::find_if(options, [&](const Option &o) { return text.name == o.name; });
    if (option == options.end()) {
      std::string names;
      for (const Option &known : options)
        names += (names.empty() ? "" : ", ") + std::string(known.name);
      return "has no option " + inQuotes(text.name) + "; " + (names.empty() ? "it has none" : "it has " + names);
    }
    if (!given.try_emplace(text.name, true).second)
      return "option " + text.name + " is given twice";
    if (std::string wrong = takeOption(*option, text.value, request.options[text.name]); !wrong.empty())
      return wrong;
  }
  return "";
}

} // namespace

const Option recomputeOption = {"recompute", "run each forward pass again before its backward pass", 0, 0, 0, noYes};

StageId Request::stage(std::int32_t chunk, std::int32_t rank) const {
  const bool turns = shape == Shape::vee || shape == Shape::waves || shape == Shape::bidirectional;
  const bool up = turns && chunk % 2 == 1;
  return StageId(chunk * ranks + (up ? ranks - 1 - rank : rank));
}

std::int64_t Request::option(llvm::StringRef name) const {
  const auto entry = options.find(name);
  assert(entry != options.end() && "the family does not list this option");
  return entry->second;
}

std::vector<Option> optionsOf(const Family &family) {
  std::vector<Option> options(family.options.begin(), family.options.end());
  if (family.mode == Mode::training)
    options.push_back(recomputeOption);
  return options;
}

Result<Request> makeRequest(const Family &family, const Sizes &sizes, llvm::ArrayRef<OptionText> options) {
  const auto refused = [&](const std::string &why) { return Diagnostic{family.name, 0, 0, why}; };
  Sizes fitted = sizes;
  if (std::string wrong = checkSizes(sizes, family.shape == Shape::bidirectional ? 2 : 1); !wrong.empty())
    return refused(wrong);
  if (std::string wrong = fitSizes(family, fitted); !wrong.empty())
    return refused(wrong);
  if (std::string wrong = checkSizes(fitted, family.shape == Shape::bidirectional ? 2 : 1); !wrong.empty())
    return refused(wrong);
  Request request;
  request.stages = static_cast<std::int32_t>(fitted.stages);
  request.ranks = static_cast<std::int32_t>(fitted.ranks);
  request.microbatches = static_cast<std::int32_t>(fitted.microbatches);
  request.shape = family.shape;
  if (std::string wrong = takeOptions(family, options, request); !wrong.empty())
    return refused(wrong);
  if (family.refuse)
    if (std::string wrong = family.refuse(request); !wrong.empty())
      return refused(wrong);
  return request;
}

Schedule generate(const Family &family, const Request &request) {
  Rows rows = family.rows(request);
  if (family.mode == Mode::training && request.option("recompute") == 1)
    addRecompute(rows);
  Schedule schedule;
  schedule.name = family.name;
  schedule.mode = family.mode;
  schedule.stagesPerReplica = request.stages;
  schedule.replicas = request.shape == Shape::bidirectional ? 2 : 1;
  schedule.microbatches = request.microbatches / schedule.replicas;
  for (Row &row : rows) {
    for (Action &action : row.actions)
      if (action.group.valid())
        action.group = GroupId(action.group.value() + schedule.groupCount);
    schedule.groupCount += row.groups;
    schedule.ranks.push_back(std::move(row.actions));
  }
  if (family.complete)
    family.complete(request, schedule);
  return schedule;
}

} // namespace plumbline::schedules
