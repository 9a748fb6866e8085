#include "verifier/frontend/frontend.h"

#include "gtest/gtest.h"

namespace plumbline::frontend {
namespace {

Format formatOf(llvm::StringRef text) {
  const Result<Detected> detected = detect({"t", text});
  EXPECT_TRUE(detected.ok()) << text.str() << (detected ? "" : detected.error().message);
  return detected ? detected->format : Format::automatic;
}

TEST(Detect, GoesByTheFirstLineThatSaysAnything) {
  EXPECT_EQ(formatOf("# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n[]\n"), Format::deepspeed);
  EXPECT_EQ(formatOf("# made by hand\n\n# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n"), Format::deepspeed);
  EXPECT_EQ(formatOf("step 0: [ForwardPass(buffer_id=0)]\n"), Format::deepspeed);
  EXPECT_EQ(formatOf("[]\n"), Format::deepspeed);
  EXPECT_EQ(formatOf("; a comment\nplumbline ir 1\n"), Format::pir);
  EXPECT_EQ(formatOf("0F0,0B0\n"), Format::pytorch_csv);
  EXPECT_EQ(formatOf("\n,,\n\"(0F0;0B0)OVERLAP_F_B\"\n"), Format::pytorch_csv);
  EXPECT_EQ(formatOf("\xEF\xBB\xBF,1F0"), Format::pytorch_csv);
  EXPECT_EQ(formatOf("\n {\n \"rank_programs\": []}"), Format::dualpipe_json);
}

TEST(Detect, SaysWhatItExpected) {
  for (const char *text :
       {"", "\n\n", "hello\n", "{\"format\": \"field-p2p/1\"}", "HloModule m\n", "0,1,2\n", "[1, 2]\n"}) {
    const Result<Detected> detected = detect({"t", text});
    ASSERT_FALSE(detected.ok()) << text;
    EXPECT_FALSE(detected.error().message.empty());
  }
  EXPECT_EQ(detect({"t", "\n\nhello\n"}).error().line, 3U);
}

TEST(Read, SaysWhyItChoseTheFormat) {
  const Result<Input> input = read({"t", "0F0\n"}, std::nullopt, Format::automatic);
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->decided, Format::pytorch_csv);
  EXPECT_EQ(input->why, "line 1 begins with an action of a stage");
  EXPECT_TRUE(std::holds_alternative<Schedule>(input->content));
}

TEST(Read, TakesTheFormatAskedFor) {
  const Result<Input> input = read({"t", "0F0\n"}, std::nullopt, Format::deepspeed);
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().line, 1U);
  EXPECT_EQ(read({"t", "plumbline ir 1\nrank 0 {\n}\n"}, std::nullopt, Format::pir)->why, "as asked for");
}

TEST(Read, ABatchesFileGoesWithCsvOnly) {
  const Source batches{"b.csv", "\n"};
  EXPECT_TRUE(read({"t", "0F0\n"}, batches, Format::automatic).ok());
  const Result<Input> input = read({"t", "plumbline ir 1\nrank 0 {\n}\n"}, batches, Format::automatic);
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().file, "b.csv");
}

TEST(Format, HasAName) {
  for (const Format format :
       {Format::automatic, Format::deepspeed, Format::pytorch_csv, Format::dualpipe_json, Format::pir})
    EXPECT_EQ(formatFromName(name(format)), format);
  EXPECT_EQ(formatFromName("csv"), std::nullopt);
}

} // namespace
} // namespace plumbline::frontend
