#include "tests/corpus/corpus.h"
#include "verifier/backend/deepspeed_print.h"
#include "verifier/backend/pytorch_csv_print.h"
#include "verifier/frontend/deepspeed.h"
#include "verifier/frontend/dualpipe_json.h"
#include "verifier/frontend/pytorch_csv.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace plumbline::backend {
namespace {

using testing::contentOf;
using testing::corpusFiles;

// A row's cells without idle ones, line by line.
std::string withoutIdleCells(const std::string &csv) {
  std::string result;
  for (const char c : csv) {
    const bool ends = c == ',' || c == '\n';
    if (ends && !result.empty() && result.back() == ',')
      result.pop_back();
    if (c == '\r' || (c == ',' && (result.empty() || result.back() == '\n')))
      continue;
    result += c;
  }
  return result;
}

TEST(Print, EveryPyTorchFileOfTheCorpusComesBackCellByCell) {
  std::size_t printed = 0;
  for (const std::string &path : corpusFiles("", ".csv")) {
    if (path.find(".batches.csv") != std::string::npos || path.find("/field/") != std::string::npos)
      continue;
    const std::string text = contentOf(path);
    const Result<Schedule> schedule = frontend::readPyTorchCsv({path, text}, std::nullopt);
    ASSERT_TRUE(schedule) << path;
    const Result<std::string> csv = toPyTorchCsv(*schedule);
    ASSERT_TRUE(csv) << path << csv.error().message;
    EXPECT_EQ(*csv, withoutIdleCells(text)) << path;
    ++printed;
  }
  EXPECT_GT(printed, 60U);
}

TEST(Print, EveryDeepSpeedFileOfTheCorpusComesBackByteByByte) {
  std::size_t printed = 0;
  for (const std::string &path : corpusFiles("deepspeed/", ".txt")) {
    const std::string text = contentOf(path);
    std::vector<std::string> notes;
    const Result<Schedule> schedule = frontend::readDeepSpeed({path, text}, notes);
    ASSERT_TRUE(schedule) << path;
    const Result<std::string> lists = toDeepSpeedText(*schedule);
    ASSERT_TRUE(lists) << path << lists.error().message;
    EXPECT_EQ(*lists, text) << path;
    ++printed;
  }
  EXPECT_GE(printed, 20U);
}

TEST(Print, SaysWhatAFormatCannotHold) {
  Schedule schedule;
  schedule.name = "mine";
  schedule.stagesPerReplica = 1;
  schedule.microbatches = 1;
  schedule.ranks.resize(1);
  Action action;
  action.opcode = Opcode::recompute;
  action.stage = StageId(0);
  action.microbatch = MicrobatchId(0);
  schedule.ranks[0].push_back(action);
  schedule.buffers.resize(1);
  const Result<std::string> csv = toPyTorchCsv(schedule), lists = toDeepSpeedText(schedule);
  ASSERT_FALSE(csv);
  EXPECT_NE(csv.error().message.find("no cell for recompute"), std::string::npos);
  ASSERT_FALSE(lists);
  EXPECT_NE(lists.error().message.find("no instruction for recompute"), std::string::npos);

  const std::string path = "tests/corpus/dualpipe/dualpipe_2rank_6chunks.json", text = contentOf(path);
  const Result<Schedule> both = frontend::readDualPipeJson({path, text});
  ASSERT_TRUE(both);
  ASSERT_FALSE(toPyTorchCsv(*both));
}

} // namespace
} // namespace plumbline::backend
