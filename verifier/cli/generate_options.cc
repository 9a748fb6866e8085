#include "verifier/cli/generate_options.h"

#include "verifier/ir/text.h"

namespace plumbline::cli {

namespace cl = llvm::cl;

GenerateOptions::GenerateOptions(cl::SubCommand &command)
    : stages_("stages", cl::desc("stages of the pipeline (default: as many as the ranks hold)"), cl::value_desc("S"),
              cl::cat(category), cl::sub(command)),
      ranks_("ranks", cl::desc("ranks (default: as the stages need; where a rank may hold several, two a rank)"),
             cl::value_desc("R"), cl::cat(category), cl::sub(command)),
      microbatches_("microbatches", cl::desc("microbatches of one step"), cl::value_desc("M"), cl::cat(category),
                    cl::sub(command)),
      options_("option", cl::desc("an option of the schedule, such as recompute=yes; may be repeated"),
               cl::value_desc("NAME=VALUE"), cl::cat(category), cl::sub(command)),
      emit_("emit", cl::desc("what to write (default pir)"),
            cl::values(clEnumValN(Emit::pir, "pir", "the whole program: messages, slots, waits"),
                       clEnumValN(Emit::csv, "csv", "PyTorch's CSV, computing only"),
                       clEnumValN(Emit::csv_comms, "csv-comms", "PyTorch's CSV with sends and receives"),
                       clEnumValN(Emit::deepspeed, "deepspeed", "DeepSpeed's instruction lists")),
            cl::init(Emit::pir), cl::cat(category), cl::sub(command)) {}

namespace {

// A size in base ten; 0 if the option is not given. What is wrong, or nothing.
std::string takeSize(const cl::opt<std::string> &option, std::int64_t &size) {
  if (option.getNumOccurrences() == 0)
    return "";
  if (!llvm::StringRef(option).getAsInteger(10, size) && size >= 1)
    return "";
  return "--" + option.ArgStr.str() + " takes a number from 1 on; got " + inQuotes(option);
}

} // namespace

std::string GenerateOptions::take(GenerateSettings &settings) const {
  for (const std::string &wrong : {takeSize(stages_, settings.sizes.stages), takeSize(ranks_, settings.sizes.ranks),
                                   takeSize(microbatches_, settings.sizes.microbatches)})
    if (!wrong.empty())
      return wrong;
  if (settings.sizes.microbatches == 0)
    return "say --microbatches M";
  settings.emit = emit_;
  for (const std::string &text : options_) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return "--option takes NAME=VALUE, such as recompute=yes; got " + inQuotes(text);
    settings.options.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return "";
}

} // namespace plumbline::cli
