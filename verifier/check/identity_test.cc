#include "verifier/check/identity.h"

#include "verifier/check/verify.h"
#include "verifier/ir/pir_parse.h"

#include "gtest/gtest.h"

namespace plumbline::check {
namespace {

std::vector<std::string> identities(const std::string &text) {
  Result<Program> program = parsePir("test.pir", "plumbline ir 1\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().line << ": " << program.error().message;
  smt::Session session(1);
  return identitiesOf(*program, verify(*program, {}, session).findings);
}

TEST(Identity, SaysWhatAFindingIsAbout) {
  EXPECT_EQ(identities("rank 0 {\n forward s0 m0\n}\n"),
            (std::vector<std::string>{"PL102 rank 0 stage 0 microbatch 0 forward"}));
  EXPECT_EQ(identities("rank 0 {\n forward s0 m0\n backward s0 m0\n backward s0 m0\n}\n"),
            (std::vector<std::string>{"PL103 rank 0 stage 0 microbatch 0 backward"}));
}

TEST(Identity, StaysWhenOtherThingsChange) {
  const std::vector<std::string> before = identities("rank 0 {\n forward s0 m0\n backward s0 m0\n backward s0 m0\n}\n");
  EXPECT_EQ(identities("; a comment\n\nrank 0 {\n forward s0 m1\n backward s0 m1\n\n forward s0 m0\n backward s0 m0\n"
                       " backward s0 m0\n}\n"),
            before);
  EXPECT_NE(identities("rank 0 {\n forward s0 m0\n backward s0 m0\n forward s0 m1\n backward s0 m1\n"
                       " backward s0 m1\n}\n"),
            before);
}

TEST(Identity, TellsEqualFaultsApartByNumber) {
  EXPECT_EQ(identities("rank 0 {\n forward s0 m0\n backward s0 m0\n backward s0 m0\n backward s0 m0\n}\n"),
            (std::vector<std::string>{"PL103 rank 0 stage 0 microbatch 0 backward",
                                      "PL103 rank 0 stage 0 microbatch 0 backward #2"}));
}

} // namespace
} // namespace plumbline::check
