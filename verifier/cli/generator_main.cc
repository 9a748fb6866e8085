#include "verifier/cli/generator_main.h"

#include "verifier/cli/exit_code.h"
#include "verifier/cli/files.h"
#include "verifier/cli/generate_options.h"

namespace plumbline::cli {

int generatorMain(int argc, char **argv, const schedules::Family &family) {
  namespace cl = llvm::cl;
  GenerateOptions options(cl::SubCommand::getTopLevel());
  const cl::opt<std::string> output("o", cl::desc("write to FILE instead of standard output"), cl::value_desc("FILE"),
                                    cl::cat(options.category));
  cl::HideUnrelatedOptions(options.category);
  std::string overview;
  llvm::raw_string_ostream description(overview);
  describeFamily(family, description);
  const auto complain = [&](const std::string &message) {
    llvm::errs() << family.name << ": " << message << '\n';
    return unusableCode;
  };
  if (!cl::ParseCommandLineOptions(argc, argv, description.str(), &llvm::errs()))
    return unusableCode;
  GenerateSettings settings;
  if (const std::string wrong = options.take(settings); !wrong.empty())
    return complain(wrong);
  if (output.getNumOccurrences() > 0 && output.empty())
    return complain("-o takes a file; - is standard output");
  const Result<std::string> text = generateText(family, settings);
  if (!text)
    return complain(text.error().message);
  const std::string wrong = writeFile(output, [&](llvm::raw_ostream &out) { out << *text; });
  return wrong.empty() ? 0 : complain(wrong);
}

} // namespace plumbline::cli
