#include "verifier/cli/size_options.h"

#include "verifier/ir/text.h"

namespace plumbline::cli {
namespace {

namespace cl = llvm::cl;

// A size; 0 if the option is not given. What is wrong, or nothing.
std::string takeSize(const cl::opt<std::string> &option, std::int64_t &size) {
  if (option.getNumOccurrences() == 0)
    return "";
  if (!llvm::StringRef(option).getAsInteger(10, size) && size >= 1)
    return "";
  return "--" + option.ArgStr.str() + " takes a number from 1 on; got " + inQuotes(option);
}

} // namespace

SizeOptions::SizeOptions(cl::SubCommand &command, cl::OptionCategory &category, const SizeMeanings &meanings)
    : stages_("stages", cl::desc(meanings.stages), cl::value_desc("S"), cl::cat(category), cl::sub(command)),
      ranks_("ranks", cl::desc(meanings.ranks), cl::value_desc("R"), cl::cat(category), cl::sub(command)),
      microbatches_("microbatches", cl::desc(meanings.microbatches), cl::value_desc("M"), cl::cat(category),
                    cl::sub(command)) {}

std::string SizeOptions::take(Sizes &sizes) const {
  for (const std::string &wrong :
       {takeSize(stages_, sizes.stages), takeSize(ranks_, sizes.ranks), takeSize(microbatches_, sizes.microbatches)})
    if (!wrong.empty())
      return wrong;
  return "";
}

} // namespace plumbline::cli
