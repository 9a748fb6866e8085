#include "verifier/ir/builder.h"
#include "verifier/ir/pir_parse.h"
#include "verifier/ir/pir_print.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace plumbline {
namespace {

Program parsed(const std::string &text) {
  Result<Program> program = parsePir("test.pir", text);
  EXPECT_TRUE(program.ok()) << (program ? ""
                                        : std::to_string(program.error().line) + ":" +
                                              std::to_string(program.error().column) + ": " + program.error().message);
  if (!program)
    return {};
  EXPECT_EQ(validate(*program), "");
  return std::move(*program);
}

void expectRoundTrip(const Program &program) {
  ASSERT_EQ(validate(program), "");
  const std::string text = toPir(program);
  const Program again = parsed(text);
  EXPECT_TRUE(identical(program, again)) << text;
  // Instructions without a place have one from now on.
  const std::string settled = toPir(again);
  EXPECT_EQ(toPir(parsed(settled)), settled);
}

// Every field of every table, with values that are not the default.
Program everything() {
  ProgramBuilder builder;
  Program &p = builder.program();
  p.name = "a \"name\"\\\n\t\x01";
  p.mode = Mode::fragment;
  p.execution = Execution::blocking;
  p.waitsForGroups = true;
  p.microbatches = 7;
  p.files = {"unused.txt", "b c.csv", "d.pir"};
  builder.setStages(2, 2);
  p.stages[0].rank = RankId(1);
  p.stages[1].rank = RankId(0);
  p.stages[3].rank = RankId(0);
  const CommunicatorId first = builder.addCommunicator({"pipeline", {}, -1});
  const CommunicatorId pair = builder.addCommunicator({"pair 0-1", {RankId(0), RankId(1)}, 2});
  const CommunicatorId twin = builder.addCommunicator({"pair 0-1", {RankId(1), RankId(0)}, -1});
  const PoolId late = builder.addPool({"inputs", RankId(1), -1, -1, {}});
  const PoolId inputs = builder.addPool({"inputs", RankId(0), 5, 0, {}});
  const PoolId odd = builder.addPool({"odd name", RankId(0), 0, 3, {}});
  const PoolId namesake = builder.addPool({"inputs", RankId(0), -1, -1, {}});

  builder.beginRank();
  Instruction i;
  i.opcode = Opcode::load_microbatch;
  i.stage = StageId(1);
  i.microbatch = MicrobatchId(3);
  i.location = {FileId(2), 4, 5};
  i.origin = {FileId(1), 6, 7};
  const Value own{ValueKind::input, StageId(1), MicrobatchId(3)};
  const InstructionId load = builder.append(i, {{inputs, 2, AccessMode::write, own}});
  const InstructionId again = builder.append(i, {{namesake, 0, AccessMode::write, own}});
  i.opcode = Opcode::send_message;
  i.group = builder.newGroup();
  i.peer = RankId(1);
  i.communicator = twin;
  i.label = builder.label("ids; \"0\"");
  i.bytes = 18446744073709551615U;
  i.elementType = ElementType::bf16;
  i.origin = {};
  builder.append(i,
                 {{inputs, 2, AccessMode::read, own},
                  {odd, 9, AccessMode::write, {ValueKind::other, {}, {}}},
                  {odd, 9, AccessMode::read, {ValueKind::labels, StageId(2), {}}}},
                 {again, load});
  i = Instruction();
  i.opcode = Opcode::all_reduce;
  i.peer = RankId(0);
  i.communicator = first;
  builder.append(i);

  builder.beginRank();
  builder.newGroup(); // never used
  i = Instruction();
  i.opcode = Opcode::broadcast;
  i.group = builder.newGroup();
  i.peer = RankId(0);
  i.communicator = pair;
  const InstructionId broadcast = builder.append(i);
  i = Instruction();
  i.opcode = Opcode::optimizer_step;
  builder.append(i, {{late, 0, AccessMode::read, own}}, {broadcast});
  builder.newGroup();
  return std::move(builder).take();
}

TEST(Pir, KeepsEveryField) { expectRoundTrip(everything()); }

TEST(Pir, KeepsEveryOpcodeKindAndType) {
  ProgramBuilder builder;
  builder.setStages(1, 1);
  builder.addCommunicator({"pipeline", {}, -1});
  const PoolId pool = builder.addPool({"p", RankId(0), -1, -1, {}});
  builder.beginRank();
  for (int opcode = 0; opcode < opcodeCount; ++opcode) {
    Instruction i;
    i.opcode = static_cast<Opcode>(opcode);
    i.peer = RankId(0);
    i.communicator = CommunicatorId(0);
    i.elementType = static_cast<ElementType>(opcode % elementTypeCount);
    const Value value{static_cast<ValueKind>(opcode % valueKindCount), StageId(0), MicrobatchId(1)};
    builder.append(i, {{pool, opcode, AccessMode::write, value}});
  }
  expectRoundTrip(std::move(builder).take());
}

TEST(Pir, KeepsAnEmptyProgramAndEmptyRanks) {
  ProgramBuilder builder;
  builder.setStages(0, 1);
  builder.beginRank();
  builder.beginRank();
  expectRoundTrip(std::move(builder).take());
}

TEST(Pir, InsertingAnInstructionLeavesTheOtherLinesAlone) {
  const std::string text = toPir(parsed(R"(plumbline ir 1
rank 0 {
  pool a
  %x = forward s0 m0 write a[0]:output
  backward s0 m0 read a[0]:output wait %x
  group {
    forward s0 m2
  }
}
)"));
  const std::string longer = toPir(parsed(R"(plumbline ir 1
rank 0 {
  pool a
  %w = forward s0 m1 write a[1]:output
  %x = forward s0 m0 write a[0]:output
  backward s0 m1 wait %w
  backward s0 m0 read a[0]:output wait %x
  group {
    forward s0 m3
  }
  group {
    forward s0 m2
  }
}
)"));
  // Without their places, which are those in the two texts above.
  const auto lines = [](llvm::StringRef all) {
    std::vector<std::string> result;
    while (!all.empty()) {
      const auto [line, rest] = all.split('\n');
      result.push_back(line.substr(0, line.find(" at ")).str());
      all = rest;
    }
    return result;
  };
  const std::vector<std::string> before = lines(text), after = lines(longer);
  for (const std::string &line : before)
    EXPECT_TRUE(line.starts_with("microbatches") || std::find(after.begin(), after.end(), line) != after.end()) << line;
}

TEST(Pir, HandWrittenTextNeedsLittle) {
  const Program p = parsed("\xEF\xBB\xBFplumbline   ir 1 ; a comment\r\n"
                           "rank 0 {\r\n"
                           "\t%a=forward s0 m0\r\n"
                           "  send_activation s0 m0 to 1 wait %a ; goes on\r\n"
                           "}\r\n"
                           "\r\n"
                           "rank 1 {\r\n"
                           "  receive_activation m0 s1 from 0\r\n"
                           "}");
  EXPECT_EQ(p.name, "test.pir");
  EXPECT_EQ(p.mode, Mode::training);
  EXPECT_EQ(p.execution, Execution::streams);
  EXPECT_EQ(p.stagesPerReplica, 2);
  EXPECT_EQ(p.microbatches, 1);
  EXPECT_EQ(p.stages[1].rank, RankId(1));
  ASSERT_EQ(p.communicators.size(), 1U);
  EXPECT_EQ(p.communicators[0].name, "pipeline");
  EXPECT_EQ(p.instructions[1].communicator, CommunicatorId(0));
  EXPECT_EQ(p.files, std::vector<std::string>{"test.pir"});
  EXPECT_EQ(p.instructions[1].location.line, 4U);
  EXPECT_EQ(p.instructions[1].location.column, 3U);
  EXPECT_EQ(p.instructions[0].location.column, 5U);
  expectRoundTrip(p);
}

TEST(Pir, APlaceBecomesTheOrigin) {
  const Program p = parsed("plumbline ir 1\nfile 0 \"a.csv\"\nrank 0 {\npool x\nforward s0 m0 at 0:12:5\n}\n");
  EXPECT_EQ(p.instructions[0].origin, (SourceLocation{FileId(0), 12, 5}));
  EXPECT_EQ(p.instructions[0].location, (SourceLocation{FileId(1), 5, 1}));
  EXPECT_EQ(p.pools[0].location, (SourceLocation{FileId(1), 4, 6}));
}

struct Malformed {
  const char *text;
  std::uint32_t line, column;
  const char *message; // a part of it
};

TEST(Pir, RefusesMalformedTextWithThePlace) {
  const std::string head = "plumbline ir 1\n";
  const Malformed cases[] = {
      {"rank 0 {\n", 2, 9, "cut off"},
      {"", 1, 15, "expected 'rank 0 {'"},
      {"rank 0 {\ngroup {\n", 3, 8, "cut off"},
      {"rank 1 {\n}", 2, 6, "expected rank 0"},
      {"rank 0 {\n} }", 3, 3, "end of the line"},
      {"rank 0\n}", 2, 7, "expected '{'"},
      {"speed 3\n", 2, 1, "header word"},
      {"mode running\n", 2, 6, "training, inference, fragment"},
      {"name x\n", 2, 6, "expected '\"'"},
      {"name \"x\n", 2, 8, "end the string"},
      {"name \"\\q\"\n", 2, 7, "escape"},
      {"name \"\\x1\"\n", 2, 7, "escape"},
      {"replicas 0\n", 2, 1, "at least one"},
      {"stages 1000001\n", 2, 8, "larger than"},
      {"stages 99999999999999999999\n", 2, 8, "larger than"},
      {"file 1 \"x\"\n", 2, 6, "expected file 0"},
      {"communicator 3\n", 2, 14, "communicator's name"},
      {"communicator c members 0 4\nrank 0 {\n}\n", 2, 26, "no rank 4"},
      {"communicator c member 0\n", 2, 16, "'members' or 'room'"},
      {"stage 0 on rank 2\nrank 0 {\n}\n", 2, 17, "no rank 2"},
      {"stage 0 on rank 0\nstage 0 on rank 0\nrank 0 {\n}\n", 3, 7, "placed twice"},
      {"stages 1\nstage 1 on no rank\nrank 0 {\n}\n", 3, 7, "no stage 1"},
      {"replicas 2\nstages 1\nrank 0 {\n  send_activation s0 m0 to 1\n}\nrank 1 {\n}\n", 5, 3, "stage 0 is the last"},
      {"replicas 2\nstages 1\nrank 0 {\n}\nrank 1 {\n  receive_activation s1 m0 from 0\n}\n", 7, 3,
       "stage 1 is the first"},
      {"stages 1000000\nmicrobatches 1000000\nrank 0 {\n}\n", 5, 2, "more than"},
      {"replicas 2\nrank 0 {\nforward s0\n}\n", 5, 2, "replicas"},
      {"rank 0 {\nfly s0\n}\n", 3, 1, "unknown instruction 'fly'"},
      {"rank 0 {\nforward s0 s1\n}\n", 3, 12, "twice"},
      {"rank 0 {\nforward s0 q1\n}\n", 3, 12, "expected sN"},
      {"rank 0 {\nforward s0 !\n}\n", 3, 12, "expected sN"},
      {"rank 0 {\nforward s1000000\n}\n", 3, 10, "larger than"},
      {"rank 0 {\nsend_activation s0\n}\n", 3, 19, "expected 'to RANK'"},
      {"rank 0 {\nsend_activation s0 from 0\n}\n", 3, 20, "expected 'to'"},
      {"rank 0 {\nsend_activation s0 to 3\n}\n", 3, 23, "no rank 3"},
      {"rank 0 {\nsend_activation s0 to 0 via c\n}\n", 3, 29, "no communicator"},
      {"communicator c\ncommunicator c\nrank 0 {\nall_reduce via c\n}\n", 5, 16, "more than one"},
      {"communicator c\nrank 0 {\nall_reduce via c#1\n}\n", 4, 18, "is not"},
      {"rank 0 {\nforward read a[0]:input\n}\n", 3, 14, "no pool"},
      {"rank 0 {\npool a\nforward read a[1000000]:input\n}\n", 4, 16, "larger than"},
      {"rank 0 {\npool a\nforward read a[0]:milk\n}\n", 4, 19, "expected input"},
      {"rank 0 {\npool a\nforward read a[0]:input(s0)\n}\n", 4, 27, "expected ','"},
      {"rank 0 {\npool a\nforward read a[0]:input,\n}\n", 4, 25, "expected pool"},
      {"rank 0 {\nforward wait %a\n}\n", 3, 14, "no instruction above"},
      {"rank 0 {\n%a = forward\n%a = forward\n}\n", 4, 1, "taken"},
      {"rank 0 {\n%a forward\n}\n", 3, 4, "expected '='"},
      {"rank 0 {\nforward at 0:1:1\n}\n", 3, 12, "no 'file 0'"},
      {"rank 0 {\nforward bytes 18446744073709551616\n}\n", 3, 15, "larger than"},
      {"rank 0 {\nforward bytes 0\n}\n", 3, 15, "leave it out"},
      {"rank 0 {\nforward type float\n}\n", 3, 14, "element type"},
      {"rank 0 {\ngroup 1 {\n}\ngroup 1 {\n}\n}\n", 5, 7, "already"},
      {"groups 1\nrank 0 {\ngroup 1 {\n}\n}\n", 6, 2, "groups 1"},
      {"rank 0 {\n}\nmode training\n", 4, 1, "expected 'rank 1 {'"},
      {"pool a\nrank 0 {\n}\n", 2, 7, "expected 'on'"},
  };
  for (const Malformed &c : cases) {
    const Result<Program> program = parsePir("test.pir", head + c.text);
    ASSERT_FALSE(program.ok()) << c.text;
    EXPECT_EQ(program.error().line, c.line) << c.text << program.error().message;
    EXPECT_EQ(program.error().column, c.column) << c.text << program.error().message;
    EXPECT_NE(program.error().message.find(c.message), std::string::npos) << c.text << program.error().message;
  }
}

TEST(Pir, RefusesOtherVersionsAndOtherText) {
  for (const char *text : {"plumbline ir 2\n", "plumbline ir\n", "plumbline\n", "", "; only a comment\n", "0F0\n"}) {
    const Result<Program> program = parsePir("test.pir", text);
    ASSERT_FALSE(program.ok()) << text;
    EXPECT_EQ(program.error().line, 1U) << text;
  }
  const Result<Program> nul = parsePir("test.pir", llvm::StringRef("plumbline ir 1\n\0", 16));
  ASSERT_FALSE(nul.ok());
  EXPECT_EQ(nul.error().line, 2U);
}

TEST(Pir, EveryPrefixIsReadOrRefused) {
  const std::string text = toPir(everything());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result<Program> program = parsePir("test.pir", llvm::StringRef(text).take_front(size));
    if (program) {
      EXPECT_EQ(validate(*program), "") << size;
    } else {
      EXPECT_FALSE(program.error().message.empty());
    }
  }
}

} // namespace
} // namespace plumbline
