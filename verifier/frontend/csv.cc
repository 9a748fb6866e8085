#include "verifier/frontend/csv.h"

#include "verifier/ir/text.h"

namespace plumbline::frontend {
namespace {

class Reader {
public:
  Reader(const Source &file, llvm::function_ref<std::optional<Diagnostic>(const Cell &)> visit)
      : file_(file), visit_(visit) {}

  Result<std::uint32_t> run() {
    LineReader lines(file_.text);
    std::uint32_t rows = 0;
    while (const std::optional<Line> line = lines.next()) {
      number_ = line->number;
      scanner_ = Scanner(line->text, number_ == 1 ? byteOrderMark(line->text) : 0);
      if (!scanner_.rest().trim(" \t").empty())
        rows = number_;
      if (std::optional<Diagnostic> wrong = readRow())
        return *std::move(wrong);
    }
    return rows;
  }

private:
  std::optional<Diagnostic> readRow() {
    do {
      scanner_.skipBlanks();
      const bool isQuoted = scanner_.consume('"');
      if (isQuoted)
        scanner_.skipBlanks();
      const std::uint32_t column = scanner_.column();
      const char end = isQuoted ? '"' : ',';
      const llvm::StringRef text = scanner_.takeWhile([end](char c) { return c != end; }).rtrim(" \t");
      if (isQuoted)
        if (std::optional<Diagnostic> wrong = endQuotes())
          return wrong;
      if (!text.empty())
        if (std::optional<Diagnostic> wrong = visit_({text, number_ - 1, number_, column}))
          return wrong;
    } while (scanner_.consume(','));
    return std::nullopt;
  }

  std::optional<Diagnostic> endQuotes() {
    const auto fault = [&](const char *message) { return Diagnostic{file_.name, number_, scanner_.column(), message}; };
    if (!scanner_.consume('"'))
      return fault("expected '\"' to end the quoted cell before the end of the line");
    if (scanner_.peek() == '"')
      return fault("a quotation mark within a cell; no action contains one");
    scanner_.skipBlanks();
    if (!scanner_.atEnd() && scanner_.peek() != ',')
      return fault("expected ',' or the end of the line after the quoted cell");
    return std::nullopt;
  }

  const Source &file_;
  llvm::function_ref<std::optional<Diagnostic>(const Cell &)> visit_;
  Scanner scanner_;
  std::uint32_t number_ = 0;
};

} // namespace

Result<std::uint32_t> forEachCell(const Source &file,
                                  llvm::function_ref<std::optional<Diagnostic>(const Cell &)> visit) {
  if (std::optional<Diagnostic> wrong = checkText(file.name, file.text))
    return *std::move(wrong);
  return Reader(file, visit).run();
}

} // namespace plumbline::frontend
