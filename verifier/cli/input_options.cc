#include "verifier/cli/input_options.h"

#include "verifier/cli/subcommands.h"

namespace plumbline::cli {

namespace cl = llvm::cl;

InputOptions::InputOptions(llvm::ArrayRef<cl::SubCommand *> all, llvm::ArrayRef<cl::SubCommand *> many)
    : from_("from", cl::desc("how to read the files (default auto: by content)"),
            cl::values(clEnumValN(frontend::Format::automatic, "auto", "decide by content"),
                       clEnumValN(frontend::Format::deepspeed, "deepspeed", "DeepSpeed's printed instruction lists"),
                       clEnumValN(frontend::Format::pytorch_csv, "pytorch-csv", "PyTorch's schedule CSV"),
                       clEnumValN(frontend::Format::dualpipe_json, "dualpipe-json", "DualPipe's recorded programs"),
                       clEnumValN(frontend::Format::pir, "pir", "Plumbline's own text form")),
            cl::init(frontend::Format::automatic), cl::cat(category), OfCommands(all)),
      batches_("batches",
               cl::desc("CSV with the fused launches of each rank (batch_isend_irecv calls); auto: of X.csv the file "
                        "X.batches.csv beside it, if there is one, as always in folders and patterns"),
               cl::value_desc("FILE|auto"), cl::cat(category), OfCommands(all)),
      placement_("placement",
                 cl::desc("which rank holds which stage: auto (from the rows), loop, v, or a file with a line 'stage S "
                          "on rank R' each"),
                 cl::value_desc("auto|loop|v|FILE"), cl::init("auto"), cl::cat(category), OfCommands(all)),
      excluded_("exclude",
                cl::desc("leave out of folders and patterns what matches, such as old or 'a/**/*.json'; may be "
                         "repeated"),
                cl::value_desc("PATTERN"), cl::cat(category), OfCommands(many)) {}

std::string InputOptions::take(Settings &settings, InputRules &rules) const {
  settings.from = from_;
  rules.pairBatches = batches_ == "auto";
  settings.batches = rules.pairBatches ? std::string() : batches_.getValue();
  const std::string &placement = placement_;
  settings.placement = placement == "auto"   ? PlacementChoice::automatic
                       : placement == "loop" ? PlacementChoice::loop
                       : placement == "v"    ? PlacementChoice::v
                                             : PlacementChoice::file;
  settings.placementFile = placement;
  for (const std::string &pattern : excluded_) {
    if (pattern.empty())
      return "--exclude takes a pattern of paths";
    rules.excluded.push_back(pattern);
  }
  return "";
}

} // namespace plumbline::cli
