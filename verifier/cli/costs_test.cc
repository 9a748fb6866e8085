#include "verifier/cli/costs.h"

#include "gtest/gtest.h"

namespace plumbline::cli {
namespace {

std::optional<model::Costs> read(const std::string &text) {
  std::optional<model::Costs> costs;
  return addCosts(text, costs).empty() ? costs : std::nullopt;
}

TEST(Costs, AreKeptInThousandths) {
  const std::optional<model::Costs> costs = read("F=0.5,B=2.25");
  ASSERT_TRUE(costs);
  EXPECT_EQ(costs->ticksPerUnit, 1000);
  EXPECT_EQ((*costs)[Opcode::forward], 500);
  EXPECT_EQ((*costs)[Opcode::backward], 2250);
  EXPECT_EQ((*costs)[Opcode::backward_weight], 1000); // as in unit costs
  EXPECT_EQ((*costs)[Opcode::send_activation], 0);
  EXPECT_EQ(model::inUnits(2250, *costs), "2.25");
  EXPECT_EQ(model::inUnits(2000, *costs), "2");
  EXPECT_EQ(model::inUnits(2001, *costs), "2.001");
}

TEST(Costs, OfAMessageAreThoseOfBothEnds) {
  const std::optional<model::Costs> all = read("message=.1");
  ASSERT_TRUE(all);
  for (const Opcode opcode : {Opcode::send_activation, Opcode::receive_activation, Opcode::send_gradient,
                              Opcode::receive_gradient, Opcode::send_message, Opcode::receive_message})
    EXPECT_EQ((*all)[opcode], 100);
  const std::optional<model::Costs> one = read("send_gradient=3");
  ASSERT_TRUE(one);
  EXPECT_EQ((*one)[Opcode::receive_gradient], 3000);
  EXPECT_EQ((*one)[Opcode::receive_activation], 0);
}

TEST(Costs, AreReadStrictly) {
  for (const char *text : {"", "F", "F=", "F=.", "F=-1", "F=1e3", "F=0.0001", "F=100000.001", "X=1", "f=1",
                           "receive_activation=1", "F=1,", "F=1;B=2", "F=99999999999999999999", "F= 1", "F=0x1"})
    EXPECT_FALSE(read(text)) << text;
  EXPECT_TRUE(read("F=100000"));
}

} // namespace
} // namespace plumbline::cli
