#include "runtime/admission/admission.h"

#include "verifier/certificate/program_hash.h"
#include "verifier/ir/pir_parse.h"

#include "gtest/gtest.h"

namespace plumbline::runtime {
namespace {

using certificate::Certificate;

Program programOf(const char *instruction) {
  Result<Program> program =
      parsePir("test.pir", std::string("plumbline ir 1\nmode fragment\nrank 0 {\n  ") + instruction + "\n}\n");
  EXPECT_TRUE(program.ok());
  return std::move(*program);
}

TEST(Admission, ExactlyWhatWasVerified) {
  const Program program = programOf("forward s0 m0"), other = programOf("forward s0 m1");
  const model::Options options;
  const Certificate good{certificate::hashOf(program), "verified", options, {}};
  EXPECT_EQ(whyNot(program, good, options), "");
  EXPECT_NE(whyNot(other, good, options).find("another program"), std::string::npos);
  EXPECT_NE(whyNot(program, Certificate{good.programHash, "rejected", options, {}}, options).find("rejected"),
            std::string::npos);
  EXPECT_NE(whyNot(program, Certificate{good.programHash, "undecided", options, {}}, options).find("undecided"),
            std::string::npos);
}

TEST(Admission, TheModelHasToCoverTheBackend) {
  const Program program = programOf("forward s0 m0");
  const std::string hash = certificate::hashOf(program);
  const auto changed = [](auto change) {
    model::Options o;
    change(o);
    return o;
  };
  const model::Options plain;
  for (const model::Options &other : {
           changed([](model::Options &o) { o.kind = model::Kind::blocking; }),
           changed([](model::Options &o) { o.kind = model::Kind::mpi; }),
           changed([](model::Options &o) { o.grouping = model::Grouping::none; }),
           changed([](model::Options &o) { o.wait = model::Wait::group; }),
           changed([](model::Options &o) { o.connect = model::Connect::firstUse; }),
           changed([](model::Options &o) { o.room = 1; }),
           changed([](model::Options &o) { o.roomBytes = 1; }),
           changed([](model::Options &o) { o.plan = 1; }),
       }) {
    EXPECT_NE(whyNot(program, Certificate{hash, "verified", other, {}}, plain), "");
    EXPECT_NE(whyNot(program, Certificate{hash, "verified", plain, {}}, other), "");
    // Two certificates cover both.
    EXPECT_EQ(whyNot(program, {Certificate{hash, "verified", other, {}}, Certificate{hash, "verified", plain, {}}},
                     {plain, other}),
              "");
  }
  const model::Options any = changed([](model::Options &o) { o.streams = model::Streams::any; });
  EXPECT_EQ(whyNot(program, Certificate{hash, "verified", any, {}}, plain), "");
  EXPECT_NE(whyNot(program, Certificate{hash, "verified", plain, {}}, any), "");
}

TEST(Admission, WithAndWithoutRoom) {
  const Program program = programOf("forward s0 m0");
  const std::string hash = certificate::hashOf(program);
  const model::Options plain;
  model::Options endless;
  endless.room = model::endlessRoom;
  const std::vector<model::Options> both = withAndWithoutRoom(plain);
  const Certificate without{hash, "verified", plain, {}}, with{hash, "verified", endless, {}};
  EXPECT_EQ(whyNot(program, {without, with}, both), "");
  EXPECT_NE(whyNot(program, without, both), "");
  EXPECT_NE(whyNot(program, with, both), "");
  // Two that contradict each other are no reason to run.
  EXPECT_NE(whyNot(program, {without, Certificate{hash, "rejected", plain, {}}}, plain).find("rejected"),
            std::string::npos);
  // One of several verdicts may be bad, as long as it is not the one that counts.
  const Certificate bad{hash, "rejected", endless, {}};
  EXPECT_EQ(whyNot(program, {without, bad}, plain), "");
  EXPECT_NE(whyNot(program, {without, bad}, both).find("rejected"), std::string::npos);
}

} // namespace
} // namespace plumbline::runtime
