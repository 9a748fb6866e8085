// Every file of the corpus reads, lowers to a valid Program, and survives being written as `.pir`.
#include "tests/corpus/corpus.h"

#include "verifier/frontend/frontend.h"
#include "verifier/ir/pir_parse.h"
#include "verifier/ir/pir_print.h"
#include "verifier/lower/communicators.h"
#include "verifier/lower/lower.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <ostream>

namespace plumbline {

// Found by GoogleTest for messages, by this name.
// NOLINTNEXTLINE(readability-identifier-naming)
static void PrintTo(const Diagnostic &d, std::ostream *out) {
  *out << d.file << ':' << d.line << ':' << d.column << ": " << d.message;
}

namespace {

using frontend::Format;
using testing::contentOf;
using testing::corpusFiles;

bool isBatches(const std::string &path) { return path.ends_with(".batches.csv"); }

Result<frontend::Input> readFile(const std::string &path) {
  const std::string text = contentOf(path);
  const std::string batchesPath = path.substr(0, path.rfind('.')) + ".batches.csv";
  std::string batchesText;
  std::optional<frontend::Source> batches;
  if (path.ends_with(".csv") && std::filesystem::exists(batchesPath)) {
    batchesText = contentOf(batchesPath);
    batches = frontend::Source{batchesPath, batchesText};
  }
  return frontend::read({path, text}, batches, Format::automatic);
}

Result<Program> programOf(const std::string &path) {
  Result<frontend::Input> input = readFile(path);
  if (!input)
    return input.error();
  if (const Schedule *schedule = std::get_if<Schedule>(&input->content))
    return lower::lowerSchedule(*schedule);
  return std::get<Program>(std::move(input->content));
}

// A CSV file, DeepSpeed list or DualPipe JSON of the corpus.
class CorpusFile : public ::testing::TestWithParam<std::string> {};

TEST_P(CorpusFile, ReadsAsItsFormat) {
  const Result<frontend::Input> input = readFile(GetParam());
  ASSERT_TRUE(input.ok()) << ::testing::PrintToString(input.error());
  const Format expected = GetParam().ends_with(".csv")   ? Format::pytorch_csv
                          : GetParam().ends_with(".txt") ? Format::deepspeed
                                                         : Format::dualpipe_json;
  EXPECT_EQ(input->decided, expected);
  EXPECT_FALSE(input->why.empty());
}

TEST_P(CorpusFile, MakesAValidProgram) {
  const Result<Program> program = programOf(GetParam());
  ASSERT_TRUE(program.ok()) << ::testing::PrintToString(program.error());
  EXPECT_EQ(validate(*program), "");
  EXPECT_GT(program->instructions.size(), 0U);
  for (const Stage &stage : program->stages)
    EXPECT_TRUE(stage.rank.valid());
}

TEST_P(CorpusFile, PrintsAndParsesBackToTheSameProgram) {
  const Result<Program> program = programOf(GetParam());
  ASSERT_TRUE(program.ok()) << ::testing::PrintToString(program.error());
  const std::string text = toPir(*program);
  const Result<Program> again = parsePir("again.pir", text);
  ASSERT_TRUE(again.ok()) << ::testing::PrintToString(again.error());
  EXPECT_EQ(validate(*again), "");
  EXPECT_TRUE(identical(*program, *again));
  EXPECT_EQ(toPir(*again), text);
}

TEST_P(CorpusFile, KeepsItsMessagesUnderEveryChoiceOfCommunicators) {
  const Result<Program> program = programOf(GetParam());
  ASSERT_TRUE(program.ok()) << ::testing::PrintToString(program.error());
  using lower::Communicators;
  for (const Communicators mode : {Communicators::single, Communicators::pair, Communicators::directed}) {
    Program once = *program;
    lower::setCommunicators(once, mode);
    EXPECT_EQ(validate(once), "");
    Program twice = once;
    lower::setCommunicators(twice, mode);
    EXPECT_TRUE(identical(once, twice));
    lower::setCommunicators(twice, Communicators::single);
    Program single = *program;
    lower::setCommunicators(single, Communicators::single);
    EXPECT_TRUE(identical(twice, single));
  }
}

std::vector<std::string> readableFiles() {
  std::vector<std::string> paths;
  for (const std::string &path : corpusFiles("", ".csv"))
    if (!isBatches(path))
      paths.push_back(path);
  for (const std::string &path : corpusFiles("", ".txt"))
    if (path.find("/xla") == std::string::npos)
      paths.push_back(path);
  for (const std::string &path : corpusFiles("/dualpipe/", ".json"))
    paths.push_back(path);
  return paths;
}

std::string testName(const ::testing::TestParamInfo<std::string> &info) {
  std::string name = info.param.substr(std::string("tests/corpus/").size());
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, CorpusFile, ::testing::ValuesIn(readableFiles()), testName);

TEST(Corpus, HasTheFilesOfEveryProject) { EXPECT_GE(readableFiles().size(), 130U); }

TEST(Corpus, OtherFormatsOfTheFieldAreRefusedWithAReason) {
  for (const std::string &path : corpusFiles("/field/", ".json")) {
    const Result<frontend::Input> input = readFile(path);
    ASSERT_FALSE(input.ok()) << path;
    EXPECT_EQ(input.error().line, 1U) << path;
  }
  const Result<frontend::Input> hlo = readFile("tests/corpus/field/xla20508.txt");
  ASSERT_FALSE(hlo.ok());
  EXPECT_NE(hlo.error().message.find("HLO"), std::string::npos);
}

} // namespace
} // namespace plumbline
