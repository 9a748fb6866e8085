// Holds what a page carries against the program that it was made from, with a reader of its own.
#include "verifier/cli/judge.h"
#include "verifier/ir/words.h"
#include "verifier/report/page/page.h"

#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

using namespace plumbline;

namespace {

std::string pageOf(const report::Report &report) {
  std::string page;
  llvm::raw_string_ostream out(page);
  report::printPage(report, out);
  return page;
}

llvm::json::Object dataIn(llvm::StringRef page) {
  const llvm::StringRef rest = page.split("id=\"data\">").second;
  llvm::Expected<llvm::json::Value> data = llvm::json::parse(rest.split("</script>").first);
  EXPECT_TRUE(static_cast<bool>(data));
  return std::move(*(*data->getAsObject()->getArray("sides"))[0].getAsObject());
}

std::vector<std::int64_t> numbersIn(llvm::StringRef text) {
  constexpr llvm::StringRef alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::int64_t> numbers;
  std::int64_t last = 0, step = 0;
  unsigned shift = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::int64_t>(alphabet.find(c));
    step += (digit % 32) << shift;
    shift += 5;
    if (digit >= 32)
      continue;
    last += step % 2 == 0 ? step / 2 : -(step / 2);
    numbers.push_back(last);
    step = 0;
    shift = 0;
  }
  return numbers;
}

report::Report judged(const std::string &text, const char *name = "x.pir") {
  cli::Settings settings;
  settings.timeline = true;
  settings.reproducible = true;
  return cli::judgeText(name, text, settings);
}

class Page : public testing::TestWithParam<const char *> {};

TEST_P(Page, CarriesTheProgram) {
  const report::Report report = judged(GetParam(), "x");
  ASSERT_FALSE(report.invalid) << report.invalid->message;
  const llvm::json::Object side = dataIn(pageOf(report));
  const llvm::json::Object &columns = *side.getObject("columns");
  const auto column = [&](llvm::StringRef key) { return numbersIn(*columns.getString(key)); };
  const auto begin = column("begin"), takes = column("takes"), partner = column("partner"), opcode = column("opcode"),
             stage = column("stage"), microbatch = column("microbatch"), line = column("line"),
             place = column("column"), pattern = column("name"), accesses = column("accesses"),
             slot = column("accessSlot");
  const Program &program = report.program;
  ASSERT_EQ(begin.size(), program.instructions.size());
  std::size_t access = 0;
  for (std::size_t k = 0; k < begin.size(); ++k) {
    const Instruction &i = program.instructions[k];
    EXPECT_EQ(begin[k], report.timeline->begin[k]);
    EXPECT_EQ(takes[k] < 0 ? -1 : begin[k] + takes[k], report.timeline->end[k]);
    EXPECT_EQ(opcode[k], static_cast<std::int64_t>(i.opcode));
    EXPECT_EQ(stage[k], i.stage.value());
    EXPECT_EQ(microbatch[k], i.microbatch.value());
    EXPECT_EQ(line[k], i.location.line);
    EXPECT_EQ(place[k], i.location.column);
    const std::int64_t other = report.timeline->partner[k].value();
    EXPECT_EQ(partner[k], other > static_cast<std::int64_t>(k) ? other - static_cast<std::int64_t>(k) : 0);
    const llvm::json::Array &name = *(*columns.getArray("names"))[static_cast<std::size_t>(pattern[k])].getAsArray();
    std::string told = *name[0].getAsBoolean() ? std::to_string(stage[k] % program.stagesPerReplica) : "";
    told += name[1].getAsString()->str();
    told += *name[2].getAsBoolean() ? std::to_string(microbatch[k]) : "";
    told += name[3].getAsString()->str();
    EXPECT_EQ(told, nameOf(program, InstructionId(static_cast<std::int32_t>(k))));
    ASSERT_EQ(accesses[k], static_cast<std::int64_t>(program.accessesOf(i).size()));
    for (const SlotAccess &touched : program.accessesOf(i))
      EXPECT_EQ(slot[access++], touched.slot);
  }
  EXPECT_EQ(column("lifeBirth").size(), report.timeline->lives.size());
  EXPECT_EQ(side.getArray("findings")->size(), report.verification.findings.size());
  EXPECT_EQ(pageOf(report), pageOf(report));
}

// One that passes, one that hangs, DeepSpeed's words, several replicas.
INSTANTIATE_TEST_SUITE_P(
    Programs, Page,
    testing::Values(
        "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n",
        "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n",
        "# stage 0 of 1, micro_batches 1, num_pipe_buffers 2\n"
        "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n[BackwardPass(buffer_id=0)]\n"
        "[ReduceTiedGrads(), ReduceGrads(), OptimizerStep()]\n"));

TEST(PageOfAnInvalidFile, SaysWhereAndWhy) {
  const report::Report report = judged("0F0,0X0\n", "x</script>.csv");
  ASSERT_TRUE(report.invalid);
  const std::string page = pageOf(report);
  const llvm::json::Object side = dataIn(page);
  EXPECT_EQ(side.getString("verdict"), "invalid");
  const llvm::json::Object &error = *side.getObject("error");
  EXPECT_EQ(error.getString("file"), "x</script>.csv");
  EXPECT_EQ(error.getInteger("column"), 6);
  EXPECT_TRUE(error.getString("excerpt")->contains("0F0,0X0"));
}

} // namespace
