#include "verifier/cli/command_line.h"

#include "schedules/library.h"
#include "verifier/cli/allowance.h"
#include "verifier/cli/costs.h"
#include "verifier/cli/generate_options.h"
#include "verifier/cli/input_options.h"
#include "verifier/cli/limits.h"
#include "verifier/cli/model_options.h"
#include "verifier/cli/size_options.h"
#include "verifier/cli/subcommands.h"
#include "verifier/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cmath>
#include <thread>

namespace plumbline::cli {
namespace {

namespace cl = llvm::cl;

constexpr const char *overview =
    "Plumbline checks pipeline-parallel training schedules before they reach a GPU.\n"
    "\n"
    "  plumbline verify FILE...            proves a schedule right, or points at the fault\n"
    "  plumbline diff BASE NEW             what a change makes worse; exit 1 if anything\n"
    "  plumbline view FILE -o out.html     the schedule in time, as a page for the browser\n"
    "  plumbline buffers FILE...           least number of buffers, for each rank and pool\n"
    "  plumbline lower FILE -o FILE.pir    what a schedule means, instruction by instruction\n"
    "  plumbline gen NAME -o FILE.pir      a published schedule for given sizes (gen --list)\n"
    "  plumbline run FILE.pir              trains in the order of a verified schedule (run --help)\n"
    "  plumbline rules [PL401]             what each rule asks, with examples\n"
    "\n"
    "Inputs: DeepSpeed's printed instruction lists, PyTorch's pipeline CSV (with or without\n"
    "communication), DualPipe JSON, and Plumbline's own .pir. '-' is standard input; verify,\n"
    "diff and buffers take folders too, verify and buffers patterns such as 'a/**/*.csv'.\n"
    "Exit code: 0 verified, 1 rejected, 2 bad usage or unreadable input, 3 undecided.\n"
    "`plumbline COMMAND --help` lists the options of a command.\n";

// All options live as long as parsing does. llvm::cl keeps registries of its own, which is why this is made once.
struct Options {
  cl::SubCommand verify{"verify", "Prove schedules right, or point at the fault"};
  cl::SubCommand diff{"diff", "Say what a change of a schedule makes worse or better"};
  cl::SubCommand view{"view", "Show a schedule in time, as a page for the browser"};
  cl::SubCommand lower{"lower", "Write the program that a schedule means, as .pir"};
  cl::SubCommand buffers{"buffers", "Show declared and least numbers of buffers"};
  cl::SubCommand gen{"gen", "Write a published schedule for given sizes"};
  cl::SubCommand run{"run", "Train in the order of a verified schedule"}; // for --help; it is started before this
  cl::SubCommand rules{"rules", "Explain the rules, with a failing and a passing example each"};
  std::array<cl::SubCommand *, 7> commands{&verify, &diff, &view, &lower, &buffers, &gen, &rules};
  // Those that read schedules, give verdicts, take folders, and show times.
  std::array<cl::SubCommand *, 5> reading{&verify, &diff, &view, &buffers, &lower};
  std::array<cl::SubCommand *, 4> judging{&verify, &diff, &view, &buffers};
  std::array<cl::SubCommand *, 3> many{&verify, &diff, &buffers};
  std::array<cl::SubCommand *, 3> timing{&verify, &diff, &view};
  std::array<cl::SubCommand *, 6> writing{&verify, &diff, &view, &buffers, &lower, &gen};

  InputOptions input{reading, many};
  ModelOptions model{reading, judging};
  cl::OptionCategory outputCategory{"Output and limits"};
  GenerateOptions generate{gen};
  cl::opt<bool> list{"list", cl::desc("list all schedules, a line each; with a NAME all about that one"),
                     cl::cat(generate.category), cl::sub(gen)};

  cl::list<std::string> files{cl::Positional, cl::desc("FILE|FOLDER|PATTERN..."), cl::ZeroOrMore, cl::sub(verify),
                              cl::sub(buffers)};
  cl::list<std::string> pair{cl::Positional, cl::desc("BASE NEW"), cl::ZeroOrMore, cl::sub(diff)};
  cl::list<std::string> shown{cl::Positional, cl::desc("FILE"), cl::ZeroOrMore, cl::sub(view), cl::sub(lower)};
  cl::list<std::string> families{cl::Positional, cl::desc("NAME"), cl::ZeroOrMore, cl::sub(gen)};
  cl::list<std::string> ruleNames{cl::Positional, cl::desc("[ID...]"), cl::ZeroOrMore, cl::sub(rules)};

  cl::opt<Slots> slots{
      "slots",
      cl::desc("slots of the program (default given)"),
      cl::values(clEnumValN(Slots::given, "given", "as the input has them; where it has none, one for each value"),
                 clEnumValN(Slots::least, "least",
                            "as few as the verifier proves to be enough under the model; only for "
                            "verified schedules")),
      cl::init(Slots::given),
      cl::cat(outputCategory),
      cl::sub(lower)};

  SizeOptions sizes{verify,
                    outputCategory,
                    {"stages that the schedule has to have (of one replica)", "ranks that it has to have",
                     "microbatches that it has to have (of all replicas)"}};
  cl::opt<Mode> mode{"mode", cl::desc("what it has to be for (default: anything)"),
                     cl::values(clEnumValN(Mode::training, "training", "every forward pass has its backward pass"),
                                clEnumValN(Mode::inference, "inference", "forward passes only"),
                                clEnumValN(Mode::fragment, "fragment", "a part of a program (.pir)")),
                     cl::cat(outputCategory), cl::sub(verify)};
  cl::list<std::string> maxBuffers{
      "max-buffers",
      cl::desc("most buffers of every pool of every rank, or of one pool; may be repeated (PL801)"),
      cl::value_desc("N|POOL=N"),
      cl::cat(outputCategory),
      cl::sub(verify),
      cl::sub(view)};
  cl::opt<std::string> maxBubble{"max-bubble",        cl::desc("largest share of idle time: 0.125, or 12.5% (PL802)"),
                                 cl::value_desc("X"), cl::cat(outputCategory),
                                 cl::sub(verify),     cl::sub(view)};
  cl::list<std::string> costs{
      "cost",
      cl::desc("how long an instruction takes, for bubbles and pictures: backward=2.5, message=0.1 (default: F, I, W "
               "and recompute 1, B 2, all else 0); may be repeated"),
      cl::value_desc("WHAT=N"), cl::cat(outputCategory), OfCommands(timing)};
  cl::opt<std::string> expect{
      "expect",
      cl::desc("exit with 0 if every file has this verdict, or exactly these rules with errors (PL401,PL501); else 1"),
      cl::value_desc("WHAT"), cl::cat(outputCategory), cl::sub(verify)};

  cl::opt<std::string> allowBuffers{"allow-buffers",
                                    cl::desc("buffers by which each pool of each rank may grow (default 0)"),
                                    cl::value_desc("N"), cl::cat(outputCategory), cl::sub(diff)};
  cl::opt<std::string> allowBubble{"allow-bubble",
                                   cl::desc("percentage points by which the bubble may grow: 1.5 (default 0)"),
                                   cl::value_desc("PCT"), cl::cat(outputCategory), cl::sub(diff)};
  cl::opt<bool> allowWarnings{"allow-warnings", cl::desc("new warnings are shown, and are nothing worse"),
                              cl::cat(outputCategory), cl::sub(diff)};

  cl::opt<OutputFormat> format{
      "format",
      cl::desc("report format"),
      cl::values(clEnumValN(OutputFormat::text, "text", "for people"),
                 clEnumValN(OutputFormat::json, "json", "one object a line for each file"),
                 clEnumValN(OutputFormat::sarif, "sarif", "one SARIF 2.1.0 log, for code review"),
                 clEnumValN(OutputFormat::junit, "junit", "one JUnit XML document"),
                 clEnumValN(OutputFormat::trace, "trace", "Chrome trace JSON, for Perfetto")),
      cl::init(OutputFormat::text),
      cl::cat(outputCategory),
      cl::sub(verify)};
  cl::opt<DiffFormat> diffFormat{"format",
                                 cl::desc("format (default text)"),
                                 cl::values(clEnumValN(DiffFormat::text, "text", "for people"),
                                            clEnumValN(DiffFormat::json, "json", "one object, for scripts"),
                                            clEnumValN(DiffFormat::markdown, "markdown", "for a comment on a change")),
                                 cl::init(DiffFormat::text),
                                 cl::cat(outputCategory),
                                 cl::sub(diff)};
  cl::opt<ViewFormat> viewFormat{"format",
                                 cl::desc("format (default html)"),
                                 cl::values(clEnumValN(ViewFormat::html, "html", "one page, with all that it needs"),
                                            clEnumValN(ViewFormat::trace, "trace", "Chrome trace JSON, for Perfetto")),
                                 cl::init(ViewFormat::html),
                                 cl::cat(outputCategory),
                                 cl::sub(view)};
  cl::opt<bool> viewDiff{"diff", cl::desc("two files, BASE and NEW, side by side"), cl::cat(outputCategory),
                         cl::sub(view)};
  cl::opt<std::string> output{"o", cl::desc("write to FILE instead of standard output"), cl::value_desc("FILE"),
                              cl::cat(outputCategory), OfCommands(writing)};
  cl::opt<std::string> junit{"junit", cl::desc("write the reports as JUnit XML into FILE as well"),
                             cl::value_desc("FILE"), cl::cat(outputCategory), cl::sub(verify)};
  cl::opt<std::string> sarif{"sarif", cl::desc("write the reports as SARIF into FILE as well"), cl::value_desc("FILE"),
                             cl::cat(outputCategory), cl::sub(verify)};
  cl::opt<std::string> certificate{"certificate",
                                   cl::desc("write the verdict, the model and the program's hash into FILE, for "
                                            "`plumbline run`; one schedule at a time"),
                                   cl::value_desc("FILE"), cl::cat(outputCategory), cl::sub(verify)};
  cl::opt<bool> reproducible{"reproducible",
                             cl::desc("print no times that were measured: the same input gives the same bytes"),
                             cl::cat(outputCategory), cl::sub(verify)};
  cl::opt<bool> log{"log", cl::desc("say on standard error what is done"), cl::cat(outputCategory),
                    OfCommands(judging)};
  cl::opt<unsigned> jobs{"jobs",
                         cl::desc("threads (default: as many as there are cores)"),
                         cl::value_desc("N"),
                         cl::init(0),
                         cl::cat(outputCategory),
                         OfCommands(reading)};
  cl::opt<std::string> timeout{"timeout", cl::desc("seconds for each file; what is open then is undecided (exit 3)"),
                               cl::value_desc("S"), cl::cat(outputCategory), OfCommands(reading)};
};

bool complain(const std::string &message) {
  llvm::errs() << "plumbline: " << message << '\n';
  return false;
}

bool takeNumbers(const Options &options, Settings &settings) {
  double timeout = 0;
  if (options.timeout.getNumOccurrences() > 0 &&
      (llvm::StringRef(options.timeout).getAsDouble(timeout) || !std::isfinite(timeout) || timeout < 0))
    return complain("--timeout takes a number of seconds, 0 or more");
  if (options.jobs > 1024 || (options.jobs.getNumOccurrences() > 0 && options.jobs == 0))
    return complain("--jobs takes a number of threads from 1 to 1024");
  settings.hasTimeout = options.timeout.getNumOccurrences() > 0;
  settings.timeout = std::min(timeout, 1e8);
  settings.jobs = options.jobs > 0 ? options.jobs.getValue() : std::max(1U, std::thread::hardware_concurrency());
  for (const std::string &text : options.costs)
    if (const std::string wrong = addCosts(text, settings.costs); !wrong.empty())
      return complain(wrong);
  return true;
}

bool takeSizes(const Options &options, Sizes &sizes) {
  const std::string wrong = options.sizes.take(sizes);
  return wrong.empty() || complain(wrong);
}

bool takeLimits(const Options &options, check::Limits &limits) {
  for (const std::string &text : options.maxBuffers)
    if (const std::string wrong = addBufferLimit(text, limits); !wrong.empty())
      return complain(wrong);
  if (options.maxBubble.getNumOccurrences() == 0)
    return true;
  const std::string wrong = setBubbleLimit(options.maxBubble, limits);
  return wrong.empty() || complain(wrong);
}

// A file beside the usual output.
bool takeExtra(const cl::opt<std::string> &option, std::string &name) {
  name = option.getValue();
  return option.getNumOccurrences() == 0 || (!name.empty() && name != "-") ||
         complain("--" + option.ArgStr.str() + " takes a file" +
                  (option.ArgStr == "certificate" ? "" : "; for standard output say --format " + option.ArgStr.str()));
}

bool takeOutputs(const Options &options, CommandLine &result) {
  result.output = options.output;
  if (options.output.getNumOccurrences() > 0 && result.output.empty())
    return complain("-o takes a file; - is standard output");
  return takeExtra(options.junit, result.junit) && takeExtra(options.sarif, result.sarif) &&
         takeExtra(options.certificate, result.certificate);
}

bool takeExpectation(const Options &options, CommandLine &result) {
  if (options.expect.getNumOccurrences() == 0)
    return true;
  const std::string wrong = readExpectation(options.expect.getValue(), result.expectation);
  return wrong.empty() || complain(wrong);
}

bool takeAllowance(const Options &options, CommandLine &result) {
  compare::Allowance &allowance = result.allowance;
  allowance.warnings = options.allowWarnings;
  std::string wrong;
  if (options.allowBuffers.getNumOccurrences() > 0)
    wrong = setAllowedBuffers(options.allowBuffers, allowance);
  if (wrong.empty() && options.allowBubble.getNumOccurrences() > 0)
    wrong = setAllowedBubble(options.allowBubble, allowance);
  return wrong.empty() || complain(wrong);
}

bool takeGenerate(const Options &options, CommandLine &result) {
  result.files.assign(options.families.begin(), options.families.end());
  result.list = options.list;
  if (result.list)
    return true;
  if (result.files.size() != 1)
    return complain("gen takes the name of one schedule; plumbline gen --list shows them");
  if (!schedules::findFamily(result.files.front()))
    return complain("there is no schedule " + inQuotes(result.files.front()) + "; plumbline gen --list shows them");
  const std::string wrong = options.generate.take(result.generate);
  return wrong.empty() || complain(wrong);
}

Command commandOf(const Options &options) {
  const std::pair<const cl::SubCommand &, Command> commands[] = {
      {options.verify, Command::verify}, {options.diff, Command::diff},       {options.view, Command::view},
      {options.lower, Command::lower},   {options.buffers, Command::buffers}, {options.gen, Command::gen},
      {options.rules, Command::rules}};
  for (const auto &[given, command] : commands)
    if (given)
      return command;
  return Command::none;
}

// The files, and how many there have to be.
bool takeFiles(const Options &options, CommandLine &result) {
  const auto &positional = result.command == Command::rules                                      ? options.ruleNames
                           : result.command == Command::diff                                     ? options.pair
                           : result.command == Command::view || result.command == Command::lower ? options.shown
                                                                                                 : options.files;
  result.files.assign(positional.begin(), positional.end());
  const std::size_t count = result.files.size();
  if (llvm::is_contained(result.files, ""))
    return complain("name a FILE: '' is none");
  if (llvm::count(result.files, "-") + (result.settings.batches == "-") > 1)
    return complain("standard input ('-') can be read only once");
  switch (result.command) {
  case Command::diff:
    return count == 2 || complain("diff takes two files or two folders, BASE and NEW");
  case Command::view:
    result.viewDiff = options.viewDiff;
    return count == (result.viewDiff ? 2 : 1) ||
           complain(result.viewDiff ? "view --diff takes two files, BASE and NEW"
                                    : "view takes one FILE; with --diff two, BASE and NEW");
  case Command::lower:
    return count == 1 || complain(count == 0 ? "name a FILE, or '-' for standard input" : "lower takes one file");
  case Command::rules:
    return true;
  default:
    return count > 0 || complain("name a FILE, or '-' for standard input");
  }
}

bool take(const Options &options, CommandLine &result) {
  result.command = commandOf(options);
  if (result.command == Command::none)
    return complain("name a command: verify, diff, view, buffers, lower, gen, run or rules");
  result.slots = options.slots;
  result.format = options.format;
  result.diffFormat = options.diffFormat;
  result.viewFormat = options.viewFormat;
  result.log = options.log;
  Settings &settings = result.settings;
  settings.reproducible = options.reproducible;
  if (options.mode.getNumOccurrences() > 0)
    settings.mode = options.mode;
  if (!takeOutputs(options, result))
    return false;
  if (result.command == Command::gen)
    return takeGenerate(options, result);
  for (const std::string &wrong : {options.input.take(settings, result.rules), options.model.take(settings)})
    if (!wrong.empty())
      return complain(wrong);
  if (!takeFiles(options, result) || !takeNumbers(options, settings) || !takeSizes(options, settings.sizes) ||
      !takeLimits(options, settings.limits) || !takeExpectation(options, result) || !takeAllowance(options, result))
    return false;
  return result.certificate.empty() || result.files.size() == 1 ||
         complain("--certificate is for one schedule; name one FILE");
}

void printVersion(llvm::raw_ostream &out) { out << "plumbline, with Z3 " << smt::z3Version() << '\n'; }

} // namespace

bool parseCommandLine(int argc, char **argv, CommandLine &result) {
  Options options;
  cl::SetVersionPrinter(printVersion);
  for (cl::SubCommand *command : options.commands)
    cl::HideUnrelatedOptions(
        {&options.input.category, &options.model.category, &options.outputCategory, &options.generate.category},
        *command);
  cl::HideUnrelatedOptions({&options.input.category, &options.model.category, &options.outputCategory});
  if (argc == 2 && llvm::StringRef(argv[1]) == "help") {
    llvm::outs() << overview;
    std::exit(0);
  }
  // llvm::cl reads further arguments from the file behind an @; here a word that begins so is a file's name.
  std::vector<std::string> words(argv, argv + argc);
  for (std::string &word : words)
    if (llvm::StringRef(word).starts_with("@"))
      word = "./" + word;
  std::vector<const char *> pointers(words.size());
  llvm::transform(words, pointers.begin(), [](const std::string &word) { return word.c_str(); });
  if (cl::ParseCommandLineOptions(argc, pointers.data(), overview, &llvm::errs()) && take(options, result))
    return true;
  std::string chosen;
  for (const cl::SubCommand *command : options.commands)
    if (*command)
      chosen = command->getName().str() + " ";
  llvm::errs() << "plumbline: see plumbline " << chosen << "--help\n";
  return false;
}

} // namespace plumbline::cli
