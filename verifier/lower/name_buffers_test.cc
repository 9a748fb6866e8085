#include "verifier/lower/name_buffers.h"

#include "tests/corpus/corpus.h"
#include "verifier/backend/deepspeed_print.h"
#include "verifier/frontend/deepspeed.h"
#include "verifier/frontend/pytorch_csv.h"
#include "verifier/lower/insert_communication.h"
#include "verifier/lower/lower.h"

#include "gtest/gtest.h"

namespace plumbline::lower {
namespace {

Result<Schedule> named(const std::string &csv) {
  const Result<Schedule> order = frontend::readPyTorchCsv({"mine", csv}, std::nullopt);
  EXPECT_TRUE(order);
  return nameBuffers(order->hasCommunication ? *order : insertCommunication(*order, placementOf(*order)));
}

TEST(NameBuffers, WritesTheListsThatTheEngineNeeds) {
  const Result<Schedule> schedule = named("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
  ASSERT_TRUE(schedule) << schedule.error().message;
  const Result<std::string> text = backend::toDeepSpeedText(*schedule);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, R"(# stage 0 of 2, micro_batches 2, num_pipe_buffers 2
[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]
[SendActivation(buffer_id=0), LoadMicroBatch(buffer_id=1), ForwardPass(buffer_id=1)]
[SendActivation(buffer_id=1), RecvGrad(buffer_id=0), BackwardPass(buffer_id=0)]
[RecvGrad(buffer_id=1), BackwardPass(buffer_id=1)]
[ReduceTiedGrads(), ReduceGrads(), OptimizerStep()]
# stage 1 of 2, micro_batches 2, num_pipe_buffers 2
[RecvActivation(buffer_id=0), LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]
[RecvActivation(buffer_id=1), BackwardPass(buffer_id=0)]
[SendGrad(buffer_id=0), LoadMicroBatch(buffer_id=1), ForwardPass(buffer_id=1)]
[BackwardPass(buffer_id=1)]
[SendGrad(buffer_id=1), ReduceTiedGrads(), ReduceGrads(), OptimizerStep()]
)");
}

// Read back, the buffers' history gives every instruction the microbatch that it had.
TEST(NameBuffers, TheListsMeanTheOrderTheyCameFrom) {
  for (const char *file : {"pytorch/1f1b_4rank_4stage_8mb_compute.csv", "megatron-lm/1f1b_4rank_4stage_2mb.csv",
                           "nnscaler/1f1b_2rank_2stage_4mb.csv", "nnscaler/infer-pipe_4rank_4stage_6mb.csv"}) {
    const Result<Schedule> schedule = named(testing::contentOf(std::string("tests/corpus/") + file));
    ASSERT_TRUE(schedule) << file << schedule.error().message;
    const Result<std::string> text = backend::toDeepSpeedText(*schedule);
    ASSERT_TRUE(text);
    std::vector<std::string> notes;
    const Result<Schedule> again = frontend::readDeepSpeed({"mine", *text}, notes);
    ASSERT_TRUE(again) << again.error().message << *text;
    const Result<Program> before = lowerSchedule(*schedule), after = lowerSchedule(*again);
    ASSERT_TRUE(before && after);
    EXPECT_TRUE(identical(*before, *after)) << file << "\n" << *text;
  }
}

TEST(NameBuffers, SaysWhatTheEngineCannotRun) {
  struct Case {
    const char *csv, *why;
  };
  const Case cases[] = {
      {"0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n", "keeps one loss"},
      {"0F0,0I0,0W0\n", "no instruction for backward_input"},
      {"0F0,1F0,1B0,0B0\n", "one stage on each rank"},
      {"0F1,0F0\n1F1,1F0\n", "out of order"},
      {"0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0RECV_B1,0B0,0B1\n"
       "1RECV_F0,1F0,1B0,1RECV_F1,1SEND_B0,1F1,1B1,1SEND_B1\n",
       "keeps one received gradient"},
  };
  for (const Case &c : cases) {
    const Result<Schedule> schedule = named(c.csv);
    ASSERT_FALSE(schedule) << c.csv;
    EXPECT_NE(schedule.error().message.find(c.why), std::string::npos) << schedule.error().message;
  }
}

} // namespace
} // namespace plumbline::lower
