#include "verifier/cli/generate_options.h"

#include "verifier/ir/text.h"

namespace plumbline::cli {

namespace cl = llvm::cl;

GenerateOptions::GenerateOptions(cl::SubCommand &command)
    : sizes_(command, category,
             {"stages of the pipeline (default: as many as the ranks hold)",
              "ranks (default: as the stages need; where a rank may hold several, two a rank)",
              "microbatches of one step"}),
      options_("option", cl::desc("an option of the schedule, such as recompute=yes; may be repeated"),
               cl::value_desc("NAME=VALUE"), cl::cat(category), cl::sub(command)),
      emit_("emit", cl::desc("what to write (default pir)"),
            cl::values(clEnumValN(Emit::pir, "pir", "the whole program: messages, slots, waits"),
                       clEnumValN(Emit::csv, "csv", "PyTorch's CSV, computing only"),
                       clEnumValN(Emit::csv_comms, "csv-comms", "PyTorch's CSV with sends and receives"),
                       clEnumValN(Emit::deepspeed, "deepspeed", "DeepSpeed's instruction lists")),
            cl::init(Emit::pir), cl::cat(category), cl::sub(command)) {}

std::string GenerateOptions::take(GenerateSettings &settings) const {
  if (std::string wrong = sizes_.take(settings.sizes); !wrong.empty())
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
