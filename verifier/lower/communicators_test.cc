#include "verifier/lower/communicators.h"

#include "verifier/ir/pir_parse.h"

#include "gtest/gtest.h"

namespace plumbline::lower {
namespace {

Program programOf(const char *text) {
  Result<Program> program = parsePir("test.pir", text);
  EXPECT_TRUE(program.ok()) << (program ? "" : program.error().message);
  return program ? std::move(*program) : Program();
}

std::vector<std::string> namesUsed(const Program &program) {
  std::vector<std::string> names;
  for (const Instruction &i : program.instructions)
    names.push_back(
        i.communicator.valid() ? program.communicators[static_cast<std::size_t>(i.communicator.value())].name : "-");
  return names;
}

using Names = std::vector<std::string>;

constexpr const char *text = R"(plumbline ir 1
communicator old room 3
communicator world
communicator unused
rank 0 {
  send_activation s0 m0 to 1
  receive_gradient s0 m0 from 1
  all_reduce via world
}
rank 1 {
  receive_activation s1 m0 from 0
  send_gradient s1 m0 to 0
  all_reduce via world
}
)";

TEST(Communicators, OneForEachPairOrEdge) {
  Program program = programOf(text);
  setCommunicators(program, Communicators::pair);
  EXPECT_EQ(validate(program), "");
  EXPECT_EQ(namesUsed(program), (Names{"pair 0-1", "pair 0-1", "world", "pair 0-1", "pair 0-1", "world"}));
  setCommunicators(program, Communicators::directed);
  EXPECT_EQ(namesUsed(program), (Names{"0 to 1", "1 to 0", "world", "0 to 1", "1 to 0", "world"}));
  ASSERT_EQ(program.communicators.size(), 3U);
  EXPECT_EQ(program.communicators[1].room, 3);
  EXPECT_EQ(program.communicators[1].members, (llvm::SmallVector<RankId, 2>{RankId(0), RankId(1)}));
  setCommunicators(program, Communicators::single);
  EXPECT_EQ(namesUsed(program), (Names{"pipeline", "pipeline", "world", "pipeline", "pipeline", "world"}));
  EXPECT_TRUE(program.communicators[1].members.empty());
}

TEST(Communicators, TwiceIsOnce) {
  for (const Communicators mode : {Communicators::single, Communicators::pair, Communicators::directed}) {
    Program once = programOf(text);
    setCommunicators(once, mode);
    Program twice = once;
    setCommunicators(twice, mode);
    EXPECT_TRUE(identical(once, twice));
  }
}

} // namespace
} // namespace plumbline::lower
