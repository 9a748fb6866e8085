// Reads every input format that Plumbline knows, and tells the formats apart.
//
// Input is untrusted: whatever the bytes, the answer is a Schedule, a Program or a Diagnostic with the place and what
// was expected there. Time and memory are linear in the size of the text, within the bounds of verifier/ir/limits.h.
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/program.h"
#include "verifier/ir/schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plumbline::frontend {

enum class Format : std::uint8_t { automatic, deepspeed, pytorch_csv, dualpipe_json, pir };
// The format's name on the command line, e.g. "pytorch-csv". Total.
llvm::StringRef name(Format format);
// The format of that name, or nothing.
std::optional<Format> formatFromName(llvm::StringRef text);

struct Input {
  Format decided = Format::automatic; // never `automatic` in an answer of read()
  std::string why;                    // one line: why this format
  std::variant<Schedule, Program> content;
  std::vector<std::string> notes; // what the reader took for granted, a sentence each
};

// What a text looks like, by its content only; nothing of its name. An error says what was expected.
struct Detected {
  Format format = Format::automatic;
  std::string why;
};
Result<Detected> detect(const Source &file);

// Reads `file` as `from`, or as what it looks like. `batches` names the launches of a PyTorch CSV file; with another
// format it is an error. Two-level formats (slots given) make a Program, orders of work make a Schedule.
Result<Input> read(const Source &file, const std::optional<Source> &batches, Format from);

} // namespace plumbline::frontend
