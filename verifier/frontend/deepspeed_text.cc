#include "verifier/frontend/deepspeed_text.h"

#include "verifier/ir/framework_words.h"
#include "verifier/ir/limits.h"
#include "verifier/ir/text.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace plumbline::frontend::deepspeed {
namespace {

std::string knownInstructions() {
  std::string names;
  for (int k = 0; k < opcodeCount; ++k)
    if (const char *word = deepSpeedWord(static_cast<Opcode>(k)))
      names += (names.empty() ? "" : ", ") + std::string(word);
  return names;
}

struct Header {
  std::int32_t stage = 0;
  std::int32_t stages = 0;
  std::int32_t microbatches = 0;
  std::int32_t buffers = 0;
};

class Reader {
public:
  explicit Reader(const Source &file) : file_(file) {}

  Result<Lists> run() {
    LineReader lines(file_.text);
    while (const std::optional<plumbline::Line> line = lines.next()) {
      number_ = line->number;
      scanner_ = Scanner(line->text, number_ == 1 ? byteOrderMark(line->text) : 0);
      if (!readLine())
        return *error_;
    }
    if (const std::optional<Diagnostic> wrong = missing())
      return *wrong;
    return std::move(lists_);
  }

private:
  // Each of these returns false after it has set error_.
  bool readLine() {
    scanner_.skipBlanks();
    if (scanner_.atEnd())
      return true;
    if (scanner_.peek() == '#')
      return isHeader() ? readHeader() : true;
    if (!current_)
      return fail("expected a header '# stage S of N, micro_batches M, num_pipe_buffers B' before the first step");
    return readLabel() && readList();
  }

  // Comments that speak of a stage in another way would turn the lists below them into another stage's, silently.
  [[nodiscard]] bool isHeader() const {
    Scanner look = scanner_;
    look.consume('#');
    look.skipBlanks();
    return look.word().equals_insensitive("stage");
  }

  bool expect(llvm::StringRef word) {
    scanner_.skipBlanks();
    return scanner_.consume(word) ||
           fail("expected '" + word.str() + "' in the header '# stage S of N, micro_batches M, num_pipe_buffers B'");
  }

  bool readNumber(const char *what, std::int32_t &result) {
    scanner_.skipBlanks();
    const Number number = scanner_.number(static_cast<std::uint64_t>(maxNumber));
    if (number.status == Number::Status::tooLarge)
      return fail(std::string(what) + " is larger than " + std::to_string(maxNumber));
    if (number.status == Number::Status::missing)
      return fail(std::string("expected ") + what);
    result = static_cast<std::int32_t>(number.value);
    return true;
  }

  bool expectEnd(const char *after) {
    scanner_.skipBlanks();
    return scanner_.atEnd() ||
           fail(std::string("expected the end of the line after ") + after + ", found " + inQuotes(scanner_.rest()));
  }

  bool readHeader() {
    Header header;
    const Scanner start = scanner_;
    const bool read = expect("#") && expect("stage") && readNumber("the stage's number", header.stage) &&
                      expect("of") && readNumber("the number of stages", header.stages) && expect(",") &&
                      expect("micro_batches") && readNumber("the number of microbatches", header.microbatches) &&
                      expect(",") && expect("num_pipe_buffers") &&
                      readNumber("the number of buffers", header.buffers) && expectEnd("the header");
    if (!read)
      return false;
    scanner_ = start;
    return acceptHeader(header);
  }

  bool acceptHeader(const Header &header) {
    if (header.stages == 0 || header.microbatches == 0)
      return fail("expected at least one stage and one microbatch");
    if (std::int64_t(header.stages) * header.microbatches > maxPairs)
      return fail("stages times microbatches is more than " + std::to_string(maxPairs));
    if (!current_) {
      lists_.microbatches = header.microbatches;
      lists_.stages.resize(static_cast<std::size_t>(header.stages));
      firstHeader_ = number_;
    }
    if (static_cast<std::size_t>(header.stages) != lists_.stages.size() || header.microbatches != lists_.microbatches)
      return fail("this header and the one in line " + std::to_string(firstHeader_) +
                  " disagree about the number of stages or microbatches");
    if (header.stage >= header.stages)
      return fail("stage " + std::to_string(header.stage) + " of " + std::to_string(header.stages) +
                  ": stages count from 0");
    current_ = &lists_.stages[static_cast<std::size_t>(header.stage)];
    if (current_->line != 0)
      return fail("stage " + std::to_string(header.stage) + " was already listed from line " +
                  std::to_string(current_->line));
    current_->buffers = header.buffers;
    current_->line = number_;
    return true;
  }

  // "3:", "step 3:", "rank 0 step 3:", "stage=1, step=3:" and the like.
  bool readLabel() {
    if (scanner_.peek() == '[')
      return true;
    scanner_.takeWhile([](char c) { return llvm::isAlnum(c) || llvm::StringRef("_-=, \t").contains(c); });
    if (!scanner_.consume(':'))
      return fail("expected '[' or a step's label that ends with ':', found " + inQuotes(scanner_.rest()));
    scanner_.skipBlanks();
    return scanner_.peek() == '[' || fail("expected '[' after the step's label");
  }

  bool readList() {
    ++current_->steps;
    scanner_.consume('[');
    scanner_.skipBlanks();
    if (scanner_.consume(']'))
      return expectEnd("']'");
    for (;;) {
      scanner_.skipBlanks();
      if (!readInstruction())
        return false;
      scanner_.skipBlanks();
      if (scanner_.consume(']'))
        return expectEnd("']'");
      if (!scanner_.consume(','))
        return fail(scanner_.atEnd() ? "the list is cut off; expected ',' or ']'" : "expected ',' or ']'");
    }
  }

  bool readInstruction() {
    const Scanner start = scanner_;
    const llvm::StringRef word = scanner_.word();
    if (word.empty())
      return fail("expected an instruction such as ForwardPass(buffer_id=0)");
    const std::optional<Opcode> opcode = opcodeFromDeepSpeedWord(word);
    if (!opcode) {
      scanner_ = start;
      return fail("unknown instruction " + inQuotes(word) + "; expected one of " + knownInstructions());
    }
    Line line{*opcode, -1, current_->steps - 1, number_, start.column()};
    if (!readArguments(*opcode, line.buffer))
      return false;
    if (++count_ > maxInstructions)
      return fail("more than " + std::to_string(maxInstructions) + " instructions");
    current_->instructions.push_back(line);
    return true;
  }

  bool readArguments(Opcode opcode, std::int32_t &buffer) {
    const std::string called = deepSpeedWord(opcode);
    scanner_.skipBlanks();
    if (!scanner_.consume('('))
      return fail("expected '(' after " + called);
    scanner_.skipBlanks();
    if (namesBuffer(opcode)) {
      if (!scanner_.consume("buffer_id"))
        return fail("expected 'buffer_id=' in " + called);
      scanner_.skipBlanks();
      if (!scanner_.consume('='))
        return fail("expected '=' after 'buffer_id'");
      if (!readNumber("a buffer's number", buffer))
        return false;
      scanner_.skipBlanks();
    }
    return scanner_.consume(')') || fail("expected ')' to end " + called);
  }

  [[nodiscard]] std::optional<Diagnostic> missing() const {
    if (!current_)
      return Diagnostic{file_.name, 1, 1,
                        "expected a header '# stage S of N, micro_batches M, num_pipe_buffers B'; found none"};
    for (std::size_t stage = 0; stage < lists_.stages.size(); ++stage)
      if (lists_.stages[stage].line == 0)
        return Diagnostic{file_.name, firstHeader_, 1,
                          "stage " + std::to_string(stage) + " of " + std::to_string(lists_.stages.size()) +
                              " is missing: expected a header for each stage"};
    return std::nullopt;
  }

  bool fail(std::string message) {
    error_ = Diagnostic{file_.name, number_, scanner_.column(), std::move(message)};
    return false;
  }

  const Source &file_;
  Scanner scanner_;
  std::uint32_t number_ = 0;
  std::uint32_t firstHeader_ = 0;
  std::int64_t count_ = 0;
  Lists lists_;
  StageList *current_ = nullptr; // into lists_.stages, which is sized once
  std::optional<Diagnostic> error_;
};

} // namespace

Result<Lists> readLists(const Source &file) {
  if (std::optional<Diagnostic> wrong = checkText(file.name, file.text))
    return *std::move(wrong);
  return Reader(file).run();
}

} // namespace plumbline::frontend::deepspeed
