#include "verifier/report/trace_events.h"

#include "gtest/gtest.h"

namespace plumbline::report {
namespace {

std::string printed(llvm::function_ref<void(TraceEvents &)> content) {
  std::string text;
  llvm::raw_string_ostream out(text);
  TraceEvents events(out);
  content(events);
  return text;
}

void nothing(llvm::json::OStream &) {}

TEST(TraceEvents, TimesAreExact) {
  EXPECT_EQ(printed([](TraceEvents &e) {
              e.bar({0, 0}, "a", "c", 1'001, 2'000, nothing);
            }),
            R"({"ph":"X","name":"a","cat":"c","pid":1,"tid":1,"ts":1.001,"dur":0.999,"args":{}})");
  EXPECT_EQ(printed([](TraceEvents &e) {
              e.bar({0, 0}, "a", "c", 9'007'199'254'740'993, 9'007'199'254'750'993, nothing);
            }),
            R"({"ph":"X","name":"a","cat":"c","pid":1,"tid":1,"ts":9007199254740.993,"dur":10,"args":{}})");
}

TEST(TraceEvents, RowsHaveNumbersOfTheirOwn) {
  EXPECT_EQ(printed([](TraceEvents &e) {
              e.arrowBegin({2, 0}, 7, 1000);
            }),
            R"({"ph":"s","name":"message","cat":"message","id":7,"pid":3,"tid":3,"ts":1})");
  EXPECT_EQ(printed([](TraceEvents &e) {
              e.arrowEnd({2, 1}, 7, 1000);
            }),
            R"({"ph":"f","name":"message","cat":"message","id":7,"bp":"e","pid":3,"tid":10000003,"ts":1})");
}

TEST(TraceEvents, OneALine) {
  EXPECT_EQ(printed([](TraceEvents &e) {
              e.counter(0, "n", "live", 0, 3);
              e.add("{}");
              e.mark({0, 0}, TraceScope::process, "m", "error", 0, nothing);
            }),
            "{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":0,\"args\":{\"live\":3}},\n{},\n"
            "{\"ph\":\"i\",\"name\":\"m\",\"cat\":\"error\",\"s\":\"p\",\"pid\":1,\"tid\":1,\"ts\":0,\"args\":{}}");
}

TEST(TraceEvents, AnyNames) {
  const std::string text = printed([](TraceEvents &e) { e.nameProcess(0, "\"<\n\xff"); });
  EXPECT_NE(text.find(R"("args":{"name":"\"<\n)"
                      "\xef\xbf\xbd\"}"),
            std::string::npos);
}

TEST(TraceEvents, ADocumentWithoutEventsIsOneToo) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printTraceDocument(out, "a note", [](TraceEvents &) {});
  auto parsed = llvm::json::parse(text);
  ASSERT_TRUE(static_cast<bool>(parsed));
  EXPECT_TRUE(parsed->getAsObject()->getArray("traceEvents")->empty());
}

} // namespace
} // namespace plumbline::report
