// What every fuzz target asks of a reader: an answer, and if it is a Program, a sound one.
#pragma once

#include "verifier/frontend/frontend.h"
#include "verifier/ir/pir_parse.h"
#include "verifier/ir/pir_print.h"
#include "verifier/lower/lower.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace plumbline::fuzz {

// A fuzzer and a replay both take an abort for a failure, whatever the build's assertions.
inline void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

inline llvm::StringRef textOf(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

// A Program is valid, and is the same after it has been printed and parsed.
inline void requireSound(const Program &program) {
  require(validate(program).empty(), "a reader's Program is valid");
  const std::string text = toPir(program);
  const Result<Program> again = parsePir("again.pir", text);
  require(again.ok(), "a printed Program parses");
  require(identical(program, *again), "a printed Program parses to itself");
}

inline void requireDiagnostic(const Diagnostic &error) { require(!error.message.empty(), "an error says something"); }

inline void lowerAndCheck(const Schedule &schedule, const std::optional<lower::Placement> &placement) {
  const Result<Program> program = lower::lowerSchedule(schedule, placement);
  if (!program)
    return requireDiagnostic(program.error());
  requireSound(*program);
}

// Reads the text as `format`, lowers a Schedule, with the text of a placement file if there is one, and checks what
// comes out.
inline void readAndCheck(llvm::StringRef text, const std::optional<frontend::Source> &batches, frontend::Format format,
                         const std::optional<llvm::StringRef> &placementText = std::nullopt) {
  const Result<frontend::Input> input = frontend::read({"input", text}, batches, format);
  if (!input)
    return requireDiagnostic(input.error());
  if (const Program *program = std::get_if<Program>(&input->content))
    return requireSound(*program);
  const Schedule &schedule = std::get<Schedule>(input->content);
  if (!placementText)
    return lowerAndCheck(schedule, std::nullopt);
  const Result<lower::Placement> placement = lower::parsePlacementFile("placement", *placementText);
  if (!placement)
    return requireDiagnostic(placement.error());
  lowerAndCheck(schedule, *placement);
}

} // namespace plumbline::fuzz
