#include "verifier/frontend/dualpipe_json.h"

#include "tests/corpus/corpus.h"

#include "gtest/gtest.h"

namespace plumbline::frontend {
namespace {

Schedule scheduleOf(const std::string &text) {
  Result<Schedule> schedule = readDualPipeJson({"t.json", text});
  EXPECT_TRUE(schedule.ok()) << (schedule ? "" : schedule.error().message);
  return schedule ? std::move(*schedule) : Schedule();
}

TEST(DualPipeJson, DirectionsAreReplicas) {
  const Schedule s = scheduleOf(plumbline::testing::contentOf("tests/corpus/dualpipe/dualpipe_2rank_6chunks.json"));
  EXPECT_EQ(s.replicas, 2);
  EXPECT_EQ(s.stagesPerReplica, 2);
  EXPECT_EQ(s.microbatches, 3);
  EXPECT_EQ(s.mode, Mode::training);
  EXPECT_TRUE(s.hasCommunication);
  EXPECT_TRUE(s.waitsForGroups);
  ASSERT_EQ(s.ranks.size(), 2U);
  // Rank 0 holds stage 0 of direction 0 and the last stage of direction 1.
  EXPECT_EQ(s.ranks[0][0].stage, StageId(0));
  EXPECT_EQ(s.ranks[0][3].stage, StageId(3));
  EXPECT_EQ(s.ranks[1][0].stage, StageId(2));
}

TEST(DualPipeJson, CommitsAndOverlapsAreGroupsWithPlaces) {
  const Schedule s = scheduleOf(plumbline::testing::contentOf("tests/corpus/dualpipe/dualpipe_2rank_6chunks.json"));
  const Action &send = s.ranks[0][1], &receive = s.ranks[0][2];
  EXPECT_EQ(send.opcode, Opcode::send_activation);
  EXPECT_EQ(send.peer, RankId(1));
  EXPECT_EQ(send.group, receive.group);
  EXPECT_TRUE(send.group.valid());
  EXPECT_EQ(send.location.line, 5U);
  EXPECT_EQ(send.location.column, 23U);
  EXPECT_EQ(receive.location.column, 63U);
  const Action &forward = s.ranks[0][10], &backward = s.ranks[0][11];
  EXPECT_EQ(forward.opcode, Opcode::forward);
  EXPECT_EQ(forward.group, backward.group);
  EXPECT_FALSE(forward.peer.valid());
  EXPECT_EQ(backward.location.line, 10U);
}

TEST(DualPipeJson, KeysMayComeInAnyOrderAndOthersAreIgnored) {
  const Schedule s = scheduleOf(
      "{\"rank_programs\": [[{\"mb\": 1, \"cost\": [1.5e3, {\"x\": \"\\\"}\"}], \"dir\": 0, \"op\": \"F\"}]],"
      "\"note\": null, \"forward_only\": true, \"ranks\": 1, \"chunks\": 8} \n");
  EXPECT_EQ(s.microbatches, 4);
  EXPECT_EQ(s.mode, Mode::inference);
  EXPECT_EQ(s.ranks[0][0].microbatch, MicrobatchId(1));
}

TEST(DualPipeJson, RefusesMalformedTextWithThePlace) {
  const auto program = [](const std::string &op) { return "{\"rank_programs\":[[\n" + op + "\n]]}"; };
  const std::string deep(100, '[');
  struct Case {
    std::string text;
    std::uint32_t line, column;
    const char *message;
  };
  const Case cases[] = {
      {"", 1, 1, "cut off"},
      {"[]", 1, 1, "expected an object"},
      {"{}", 1, 1, "expected \"rank_programs\""},
      {"{\"rank_programs\":[]}", 1, 2, "at least one operation"},
      {"{\"rank_programs\":[[]],\"rank_programs\":[]}", 1, 23, "twice"},
      {"{\"ranks\":2,\n\"rank_programs\":[[{\"op\":\"F\",\"dir\":0,\"mb\":0}]]}", 2, 1, "\"ranks\" is 2"},
      {"{\"chunks\":6,\"chunks_per_dir\":2,\n\"rank_programs\":[[{\"op\":\"F\",\"dir\":0,\"mb\":0}]]}", 1, 2,
       "\"chunks\""},
      {"{\"chunks\":5,\n\"rank_programs\":[[{\"op\":\"F\",\"dir\":0,\"mb\":0}]]}", 1, 2, "\"chunks\""},
      {"{\"ranks\":-1}", 1, 10, "whole number"},
      {"{\"ranks\":1.5}", 1, 10, "whole number"},
      {"{\"ranks\":1e5}", 1, 10, "whole number"},
      {"{\"ranks\":99999999999999999999}", 1, 10, "larger than"},
      {"{\"forward_only\":1}", 1, 17, "true or false"},
      {"{\"x\":tru}", 1, 6, "expected a value"},
      {"{\"x\":\"a\n\"}", 1, 8, "end the string"},
      {"{\"x\":" + deep, 1, 69, "nested"},
      {"{\"x\" 1}", 1, 6, "expected ':'"},
      {"{\"x\":1 \"y\":2}", 1, 8, "expected ',' or '}'"},
      {"{\"x\":1,}", 1, 8, "expected a string"},
      {"{\"x\":1", 1, 7, "cut off"},
      {"{\"rank_programs\":[[", 1, 20, "cut off"},
      {program("{\"op\":\"F\",\"dir\":0,\"mb\":0}") + "x", 3, 4, "end of the text"},
      {program("{\"op\":\"G\",\"dir\":0,\"mb\":0}"), 2, 1, "unknown operation 'G'"},
      {program("{\"dir\":0,\"mb\":0}"), 2, 1, "no \"op\""},
      {program("{\"op\":\"F\",\"mb\":0}"), 2, 1, "\"dir\" and \"mb\""},
      {program("{\"op\":\"F\",\"dir\":0}"), 2, 1, "\"dir\" and \"mb\""},
      {program("{\"op\":\"F\",\"dir\":2,\"mb\":0}"), 2, 17, "larger than 1"},
      {program("{\"op\":\"F\",\"dir\":0,\"mb\":1000000}"), 2, 24, "larger than"},
      {program("{\"op\":\"FB\",\"f\":{\"dir\":0,\"mb\":0}}"), 2, 1, "\"f\" and \"b\""},
      {program("{\"op\":\"FB\",\"f\":{\"dir\":0},\"b\":{\"dir\":0,\"mb\":0}}"), 2, 16, "\"dir\" and \"mb\""},
      {program("{\"op\":\"COMMIT\",\"ops\":[{\"op\":\"F\",\"dir\":0,\"mb\":0}]}"), 2, 23, "SEND_F"},
      {program("{\"op\":\"COMMIT\",\"ops\":[{\"op\":\"SEND_F\",\"dir\":0,\"mb\":0}]}"), 2, 23, "\"peer\""},
      {program("{\"op\":\"COMMIT\",\"ops\":[{\"op\":\"SEND_F\",\"dir\":0,\"mb\":0,\"peer\":1}]}"), 2, 60, "no rank 1"},
      {program("{\"op\":3}"), 2, 7, "expected a string"},
      {std::string("{\"a\":\n\0}", 8), 2, 1, "NUL"},
  };
  for (const Case &c : cases) {
    const Result<Schedule> schedule = readDualPipeJson({"t.json", c.text});
    ASSERT_FALSE(schedule.ok()) << c.text;
    EXPECT_EQ(schedule.error().line, c.line) << c.text << schedule.error().message;
    EXPECT_EQ(schedule.error().column, c.column) << c.text << schedule.error().message;
    EXPECT_NE(schedule.error().message.find(c.message), std::string::npos) << c.text << schedule.error().message;
  }
}

TEST(DualPipeJson, EveryPrefixIsRefused) {
  const std::string text = plumbline::testing::contentOf("tests/corpus/dualpipe/dualpipe_2rank_6chunks.json");
  for (std::size_t size = 0; size < text.find_last_of('}'); ++size)
    EXPECT_FALSE(readDualPipeJson({"t.json", llvm::StringRef(text).take_front(size)}).ok()) << size;
}

} // namespace
} // namespace plumbline::frontend
