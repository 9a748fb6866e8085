#include "verifier/frontend/frontend.h"

#include "verifier/frontend/deepspeed.h"
#include "verifier/frontend/dualpipe_json.h"
#include "verifier/frontend/pytorch_action.h"
#include "verifier/frontend/pytorch_csv.h"
#include "verifier/ir/pir_parse.h"
#include "verifier/ir/text.h"

#include "llvm/ADT/StringExtras.h"

#include <array>

namespace plumbline::frontend {
namespace {

constexpr std::array<const char *, 5> formatNames = {"auto", "deepspeed", "pytorch-csv", "dualpipe-json", "pir"};

bool isStageHeader(llvm::StringRef line) {
  return line.consume_front("#") && line.ltrim().starts_with_insensitive("stage");
}

bool isPirHeader(llvm::StringRef line) { return line.consume_front("plumbline") && line.ltrim().starts_with("ir"); }

// "[ForwardPass(...)" or "[]", also behind a step's label.
bool isStep(llvm::StringRef line) {
  const std::size_t bracket = line.find('[');
  if (bracket == llvm::StringRef::npos || (bracket > 0 && !line.take_front(bracket).rtrim().ends_with(":")))
    return false;
  const llvm::StringRef list = line.drop_front(bracket + 1).ltrim();
  return list.starts_with("]") || (!list.empty() && llvm::isAlpha(list.front()));
}

// The first cell that is not empty starts as an action does: a stage's number and a letter, or a parenthesis.
bool isRow(llvm::StringRef line) {
  line = line.ltrim(", \t\"");
  if (line.consume_front("("))
    line = line.ltrim();
  const llvm::StringRef stage = line.take_while(llvm::isDigit);
  line = line.drop_front(stage.size());
  return !stage.empty() && !line.empty() && llvm::isAlpha(line.front());
}

Diagnostic unknownFormat(const Source &file, std::uint32_t line, llvm::StringRef text) {
  if (text.starts_with("HloModule"))
    return {file.name, line, 1, "HLO text is not read yet; expected a pipeline schedule"};
  if (text.starts_with("{"))
    return {file.name, line, 1,
            "JSON without \"rank_programs\"; of the JSON formats only DualPipe's schedules are read"};
  return {file.name, line, 1,
          "cannot tell the format; expected DeepSpeed's instruction lists (a '# stage' header), a PyTorch CSV "
          "(cells such as 0F0), DualPipe JSON or '.pir' text ('plumbline ir 1')"};
}

Result<Input> readAs(const Source &file, const std::optional<Source> &batches, Format format) {
  Input input;
  input.decided = format;
  const auto finish = [&](auto result) -> Result<Input> {
    if (!result)
      return result.error();
    input.content = std::move(*result);
    return std::move(input);
  };
  if (batches && format != Format::pytorch_csv)
    return Diagnostic{batches->name, 0, 0, "a batches file goes with a PyTorch CSV file only"};
  switch (format) {
  case Format::deepspeed:
    return finish(readDeepSpeed(file, input.notes));
  case Format::pytorch_csv:
    return finish(readPyTorchCsv(file, batches));
  case Format::dualpipe_json:
    return finish(readDualPipeJson(file));
  case Format::pir:
  case Format::automatic:
    break;
  }
  return finish(parsePir(file.name, file.text));
}

} // namespace

llvm::StringRef name(Format format) { return formatNames.at(static_cast<std::size_t>(format)); }

std::optional<Format> formatFromName(llvm::StringRef text) {
  for (std::size_t i = 0; i < formatNames.size(); ++i)
    if (text == formatNames[i])
      return static_cast<Format>(i);
  return std::nullopt;
}

Result<Detected> detect(const Source &file) {
  if (std::optional<Diagnostic> wrong = checkText(file.name, file.text))
    return *std::move(wrong);
  LineReader lines(file.text.drop_front(byteOrderMark(file.text)));
  while (const std::optional<Line> line = lines.next()) {
    const llvm::StringRef text = line->text.trim(" \t");
    const auto decide = [&](Format format, const char *why) {
      return Detected{format, "line " + std::to_string(line->number) + " " + why};
    };
    if (isStageHeader(text))
      return decide(Format::deepspeed, "is a '# stage' header");
    if (isPirHeader(text))
      return decide(Format::pir, "begins with 'plumbline ir'");
    if (isStep(text))
      return decide(Format::deepspeed, "is a list of instructions");
    if (isRow(text))
      return decide(Format::pytorch_csv, "begins with an action of a stage");
    if (text.starts_with("{") && file.text.contains("\"rank_programs\""))
      return Detected{Format::dualpipe_json, "a JSON object with \"rank_programs\""};
    if (!text.trim(", \t").empty() && text.front() != '#' && text.front() != ';')
      return unknownFormat(file, line->number, text);
  }
  return unknownFormat(file, 1, "");
}

Result<Input> read(const Source &file, const std::optional<Source> &batches, Format from) {
  Detected detected{from, "as asked for"};
  if (from == Format::automatic) {
    Result<Detected> found = detect(file);
    if (!found)
      return found.error();
    detected = std::move(*found);
  }
  Result<Input> input = readAs(file, batches, detected.format);
  if (input)
    input->why = std::move(detected.why);
  return input;
}

} // namespace plumbline::frontend
