#include "verifier/certificate/certificate.h"
#include "verifier/certificate/program_hash.h"

#include "verifier/ir/pir_parse.h"
#include "verifier/model/words.h"

#include "gtest/gtest.h"

namespace plumbline::certificate {
namespace {

Program programOf(const std::string &text) {
  Result<Program> program = parsePir("test.pir", text);
  EXPECT_TRUE(program.ok());
  return std::move(*program);
}

TEST(ProgramHash, MeaningOnly) {
  const std::string text = "plumbline ir 1\nname \"x\"\nmode fragment\nrank 0 {\n  forward s0 m0\n  forward s0 m1\n}\n";
  const std::string hash = hashOf(programOf(text));
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(hash,
            hashOf(programOf("plumbline ir 1 ; a comment\n\nname \"x\"\nmode fragment\nrank 0 {\n\n  forward s0 m0\n"
                             "  forward s0 m1\n}\n")));
  EXPECT_NE(hash, hashOf(programOf("plumbline ir 1\nname \"x\"\nmode fragment\nrank 0 {\n  forward s0 m1\n"
                                   "  forward s0 m0\n}\n")));
}

Certificate sample() {
  Certificate certificate{std::string(64, 'a'), "verified", {}, {{0, "inputs", 3}, {1, "a \"name\"", 0}}};
  certificate.model.kind = model::Kind::mpi;
  certificate.model.comms = model::Comms::directed;
  certificate.model.grouping = model::Grouping::none;
  certificate.model.wait = model::Wait::group;
  certificate.model.connect = model::Connect::firstUse;
  certificate.model.streams = model::Streams::any;
  certificate.model.room = 3;
  certificate.model.roomBytes = 5'000'000'000;
  certificate.model.plan = 7;
  return certificate;
}

TEST(Certificate, ReadsWhatItPrints) {
  const std::string text = print(sample()) + "\n" + print({std::string(64, 'b'), "rejected", {}, {}});
  const Result<std::vector<Certificate>> read = parse("x.cert", text);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(read->front().programHash, sample().programHash);
  EXPECT_EQ(read->front().verdict, "verified");
  EXPECT_TRUE(read->front().model == sample().model);
  ASSERT_EQ(read->front().slots.size(), 2U);
  EXPECT_EQ(read->front().slots.back().pool, "a \"name\"");
  EXPECT_EQ(read->front().slots.front().least, 3);
  EXPECT_EQ(read->back().verdict, "rejected");
  EXPECT_TRUE(read->back().model == model::Options());
}

TEST(Certificate, RefusesAnythingElse) {
  const std::string good = print(sample());
  for (std::size_t cut = 0; cut + 1 < good.size(); ++cut)
    EXPECT_FALSE(parse("x", good.substr(0, cut)).ok()) << cut;
  const auto with = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string &text : {with("certificate.v1", "certificate.v2"), with("\"room\":3", "\"room\":-1"),
                                  with("\"plan\":7", "\"plan\":\"7\""), with("directed", "none"),
                                  with(std::string(64, 'a'), "aa"), std::string(20'000, '['), std::string("{}")}) {
    const Result<std::vector<Certificate>> read = parse("x", text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().line, 1U);
  }
}

} // namespace
} // namespace plumbline::certificate
