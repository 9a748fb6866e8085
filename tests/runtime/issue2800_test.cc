// DeepSpeed issue 2800 at run time: the lists with one buffer less trip where the verifier points, and without the
// check train on wrong gradients; the released fix does neither.
#include "runtime/data/text_source.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"
#include "tests/runtime/reference.h"
#include "verifier/cli/judge.h"

#include "gtest/gtest.h"

namespace plumbline::runtime::testing {
namespace {

constexpr std::uint64_t seed = 5;

report::Report judged(const std::string &folder) {
  return cli::judge("tests/corpus/deepspeed/" + folder + "/TrainSchedule_4stage_8mb.txt", cli::Settings());
}

StageMaker maker() { return {stages::bundledStage("mlp"), "width=8,layers=1,context=4,batch=2,vocabulary=128", seed}; }

struct Ran {
  StepResult result;
  std::vector<double> differences; // by stage: of its gradients, from those of one process
};

Ran run(const report::Report &report, bool check) {
  const TextSource data("The obvious remedy is to declare one buffer less. ", seed);
  Ran ran;
  Result<RunPlan> plan = planRun(report.program, maker(), 1, -1);
  Result<std::unique_ptr<Backend>> backend =
      makeHostBackend(report.program, report.model, *plan, data, {.check = check});
  EXPECT_TRUE(backend.ok());
  ran.result = (*backend)->step({.step = 0, .learningRate = 0, .update = false});
  Reference reference(maker(), 4);
  reference.run(data, 0, 0, 8, 1.0F / 8);
  for (const StageId stage : (*backend)->stages())
    ran.differences.push_back(relativeDifference(asFloats((*backend)->read(stage, Backend::Part::gradients)),
                                                 reference.gradients(stage.value())));
  return ran;
}

TEST(Issue2800, NaiveTripsWhereTheVerifierPoints) {
  const report::Report report = judged("naive");
  ASSERT_EQ(report::verdictOf(report), "rejected");
  const Ran ran = run(report, true);
  ASSERT_EQ(ran.result.end, End::failed);
  const auto tripped = std::find_if(
      report.verification.findings.begin(), report.verification.findings.end(), [&](const check::Finding &finding) {
        return finding.rule == check::RuleId::overwritten &&
               finding.instruction.value() == static_cast<std::int32_t>(ran.result.failure.instruction);
      });
  ASSERT_NE(tripped, report.verification.findings.end())
      << ran.result.failure.message << ": no finding of the verifier names this instruction";
  EXPECT_NE(ran.result.failure.message.find("RecvActivation(buffer_id="), std::string::npos)
      << ran.result.failure.message;
  EXPECT_NE(ran.result.failure.message.find("for stage"), std::string::npos) << ran.result.failure.message;
}

TEST(Issue2800, NaiveWithoutTheCheckTrainsOnWrongGradients) {
  const Ran ran = run(judged("naive"), false);
  ASSERT_EQ(ran.result.end, End::finished); // nothing crashes, nothing hangs
  EXPECT_GT(ran.differences[0], 1e-3);      // downstream of the corrupted gradients of stages 1 and 2
  EXPECT_GT(ran.differences[1], 1e-3);
  EXPECT_EQ(ran.differences[3], 0);
}

TEST(Issue2800, OldAndFixedListsAreRight) {
  for (const char *folder : {"old", "fixed"}) {
    SCOPED_TRACE(folder);
    const report::Report report = judged(folder);
    ASSERT_EQ(report::verdictOf(report), "verified");
    const Ran ran = run(report, true);
    ASSERT_EQ(ran.result.end, End::finished) << ran.result.failure.message;
    for (const double difference : ran.differences)
      EXPECT_EQ(difference, 0);
  }
}

} // namespace
} // namespace plumbline::runtime::testing
