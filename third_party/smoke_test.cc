#include <algorithm>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "rapidcheck.h"
#include "spdlog/sinks/ostream_sink.h"
#include "spdlog/spdlog.h"
#include "z3++.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Needs the headers of both libraries before it.
#include "rapidcheck/gtest.h"

namespace {

TEST(Z3, FindsACycleOfDifferenceConstraints) {
  z3::context context;
  z3::solver solver(context, "QF_IDL");
  z3::expr a = context.int_const("a");
  z3::expr b = context.int_const("b");
  solver.add(b - a >= 1);
  EXPECT_EQ(solver.check(), z3::sat);
  solver.add(a - b >= 1);
  EXPECT_EQ(solver.check(), z3::unsat);
}

TEST(Z3, ThrowsThroughOurFrames) {
  z3::context context;
  EXPECT_THROW(context.parse_string("(assert"), z3::exception);
}

// Deriving from LLVM's polymorphic classes needs their type information, which an LLVM built
// without RTTI lacks.
struct EvenNumber : llvm::cl::parser<int> {
  using llvm::cl::parser<int>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef name, llvm::StringRef text, int &value) {
    return llvm::cl::parser<int>::parse(option, name, text, value) || value % 2 != 0;
  }
};

class CountingStream : public llvm::raw_ostream {
public:
  ~CountingStream() override { flush(); }
  uint64_t count = 0;

private:
  void write_impl(const char *, size_t size) override { count += size; }
  uint64_t current_pos() const override { return count; }
};

TEST(Llvm, ParsesOptionsOfOurOwnType) {
  llvm::cl::opt<int, false, EvenNumber> number("smoke-number", llvm::cl::init(0));
  const char *arguments[] = {"smoke", "--smoke-number=42"};
  ASSERT_TRUE(llvm::cl::ParseCommandLineOptions(2, arguments));
  EXPECT_EQ(number, 42);
}

TEST(Llvm, ReadsAndWritesJson) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(R"({"ranks": [1, 2]})");
  ASSERT_TRUE(static_cast<bool>(value));
  CountingStream stream;
  stream << *value;
  stream.flush();
  EXPECT_EQ(stream.count, std::string(R"({"ranks":[1,2]})").size());
}

TEST(Llvm, SmallVectorWorksWithMatchers) {
  llvm::SmallVector<int, 2> values = {1, 2, 3};
  EXPECT_THAT(values, testing::ElementsAre(1, 2, 3));
}

TEST(Spdlog, FormatsThroughTheSystemsFmt) {
  std::ostringstream out;
  spdlog::logger logger("smoke", std::make_shared<spdlog::sinks::ostream_sink_st>(out));
  logger.set_pattern("%v");
  logger.info("{} of {}", 1, 2);
  EXPECT_EQ(out.str(), "1 of 2\n");
}

RC_GTEST_PROP(RapidCheck, ReversingTwiceIsTheIdentity, (const std::vector<int> &values)) {
  std::vector<int> twice(values.rbegin(), values.rend());
  std::reverse(twice.begin(), twice.end());
  RC_ASSERT(twice == values);
}

TEST(Benchmark, Links) { EXPECT_FALSE(benchmark::ReportUnrecognizedArguments(0, nullptr)); }

} // namespace
