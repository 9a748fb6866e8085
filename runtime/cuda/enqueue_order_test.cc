#include "runtime/cuda/enqueue_order.h"

#include "verifier/ir/pir_parse.h"
#include "verifier/ir/words.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <memory>
#include <set>

namespace plumbline::runtime::cuda {
namespace {

// Rank 0 of a program, and what it has been given so far.
class Rank {
public:
  explicit Rank(const std::string &instructions, const model::Options &options = {}) {
    Result<Program> parsed = parsePir(
        "test.pir", "plumbline ir 1\nmode fragment\ncommunicator up members 0 1\ncommunicator down members 0 1\n"
                    "rank 0 {\n" +
                        instructions + "}\nrank 1 {\n}\n");
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    program_ = std::move(*parsed);
    std::string wrong;
    plan_ = makePlan(program_, options, wrong);
    EXPECT_EQ(wrong, "");
    order_ = std::make_unique<EnqueueOrder>(plan_, 0);
  }

  // All that can be had now, by names.
  std::string take() {
    std::string names;
    const auto over = [this](StepIndex step) { return over_.count(step) > 0; };
    for (StepIndex step = order_->next(over); step != none; step = order_->next(over))
      names += (names.empty() ? "" : " ") +
               nameOf(program_, InstructionId(static_cast<std::int32_t>(plan_.steps[step].first)));
    return names;
  }
  void end(InstructionIndex instruction) { over_.insert(plan_.stepOf[instruction]); }
  EnqueueOrder &order() { return *order_; }

private:
  Program program_;
  Plan plan_;
  std::unique_ptr<EnqueueOrder> order_;
  std::set<StepIndex> over_;
};

TEST(EnqueueOrder, ComputingWaitsForItsMessagesAndNothingElseDoes) {
  Rank rank("%f0 = forward s0 m0\n"
            "%r3 = receive_activation s3 m0 from 1 via up\n"
            "%f3 = forward s3 m0 wait %r3\n"
            "send_activation s0 m0 to 1 via down wait %f0\n"
            "send_gradient s3 m0 to 1 via up wait %f3\n");
  EXPECT_EQ(rank.take(), "0F0 3RECV_F0 0SEND_F0");
  EXPECT_EQ(rank.take(), "");
  EXPECT_FALSE(rank.order().finished());
  rank.end(1);
  EXPECT_EQ(rank.take(), "3F0 3SEND_B0");
  EXPECT_TRUE(rank.order().finished());
  rank.order().reset();
  EXPECT_EQ(rank.take(), "0F0 3RECV_F0 3F0 0SEND_F0 3SEND_B0"); // the order of the Program, when nothing is late
}

TEST(EnqueueOrder, OnlySoManyLaunchesStandOnAStream) {
  std::string sends;
  for (int m = 0; m < 100; ++m)
    sends += "send_activation s0 m" + std::to_string(m) + " to 1 via down\n";
  Rank rank(sends + "send_activation s0 m100 to 1 via up\n");
  const std::string first = rank.take();
  EXPECT_EQ(std::count(first.begin(), first.end(), ' ') + 1, 65) << first; // 64, and the one on another stream
  EXPECT_NE(first.find("0SEND_F100"), std::string::npos) << first;
  for (InstructionIndex i = 0; i < 64; ++i)
    rank.end(i);
  const std::string rest = rank.take();
  EXPECT_EQ(std::count(rest.begin(), rest.end(), ' ') + 1, 36) << rest;
  EXPECT_TRUE(rank.order().finished());
}

TEST(EnqueueOrder, IsTheProgramsWhereTheHostWaits) {
  model::Options options;
  options.wait = model::Wait::group;
  Rank rank("%r = receive_activation s3 m0 from 1 via up\n"
            "forward s3 m0 wait %r\n"
            "send_activation s0 m0 to 1 via down\n",
            options);
  EXPECT_EQ(rank.take(), "3RECV_F0");
  rank.end(0);
  EXPECT_EQ(rank.take(), "3F0 0SEND_F0");
}

} // namespace
} // namespace plumbline::runtime::cuda
