#include "verifier/cli/generate_options.h"

namespace plumbline::cli {

namespace cl = llvm::cl;

GenerateOptions::GenerateOptions(cl::SubCommand &command)
    : stages_("stages", cl::desc("stages of the pipeline (default: as many as the ranks hold)"), cl::value_desc("S"),
              cl::init(0), cl::cat(category), cl::sub(command)),
      ranks_("ranks", cl::desc("ranks (default: as many as the stages need)"), cl::value_desc("R"), cl::init(0),
             cl::cat(category), cl::sub(command)),
      microbatches_("microbatches", cl::desc("microbatches of one step"), cl::value_desc("M"), cl::init(0),
                    cl::cat(category), cl::sub(command)),
      options_("option", cl::desc("an option of the schedule, such as recompute=yes; may be repeated"),
               cl::value_desc("NAME=VALUE"), cl::cat(category), cl::sub(command)),
      emit_("emit", cl::desc("what to write (default pir)"),
            cl::values(clEnumValN(Emit::pir, "pir", "the whole program: messages, slots, waits"),
                       clEnumValN(Emit::csv, "csv", "PyTorch's CSV, computing only"),
                       clEnumValN(Emit::csv_comms, "csv-comms", "PyTorch's CSV with sends and receives"),
                       clEnumValN(Emit::deepspeed, "deepspeed", "DeepSpeed's instruction lists")),
            cl::init(Emit::pir), cl::cat(category), cl::sub(command)) {}

std::string GenerateOptions::take(GenerateSettings &settings) const {
  if ((stages_.getNumOccurrences() > 0 && stages_ < 1) || (ranks_.getNumOccurrences() > 0 && ranks_ < 1))
    return "--stages and --ranks take a number from 1 on";
  if (microbatches_ < 1)
    return microbatches_.getNumOccurrences() == 0 ? "say --microbatches M" : "--microbatches takes a number from 1 on";
  settings.sizes = {stages_, ranks_, microbatches_};
  settings.emit = emit_;
  for (const std::string &text : options_) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return "--option takes NAME=VALUE, such as recompute=yes; got '" + text + "'";
    settings.options.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return "";
}

} // namespace plumbline::cli
