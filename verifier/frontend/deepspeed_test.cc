#include "verifier/frontend/deepspeed.h"

#include "tests/corpus/corpus.h"
#include "verifier/ir/pir_print.h"
#include "verifier/lower/lower.h"

#include "gtest/gtest.h"

#include <map>

namespace plumbline::frontend {
namespace {

Program programOf(const std::string &text, std::vector<std::string> *notes = nullptr) {
  std::vector<std::string> unused;
  const Result<Schedule> schedule = readDeepSpeed({"t.txt", text}, notes ? *notes : unused);
  EXPECT_TRUE(schedule.ok()) << (schedule ? "" : schedule.error().message);
  if (!schedule)
    return {};
  Result<Program> program = lower::lowerSchedule(*schedule);
  EXPECT_TRUE(program.ok());
  EXPECT_EQ(validate(*program), "");
  return std::move(*program);
}

// The rank blocks, without the header.
std::string ranksOf(const std::string &text) {
  const std::string pir = toPir(programOf(text));
  return pir.substr(pir.find("\nrank 0"));
}

constexpr const char *twoStages =
    "# stage 0 of 2, micro_batches 1, num_pipe_buffers 2\n"
    "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n"
    "[SendActivation(buffer_id=0)]\n"
    "[RecvGrad(buffer_id=0), BackwardPass(buffer_id=0), OptimizerStep()]\n"
    "# stage 1 of 2, micro_batches 1, num_pipe_buffers 1\n"
    "[]\n"
    "[RecvActivation(buffer_id=0), LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n"
    "[BackwardPass(buffer_id=0)]\n"
    "[SendGrad(buffer_id=0), ReduceTiedGrads(), ReduceGrads(), OptimizerStep()]\n";

TEST(DeepSpeed, InstructionsTouchWhatTheEngineTouches) {
  EXPECT_EQ(ranksOf(twoStages), R"(
rank 0 {
  pool inputs declared 2 declaration 0
  pool outputs declared 2 declaration 0
  pool grad_layer declared 1 declaration 1
  %load_microbatch.s0.m0 = load_microbatch s0 m0 write inputs[0]:input at 0:2:2
  %forward.s0.m0 = forward s0 m0 read inputs[0]:input write outputs[0]:output wait %load_microbatch.s0.m0 at 0:2:31
  send_activation s0 m0 to 1 via pipeline read outputs[0]:output wait %forward.s0.m0 at 0:3:2
  %receive_gradient.s0.m0 = receive_gradient s0 m0 from 1 via pipeline read outputs[0]:output write grad_layer[0]:output_gradient wait %forward.s0.m0 at 0:4:2
  backward s0 m0 read inputs[0]:input, outputs[0]:output, grad_layer[0]:output_gradient wait %receive_gradient.s0.m0 at 0:4:25
  optimizer_step s0 at 0:4:52
}

rank 1 {
  pool inputs declared 1 declaration 0
  pool outputs declared 1 declaration 0
  pool labels declared 1 declaration 0
  pool loss declared 1 declaration 2
  %receive_activation.s1.m0 = receive_activation s1 m0 from 0 via pipeline write inputs[0]:input at 0:7:2
  load_microbatch s1 m0 write labels[0]:labels at 0:7:31
  forward s1 m0 read inputs[0]:input, labels[0]:labels write outputs[0]:output, loss[0]:loss wait %receive_activation.s1.m0 at 0:7:60
  %backward.s1.m0 = backward s1 m0 read inputs[0]:input, outputs[0]:output, loss[0]:loss write inputs[0]:input_gradient at 0:8:2
  send_gradient s1 m0 to 0 via pipeline read inputs[0]:input_gradient wait %backward.s1.m0 at 0:9:2
  reduce_tied_gradients s1 at 0:9:25
  reduce_gradients s1 at 0:9:44
  optimizer_step s1 at 0:9:59
}
)");
}

TEST(DeepSpeed, HeaderFieldsBecomeTheProgram) {
  const Program p = programOf(twoStages);
  EXPECT_EQ(p.execution, Execution::blocking);
  EXPECT_TRUE(p.waitsForGroups);
  EXPECT_EQ(p.mode, Mode::training);
  EXPECT_EQ(p.stagesPerReplica, 2);
  EXPECT_EQ(p.microbatches, 1);
  EXPECT_EQ(p.pools[0].location.line, 1U);
}

TEST(DeepSpeed, ForwardOnlyListsAreInferenceAndKeepNoLastOutput) {
  const Program p = programOf("# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n"
                              "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n");
  EXPECT_EQ(p.mode, Mode::inference);
  for (const SlotAccess &access : p.accessesOf(p.instructions[1]))
    EXPECT_EQ(access.mode, AccessMode::read);
  EXPECT_EQ(p.instructions[0].accesses.count, 2U); // the only stage loads its input and its labels
}

TEST(DeepSpeed, StagesThatExchangeNothingAreReplicas) {
  std::vector<std::string> notes;
  const Program p = programOf("# stage 1 of 2, micro_batches 1, num_pipe_buffers 1\n"
                              "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0), BackwardPass(buffer_id=0)]\n"
                              "# stage 0 of 2, micro_batches 1, num_pipe_buffers 1\n"
                              "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0), BackwardPass(buffer_id=0)]\n",
                              &notes);
  EXPECT_EQ(p.replicas, 2);
  EXPECT_EQ(p.stagesPerReplica, 1);
  EXPECT_EQ(p.instructionsOf(RankId(1))[0].stage, StageId(1));
  EXPECT_EQ(p.instructionsOf(RankId(1))[0].location.line, 2U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("data-parallel"), std::string::npos);
}

TEST(DeepSpeed, EveryStepOfTheCorpusCountsItsMicrobatchesInOrder) {
  // In released schedules the k-th instruction of a kind works on microbatch k (the README of the corpus says so).
  for (const char *folder : {"/deepspeed/old/", "/deepspeed/fixed/"})
    for (const std::string &path : plumbline::testing::corpusFiles(folder, ".txt")) {
      const Program p = programOf(plumbline::testing::contentOf(path));
      std::map<std::pair<RankId, Opcode>, std::int32_t> seen;
      for (const Instruction &i : p.instructions)
        if (i.microbatch.valid()) {
          EXPECT_EQ(i.microbatch.value(), (seen[{i.rank, i.opcode}]++)) << path << ":" << i.location.line;
        }
    }
}

TEST(DeepSpeed, AGradientThatWaitsToBeSentKeepsItsMicrobatch) {
  // Issue 2800: microbatch 2 is received into buffer 0 before the gradient of microbatch 0 is sent from there.
  const Program p = programOf(plumbline::testing::contentOf("tests/corpus/field/ds2800.txt"));
  for (const Instruction &i : p.instructionsOf(RankId(1))) {
    if (i.location.line != 18)
      continue;
    EXPECT_EQ(i.microbatch, MicrobatchId(i.opcode == Opcode::send_gradient ? 0 : 2));
  }
}

TEST(DeepSpeed, InstructionsWithoutAHistoryAreCounted) {
  const Program p = programOf("# stage 0 of 1, micro_batches 2, num_pipe_buffers 1\n"
                              "[BackwardPass(buffer_id=7), BackwardPass(buffer_id=3), ForwardPass(buffer_id=0)]\n");
  EXPECT_EQ(p.instructions[0].microbatch, MicrobatchId(0));
  EXPECT_EQ(p.instructions[1].microbatch, MicrobatchId(1));
  EXPECT_EQ(p.instructions[2].microbatch, MicrobatchId(0));
}

TEST(DeepSpeed, LabelsCommentsAndBlanksMayStandAround) {
  const Program p = programOf("\xEF\xBB\xBF# printed by a script\r\n\r\n"
                              "#  stage 0 of 1 , micro_batches 1,num_pipe_buffers 1\r\n"
                              "  step 0:  [ LoadMicroBatch( buffer_id = 0 ) ,ForwardPass(buffer_id=0)]  \r\n"
                              "# in between\r\n"
                              "rank 0 step 1: []\r\n"
                              "2: [BackwardPass(buffer_id=0)]");
  ASSERT_EQ(p.instructions.size(), 3U);
  EXPECT_EQ(p.instructions[0].location.line, 4U);
  EXPECT_EQ(p.instructions[0].location.column, 14U);
}

TEST(DeepSpeed, RefusesMalformedTextWithThePlace) {
  const std::string head = "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n";
  struct Case {
    std::string text;
    std::uint32_t line, column;
    const char *message;
  };
  const Case cases[] = {
      {"", 1, 1, "found none"},
      {"# a comment\n", 1, 1, "found none"},
      {"[ForwardPass(buffer_id=0)]\n", 1, 1, "before the first step"},
      {"# stage 0\n", 1, 10, "expected 'of'"},
      {"# stage x of 4, micro_batches 8, num_pipe_buffers 3\n", 1, 9, "expected the stage's number"},
      {"# Stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n", 1, 3, "expected 'stage'"},
      {"# stage 0 of 0, micro_batches 1, num_pipe_buffers 1\n", 1, 1, "at least one"},
      {"# stage 1 of 1, micro_batches 1, num_pipe_buffers 1\n", 1, 1, "count from 0"},
      {"# stage 0 of 1000001, micro_batches 1, num_pipe_buffers 1\n", 1, 14, "larger than"},
      {"# stage 0 of 1, micro_batches 1, num_pipe_buffers 99999999999\n", 1, 51, "larger than"},
      {"# stage 0 of 100000, micro_batches 100000, num_pipe_buffers 1\n", 1, 1, "more than"},
      {"# stage 0 of 1, micro_batches 1, num_pipe_buffers 1, x\n", 1, 52, "end of the line"},
      {"# stage 0 of 2, micro_batches 1, num_pipe_buffers 1\n[]\n", 1, 1, "stage 1 of 2 is missing"},
      {head + head, 2, 1, "already listed from line 1"},
      {"# stage 0 of 2, micro_batches 1, num_pipe_buffers 1\n# stage 1 of 3, micro_batches 1, num_pipe_buffers 1\n", 2,
       1, "disagree"},
      {"# stage 0 of 2, micro_batches 1, num_pipe_buffers 1\n# stage 1 of 2, micro_batches 2, num_pipe_buffers 1\n", 2,
       1, "disagree"},
      {head + "ForwardPass(buffer_id=0)\n", 2, 12, "expected '['"},
      {head + "step 3 [ForwardPass(buffer_id=0)]\n", 2, 8, "ends with ':'"},
      {head + "step 3: ForwardPass(buffer_id=0)\n", 2, 9, "expected '['"},
      {head + "[Fly()]\n", 2, 2, "unknown instruction 'Fly'"},
      {head + "[ForwardPass]\n", 2, 13, "expected '('"},
      {head + "[ForwardPass()]\n", 2, 14, "buffer_id="},
      {head + "[ForwardPass(buffer_id 0)]\n", 2, 24, "expected '='"},
      {head + "[ForwardPass(buffer_id=-1)]\n", 2, 24, "expected a buffer's number"},
      {head + "[ForwardPass(buffer_id=1000001)]\n", 2, 24, "larger than"},
      {head + "[ForwardPass(buffer_id=0, x=1)]\n", 2, 25, "expected ')'"},
      {head + "[OptimizerStep(buffer_id=0)]\n", 2, 16, "expected ')'"},
      {head + "[ForwardPass(buffer_id=0)\n", 2, 26, "cut off"},
      {head + "[ForwardPass(buffer_id=0),]\n", 2, 27, "expected an instruction"},
      {head + "[ForwardPass(buffer_id=0) OptimizerStep()]\n", 2, 27, "expected ',' or ']'"},
      {head + "[] []\n", 2, 4, "end of the line"},
      {head + "[SendActivation(buffer_id=0)]\n", 2, 2, "no next stage"},
      {head + "[OptimizerStep(), RecvGrad(buffer_id=0)]\n", 2, 19, "no next stage"},
      {head + "[SendGrad(buffer_id=0)]\n", 2, 2, "no previous stage"},
      {head + "[RecvActivation(buffer_id=0)]\n", 2, 2, "no previous stage"},
      {head + std::string("[]\n[\0]\n", 7), 3, 2, "NUL"},
  };
  for (const Case &c : cases) {
    std::vector<std::string> notes;
    const Result<Schedule> program = readDeepSpeed({"t.txt", c.text}, notes);
    ASSERT_FALSE(program.ok()) << c.text;
    EXPECT_EQ(program.error().file, "t.txt");
    EXPECT_EQ(program.error().line, c.line) << c.text << program.error().message;
    EXPECT_EQ(program.error().column, c.column) << c.text << program.error().message;
    EXPECT_NE(program.error().message.find(c.message), std::string::npos) << c.text << program.error().message;
  }
}

TEST(DeepSpeed, ABufferThatIsNotDeclaredIsNoErrorHere) {
  programOf("# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n[ForwardPass(buffer_id=5)]\n");
}

TEST(DeepSpeed, ReadsALineOfManyInstructionsInLinearTime) {
  std::string text = "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n[ForwardPass(buffer_id=0)";
  for (int i = 0; i < 300'000; ++i)
    text += ", BackwardPass(buffer_id=0)";
  EXPECT_EQ(programOf(text + "]\n").instructions.size(), 300'001U);
}

} // namespace
} // namespace plumbline::frontend
