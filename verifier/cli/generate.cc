#include "verifier/cli/generate.h"

#include "verifier/backend/deepspeed_print.h"
#include "verifier/backend/pytorch_csv_print.h"
#include "verifier/ir/pir_print.h"
#include "verifier/lower/insert_communication.h"
#include "verifier/lower/lower.h"
#include "verifier/lower/name_buffers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

namespace plumbline::cli {
namespace {

using schedules::Family;
using schedules::Option;

// The schedule with its messages.
Schedule communicating(const Schedule &schedule) {
  return schedule.hasCommunication ? schedule : lower::insertCommunication(schedule, lower::placementOf(schedule));
}

// What PyTorch's tables name: computing and messages. Loads, reductions and the optimizer's step at the end of training
// are its runtime's own matter. Everything else stays, for the printer to refuse.
bool isTheRuntimes(const Action &action) {
  switch (action.opcode) {
  case Opcode::load_microbatch:
  case Opcode::reduce_gradients:
  case Opcode::reduce_tied_gradients:
    return true;
  case Opcode::optimizer_step:
    return !action.microbatch.valid();
  default:
    return false;
  }
}

Schedule forPyTorch(Schedule schedule, bool withMessages) {
  for (std::vector<Action> &row : schedule.ranks)
    std::erase_if(row, [&](const Action &action) {
      return isTheRuntimes(action) || (!withMessages && isPointToPoint(action.opcode));
    });
  return schedule;
}

Result<std::string> print(const Schedule &schedule, Emit emit) {
  switch (emit) {
  case Emit::csv:
    return backend::toPyTorchCsv(forPyTorch(schedule, false));
  case Emit::csv_comms:
    return backend::toPyTorchCsv(forPyTorch(communicating(schedule), true));
  case Emit::deepspeed: {
    const Result<Schedule> named =
        schedule.buffers.empty() ? lower::nameBuffers(communicating(schedule)) : Result<Schedule>(schedule);
    if (!named)
      return named.error();
    return backend::toDeepSpeedText(*named);
  }
  case Emit::pir:
    break;
  }
  const Result<Program> program = lower::lowerSchedule(schedule);
  if (!program)
    return program.error();
  return toPir(*program);
}

std::string optionNames(const Family &family) {
  std::vector<std::string> names;
  for (const Option &option : schedules::optionsOf(family))
    names.emplace_back(option.name);
  return names.empty() ? "none" : llvm::join(names, ", ");
}

const char *wordsFor(schedules::Shape shape) {
  switch (shape) {
  case schedules::Shape::line:
    return "one stage on each rank";
  case schedules::Shape::loop:
    return "stage s on rank s mod R; several stages a rank";
  case schedules::Shape::vee:
    return "stages go down the ranks and up again, two on each rank";
  case schedules::Shape::waves:
    return "stages go down the ranks and up again, once or several times; 2, 4, 6, ... on each rank";
  case schedules::Shape::bidirectional:
    break;
  }
  return "two replicas of one stage on each rank, in opposite directions; --microbatches counts both";
}

void describeOption(const Option &option, llvm::raw_ostream &out) {
  out << "    " << option.name << "=";
  if (option.words.empty())
    out << option.least << ".." << option.most << " (default " << option.initial << ")";
  else
    out << llvm::join(option.words, "|") << " (default " << option.words[static_cast<std::size_t>(option.initial)]
        << ")";
  out << "\n        " << option.meaning << '\n';
}

} // namespace

Result<std::string> generateText(const Family &family, const GenerateSettings &settings) {
  const Result<schedules::Request> request = schedules::makeRequest(family, settings.sizes, settings.options);
  if (!request)
    return request.error();
  return print(schedules::generate(family, *request), settings.emit);
}

void listFamilies(llvm::ArrayRef<const Family *> families, llvm::raw_ostream &out) {
  std::size_t width = 0;
  for (const Family *family : families)
    width = std::max(width, llvm::StringRef(family->name).size());
  for (const Family *family : families)
    out << llvm::left_justify(family->name, static_cast<unsigned>(width)) << "  " << family->title << "; memory "
        << family->memory << "; bubble " << family->bubble << "; options " << optionNames(*family) << "; "
        << family->paper << '\n';
}

void describeFamily(const Family &family, llvm::raw_ostream &out) {
  out << family.name << "  " << family.title << "\n  from: " << family.paper << "\n  stages: " << wordsFor(family.shape)
      << "\n  memory: " << family.memory << "\n  bubble: " << family.bubble << '\n';
  const std::vector<Option> options = schedules::optionsOf(family);
  out << (options.empty() ? "  options: none\n" : "  options (--option NAME=VALUE):\n");
  for (const Option &option : options)
    describeOption(option, out);
}

} // namespace plumbline::cli
