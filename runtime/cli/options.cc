#include "runtime/cli/options.h"

#include "verifier/ir/text.h"

#include "llvm/Support/CommandLine.h"

#include <array>
#include <cmath>

namespace plumbline::runtime {
namespace {

namespace cl = llvm::cl;

constexpr const char *overview =
    "Runs a verified schedule: trains the stages that you bring, or bundled ones, in its order.\n"
    "\n"
    "  plumbline gen 1f1b --stages 4 --microbatches 8 -o mine.pir\n"
    "  plumbline verify mine.pir --certificate mine.cert\n"
    "  plumbline run mine.pir --certificate mine.cert --steps 200\n"
    "\n"
    "A program that is not certified, or not for what the backend does, is refused.\n"
    "Exit code: 0 done, 1 a step failed or hung, 2 refused or bad usage, 130 interrupted (Ctrl-C once:\n"
    "after the step; twice: now).\n";

struct Registered {
  cl::OptionCategory training{"Training"};
  cl::OptionCategory admission{"What may run"};
  cl::OptionCategory modelCategory{"Model (default: the certificate's; docs/semantics.md)"};
  cl::OptionCategory output{"Output"};

  cl::list<std::string> files{cl::Positional, cl::desc("FILE.pir"), cl::ZeroOrMore};
  // Only read here to be named in --help: whoever starts this program has chosen by it.
  cl::opt<std::string> backend{"backend",
                               cl::desc("host: ranks are threads; mpi: ranks are processes (under mpirun); cuda: ranks "
                                        "are devices, over NCCL (default host)"),
                               cl::value_desc("host|mpi|cuda"), cl::cat(training)};
  cl::list<std::string> certificates{"certificate",
                                     cl::desc("what `plumbline verify FILE --certificate` wrote; may be repeated"),
                                     cl::value_desc("FILE"), cl::cat(admission)};
  cl::opt<bool> allowUnverified{"allow-unverified",
                                cl::desc("run without a certificate: it may hang, or train on wrong gradients"),
                                cl::cat(admission)};
  cl::opt<bool> check{"check",
                      cl::desc("stop at the first instruction that reads or overwrites a slot at the wrong time; "
                               "spoils slots whose values are used up"),
                      cl::cat(admission)};
  cl::opt<std::string> stage{"stage", cl::desc("what every stage of the pipeline is (default transformer)"),
                             cl::value_desc("NAME|LIB.so:NAME"), cl::init("transformer"), cl::cat(training)};
  cl::opt<std::string> stageOptions{"stage-options", cl::desc("its options: width=64,layers=2"), cl::value_desc("TEXT"),
                                    cl::cat(training)};
  cl::opt<std::string> steps{"steps", cl::desc("steps of training, those before a resumed save included (default 10)"),
                             cl::value_desc("N"), cl::cat(training)};
  cl::opt<std::string> learningRate{"learning-rate", cl::desc("default 0.001"), cl::value_desc("X"), cl::cat(training)};
  cl::opt<std::string> seed{"seed", cl::desc("of the first weights and of the choice of samples (default 1)"),
                            cl::value_desc("N"), cl::cat(training)};
  cl::opt<std::string> copies{"dp", cl::desc("copies of the pipeline that share the batch (data parallelism)"),
                              cl::value_desc("N"), cl::cat(training)};
  cl::opt<std::string> data{"data", cl::desc("text to train on (default: a short one)"), cl::value_desc("FILE"),
                            cl::cat(training)};
  cl::opt<std::string> checkpoint{"checkpoint", cl::desc("folder to save weights, optimizer and step in"),
                                  cl::value_desc("FOLDER"), cl::cat(training)};
  cl::opt<std::string> saveEvery{"checkpoint-every", cl::desc("steps between two saves (default 1)"),
                                 cl::value_desc("N"), cl::cat(training)};
  cl::opt<bool> resume{"resume", cl::desc("go on from the latest save in the folder, if there is one"),
                       cl::cat(training)};
  cl::opt<std::string> trace{"trace", cl::desc("write the last step for chrome://tracing or Perfetto"),
                             cl::value_desc("FILE"), cl::cat(output)};
  cl::opt<LogStyle> format{"format", cl::desc("default: progress on a terminal, else json"),
                           cl::values(clEnumValN(LogStyle::text, "text", "a line a step"),
                                      clEnumValN(LogStyle::json, "json", "an object a line")),
                           cl::cat(output)};

  cl::opt<model::Kind> kind{"model", cl::desc("how ranks execute"),
                            cl::values(clEnumValN(model::Kind::blocking, "blocking", "one queue a rank"),
                                       clEnumValN(model::Kind::nccl, "nccl", "a queue for each communicator"),
                                       clEnumValN(model::Kind::mpi, "mpi", "as nccl, with an eager limit")),
                            cl::cat(modelCategory)};
  cl::opt<model::Wait> wait{"wait", cl::desc("what ranks wait for"),
                            cl::values(clEnumValN(model::Wait::use, "use", "the receive that a computation needs"),
                                       clEnumValN(model::Wait::group, "group", "each launch")),
                            cl::cat(modelCategory)};
  cl::opt<model::Grouping> grouping{
      "group", cl::desc("fused launches"),
      cl::values(clEnumValN(model::Grouping::given, "given", "as the program says"),
                 clEnumValN(model::Grouping::none, "none", "taken apart"),
                 clEnumValN(model::Grouping::atomic, "atomic", "move when all partners are there")),
      cl::cat(modelCategory)};
  cl::opt<model::Connect> connect{
      "connect", cl::desc("connections"),
      cl::values(clEnumValN(model::Connect::ready, "ready", "exist"),
                 clEnumValN(model::Connect::firstUse, "first-use", "are made at the first message")),
      cl::cat(modelCategory)};
  cl::opt<std::string> room{"room", cl::desc("messages that a channel holds"), cl::value_desc("K"),
                            cl::cat(modelCategory)};
  cl::opt<std::string> roomBytes{"room-bytes", cl::desc("bytes that a channel holds"), cl::value_desc("N"),
                                 cl::cat(modelCategory)};
  cl::opt<std::string> plan{"plan", cl::desc("cut launches of more than N operations"), cl::value_desc("N"),
                            cl::cat(modelCategory)};
};

bool complain(const std::string &message) {
  llvm::errs() << "plumbline run: " << message << '\n';
  return false;
}

// A whole number in base ten, if the option is given.
template <typename Number>
bool takeNumber(const cl::opt<std::string> &option, std::int64_t least, std::int64_t most, Number &number) {
  if (option.getNumOccurrences() == 0)
    return true;
  std::int64_t value = 0;
  if (llvm::StringRef(option).getAsInteger(10, value) || value < least || value > most)
    return complain("--" + option.ArgStr.str() + " takes a number from " + std::to_string(least) + " to " +
                    std::to_string(most) + "; got " + inQuotes(option));
  number = static_cast<Number>(value);
  return true;
}

template <typename Number>
bool takeNumber(const cl::opt<std::string> &option, std::int64_t least, std::int64_t most,
                std::optional<Number> &number) {
  Number value = 0;
  if (!takeNumber(option, least, most, value))
    return false;
  if (option.getNumOccurrences() > 0)
    number = value;
  return true;
}

template <typename Switch> void takeSwitch(const cl::opt<Switch> &option, std::optional<Switch> &value) {
  if (option.getNumOccurrences() > 0)
    value = option;
}

bool takeLearningRate(const cl::opt<std::string> &option, double &rate) {
  if (option.getNumOccurrences() == 0)
    return true;
  if (llvm::StringRef(option).getAsDouble(rate) || !std::isfinite(rate) || rate < 0)
    return complain("--learning-rate takes a number, 0 or more; got " + inQuotes(option));
  return true;
}

bool takeNumbers(const Registered &r, RunOptions &options) {
  constexpr std::int64_t large = 1'000'000'000;
  return takeNumber(r.steps, 1, large, options.steps) && takeNumber(r.seed, 0, INT64_MAX, options.seed) &&
         takeNumber(r.copies, 1, 1024, options.copies) && takeNumber(r.saveEvery, 1, large, options.saveEvery) &&
         takeNumber(r.room, 0, large, options.room) && takeNumber(r.plan, 0, large, options.plan) &&
         takeNumber(r.roomBytes, 0, INT64_MAX, options.roomBytes) &&
         takeLearningRate(r.learningRate, options.learningRate);
}

bool takeFiles(const Registered &r, RunOptions &options) {
  if (r.files.size() != 1)
    return complain("name one FILE.pir; `plumbline lower` and `plumbline gen` write them");
  options.file = r.files.front();
  options.certificates.assign(r.certificates.begin(), r.certificates.end());
  options.allowUnverified = r.allowUnverified;
  if (options.certificates.empty() && !options.allowUnverified)
    return complain("the program needs a --certificate, which `plumbline verify FILE --certificate FILE.cert` writes; "
                    "--allow-unverified runs it without");
  if (!options.certificates.empty() && options.allowUnverified)
    return complain("--certificate and --allow-unverified exclude each other");
  if ((r.checkpoint.getNumOccurrences() > 0 && r.checkpoint.empty()) ||
      (r.trace.getNumOccurrences() > 0 && r.trace.empty()))
    return complain("--checkpoint takes a folder and --trace a file; got an empty name");
  options.checkpoint = r.checkpoint;
  options.resume = r.resume;
  if (options.checkpoint.empty() && (options.resume || r.saveEvery.getNumOccurrences() > 0))
    return complain("--resume and --checkpoint-every need --checkpoint");
  return true;
}

bool take(const Registered &r, RunOptions &options) {
  options.check = r.check;
  options.stage = r.stage;
  options.stageOptions = r.stageOptions;
  options.data = r.data;
  options.trace = r.trace;
  takeSwitch(r.format, options.format);
  takeSwitch(r.kind, options.kind);
  takeSwitch(r.wait, options.wait);
  takeSwitch(r.grouping, options.grouping);
  takeSwitch(r.connect, options.connect);
  return takeFiles(r, options) && takeNumbers(r, options);
}

} // namespace

bool parseRunOptions(int argc, char **argv, const std::string &stages, RunOptions &options) {
  Registered registered;
  cl::HideUnrelatedOptions(
      {&registered.training, &registered.admission, &registered.modelCategory, &registered.output});
  const std::string stagesHelp = "\nStages:\n\n" + stages;
  const cl::extrahelp more(stagesHelp);
  // llvm::cl reads further arguments from the file behind an @; here a word that begins so is a file's name.
  std::vector<std::string> words(argv, argv + argc);
  std::vector<const char *> pointers;
  pointers.reserve(words.size());
  for (std::string &word : words) {
    if (llvm::StringRef(word).starts_with("@"))
      word = "./" + word;
    pointers.push_back(word.c_str());
  }
  if (cl::ParseCommandLineOptions(argc, pointers.data(), overview, &llvm::errs()) && take(registered, options))
    return true;
  llvm::errs() << "plumbline run: see plumbline run --help\n";
  return false;
}

} // namespace plumbline::runtime
