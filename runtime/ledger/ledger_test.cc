// What the ledger calls a violation, on orders in which events happen. Cases that a comparison with the verifier once
// found wrong say what was wrong.
#include "runtime/ledger/ledger.h"

#include "verifier/ir/pir_parse.h"

#include "gtest/gtest.h"

namespace plumbline::runtime {
namespace {

// One rank with two pools and these instructions.
Program programOf(const std::string &instructions) {
  Result<Program> program =
      parsePir("test.pir", "plumbline ir 1\nmode fragment\nrank 0 {\n  pool a\n  pool b\n" + instructions + "}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
  return std::move(*program);
}

// Begins (+) and completes (-) instructions in an order such as "+0-0+1"; the kind of the first violation.
std::optional<ViolationKind> happen(const Program &program, Report report, llvm::StringRef order) {
  Ledger ledger(program, report);
  llvm::SmallVector<std::uint32_t, 4> dead;
  for (std::size_t k = 0; k + 1 < order.size(); k += 2) {
    const InstructionId i(order[k + 1] - '0');
    if (order[k] == '-')
      ledger.complete(i, dead);
    else if (const std::optional<Violation> violation = ledger.begin(i))
      return violation->kind;
  }
  return std::nullopt;
}

TEST(Ledger, WritesAndReadsInTurn) {
  const Program program = programOf("  forward s0 m0 write a[0]:output\n"
                                    "  backward s0 m0 read a[0]:output\n"
                                    "  forward s0 m1 write a[0]:output\n");
  EXPECT_EQ(happen(program, Report::atWrite, "+0-0+1-1+2-2"), std::nullopt);
  EXPECT_EQ(happen(program, Report::atRead, "+0+1"), ViolationKind::incomplete);
  EXPECT_EQ(happen(program, Report::atRead, "+1"), ViolationKind::missing);
  EXPECT_EQ(happen(program, Report::atRead, "+0-0+1+2"), ViolationKind::overwritten);
  EXPECT_EQ(happen(program, Report::atRead, "+0+2"), ViolationKind::overwritten);
  EXPECT_EQ(happen(program, Report::atWrite, "+0-0+2"), ViolationKind::needed);
  EXPECT_EQ(happen(program, Report::atRead, "+0-0+2"), std::nullopt); // the reader may be behind a hang
  EXPECT_EQ(happen(program, Report::atRead, "+0-0+2-2+1"), ViolationKind::missing);
}

TEST(Ledger, InPlace) {
  const Program program = programOf("  receive_activation s0 m0 from 0 write a[0]:input\n"
                                    "  backward s0 m0 read a[0]:input write a[0]:input_gradient\n"
                                    "  send_gradient s0 m0 to 0 read a[0]:input_gradient\n");
  EXPECT_EQ(happen(program, Report::atWrite, "+0-0+1-1+2-2"), std::nullopt);
  EXPECT_EQ(happen(program, Report::atWrite, "+0-0+1+2"), ViolationKind::incomplete);
}

TEST(Ledger, NothingReadsIt) {
  const Program program = programOf("  forward s0 m0 write a[0]:output\n"
                                    "  forward s0 m1 write a[0]:output\n");
  EXPECT_EQ(happen(program, Report::atRead, "+0-0+1"), ViolationKind::unread);
}

// Both writes bear one name, so a tag alone tells nothing: the first was taken for the second. The verifier reports the
// first as written for nothing (PL403).
TEST(Ledger, SameValueTwice) {
  const Program program = programOf("  compute s0 m0 write a[0]:input(s0,m0)\n"
                                    "  recompute s0 m0 write a[0]:input(s0,m0)\n"
                                    "  recompute s0 m1 read a[0]:input(s0,m0)\n");
  EXPECT_EQ(happen(program, Report::atRead, "+0-0+1-1+2"), ViolationKind::unread);
}

// As before, with a second reader. While that one has not come it may be behind a hang, and be the one that the first
// write was for; the verifier then says nothing either.
TEST(Ledger, SameValueTwiceWithAReaderBehindAHang) {
  const Program program = programOf("  receive_activation s0 m0 from 0 write a[0]:input\n"
                                    "  receive_activation s0 m0 from 0 write a[0]:input\n"
                                    "  forward s0 m0 read a[0]:input\n"
                                    "  backward_weight s0 m0 read a[0]:input\n");
  EXPECT_EQ(happen(program, Report::atRead, "+0-0+1-1+2-2"), std::nullopt);
  EXPECT_EQ(happen(program, Report::atRead, "+0-0+1-1+2-2+3"), ViolationKind::unread);
}

// A value that comes back later is read once more then; that reader does not miss it in between.
TEST(Ledger, WrittenAgainLater) {
  const Program program = programOf("  recompute s0 m0 write a[0]:stash\n"
                                    "  compute s0 m0 read a[0]:stash\n"
                                    "  recompute s0 m1 write a[0]:stash\n"
                                    "  compute s0 m1 read a[0]:stash\n"
                                    "  recompute s0 m0 write a[0]:stash\n"
                                    "  backward s0 m0 read a[0]:stash\n");
  EXPECT_EQ(happen(program, Report::atWrite, "+0-0+1-1+2-2+3-3+4-4+5-5"), std::nullopt);
}

TEST(Ledger, PeakAndDeadSlots) {
  const Program program = programOf("  forward s0 m0 write a[0]:output\n"
                                    "  forward s0 m1 write a[1]:output\n"
                                    "  backward s0 m0 read a[0]:output\n"
                                    "  backward s0 m1 read a[1]:output\n");
  Ledger ledger(program, Report::atWrite);
  llvm::SmallVector<std::uint32_t, 4> dead;
  for (const std::int32_t i : {0, 1, 2, 3}) {
    EXPECT_FALSE(ledger.begin(InstructionId(i)).has_value());
    ledger.complete(InstructionId(i), dead);
  }
  EXPECT_EQ(ledger.peak(PoolId(0)), 2);
  EXPECT_EQ(ledger.peak(PoolId(1)), 0);
  EXPECT_EQ(dead.size(), 2U);
}

} // namespace
} // namespace plumbline::runtime
