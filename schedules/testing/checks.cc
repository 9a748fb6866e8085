#include "schedules/testing/checks.h"

#include "schedules/family/timing.h"
#include "tests/corpus/corpus.h"
#include "verifier/frontend/pytorch_csv.h"
#include "verifier/ir/framework_words.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <map>

namespace plumbline::schedules::testing {
namespace {

Result<Request> parse(const Family &family, llvm::StringRef words) {
  Sizes sizes;
  std::vector<OptionText> options;
  llvm::SmallVector<llvm::StringRef, 8> list;
  llvm::SplitString(words, list);
  for (const llvm::StringRef word : list) {
    const auto [name, value] = word.split('=');
    std::int64_t *const size = name == "stages"         ? &sizes.stages
                               : name == "ranks"        ? &sizes.ranks
                               : name == "microbatches" ? &sizes.microbatches
                                                        : nullptr;
    if (!size)
      options.push_back({name.str(), value.str()});
    else if (value.getAsInteger(10, *size))
      ADD_FAILURE() << word.str() << " is not a size";
  }
  return makeRequest(family, sizes, options);
}

// Null for messages and for what no cell stands for.
const char *lettersOf(Opcode opcode) {
  switch (opcode) {
  case Opcode::recompute:
    return "R";
  case Opcode::stash_weights:
    return "STASH";
  case Opcode::pick_weights:
    return "PICK";
  case Opcode::optimizer_step:
    return "STEP";
  default:
    return opcode == Opcode::forward || isBackward(opcode) ? pytorchWord(opcode) : nullptr;
  }
}

std::string cellOf(const Action &action) {
  std::string text = action.stage.valid() ? std::to_string(action.stage.value()) : "";
  text += lettersOf(action.opcode);
  return action.microbatch.valid() ? text + std::to_string(action.microbatch.value()) : text;
}

std::string lineOf(const std::vector<Action> &row) {
  std::string line;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (!lettersOf(row[k].opcode) || (row[k].opcode == Opcode::optimizer_step && !row[k].microbatch.valid()))
      continue;
    const GroupId group = row[k].group;
    const bool opens = group.valid() && (k == 0 || row[k - 1].group != group);
    const bool inside = group.valid() && !opens;
    line += line.empty() ? "" : inside ? ";" : ",";
    line += (opens ? "(" : "") + cellOf(row[k]);
    if (group.valid() && (k + 1 == row.size() || row[k + 1].group != group))
      line += ")OVERLAP_F_B";
  }
  return line;
}

// How often each action is there for one (stage, microbatch).
struct Counts {
  int forward = 0, backward = 0, input = 0, weight = 0;
};

void expectComplete(const Schedule &schedule, const Request &request) {
  std::map<std::pair<std::int32_t, std::int32_t>, Counts> counts;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    for (const Action &action : schedule.ranks[rank]) {
      if (!action.stage.valid() || !action.microbatch.valid())
        continue;
      Counts &of = counts[{action.stage.value(), action.microbatch.value()}];
      of.forward += action.opcode == Opcode::forward;
      of.backward += action.opcode == Opcode::backward;
      of.input += action.opcode == Opcode::backward_input;
      of.weight += action.opcode == Opcode::backward_weight;
      bool here = false;
      for (std::int32_t chunk = 0; chunk < request.chunks() * schedule.replicas; ++chunk)
        here |= request.stage(chunk, static_cast<std::int32_t>(rank)) == action.stage;
      EXPECT_TRUE(here) << cellOf(action) << " on rank " << rank;
    }
  const bool training = schedule.mode == Mode::training;
  for (std::int32_t s = 0; s < schedule.stagesPerReplica * schedule.replicas; ++s)
    for (std::int32_t m = 0; m < schedule.microbatches; ++m) {
      const Counts of = counts[{s, m}];
      EXPECT_EQ(of.forward, 1) << "forward of stage " << s << ", microbatch " << m;
      EXPECT_EQ(of.input, of.weight) << "halves of stage " << s << ", microbatch " << m;
      EXPECT_EQ(of.backward + of.input, training ? 1 : 0) << "backward of stage " << s << ", microbatch " << m;
    }
  EXPECT_EQ(counts.size(), static_cast<std::size_t>(schedule.stagesPerReplica) *
                               static_cast<std::size_t>(schedule.replicas) *
                               static_cast<std::size_t>(schedule.microbatches));
}

void expectClosedForms(const Family &family, const Request &request, const Schedule &schedule) {
  const std::optional<Timing> timing = simulate(schedule, Costs());
  ASSERT_TRUE(timing) << "the order cannot finish";
  const auto bubble = family.bubbleTime ? family.bubbleTime(request) : std::nullopt;
  EXPECT_EQ(timing->bubble(), bubble.value_or(timing->bubble())) << "bubble";
  const std::vector<std::int64_t> most = mostInFlight(schedule);
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    const std::int64_t measured = most[static_cast<std::size_t>(rank)];
    const auto held = family.inFlight ? family.inFlight(request, rank) : std::nullopt;
    EXPECT_EQ(measured, held.value_or(measured)) << "in flight on rank " << rank;
  }
}

} // namespace

Request requestOf(const Family &family, llvm::StringRef words) {
  Result<Request> request = parse(family, words);
  if (request)
    return *request;
  ADD_FAILURE() << family.name << " " << words.str() << ": " << request.error().message;
  return Request();
}

std::string refusalOf(const Family &family, llvm::StringRef words) {
  const Result<Request> request = parse(family, words);
  return request ? "" : request.error().message;
}

std::vector<std::string> linesOf(const Schedule &schedule) {
  std::vector<std::string> lines;
  for (const std::vector<Action> &row : schedule.ranks)
    lines.push_back(lineOf(row));
  return lines;
}

void expectOrder(const Family &family, llvm::StringRef words, const std::vector<std::string> &lines) {
  SCOPED_TRACE(std::string(family.name) + " " + words.str());
  EXPECT_EQ(linesOf(generate(family, requestOf(family, words))), lines);
}

void expectCorpusOrder(const Family &family, llvm::StringRef words, const std::string &file) {
  const std::string text = plumbline::testing::contentOf("tests/corpus/" + file);
  const Result<Schedule> framework = frontend::readPyTorchCsv({file, text}, std::nullopt);
  ASSERT_TRUE(framework) << framework.error().message;
  expectOrder(family, words, linesOf(*framework));
}

void expectSound(const Family &family, const Sweep &sweep) {
  int judged = 0;
  for (const std::int32_t ranks : sweep.ranks)
    for (const std::int32_t chunks : sweep.chunks)
      for (std::int32_t m = 1; m <= sweep.mostMicrobatches * ranks; ++m) {
        const std::string words = "ranks=" + std::to_string(ranks) + " stages=" + std::to_string(ranks * chunks) +
                                  " microbatches=" + std::to_string(m) + " " + sweep.words;
        const Result<Request> request = parse(family, words);
        if (!request)
          continue;
        SCOPED_TRACE(std::string(family.name) + " " + words);
        const Schedule schedule = generate(family, *request);
        expectComplete(schedule, *request);
        expectClosedForms(family, *request, schedule);
        ++judged;
        if (::testing::Test::HasFailure())
          return; // one size shows it
      }
  EXPECT_GT(judged, 0) << family.name << " refuses every size";
}

} // namespace plumbline::schedules::testing
