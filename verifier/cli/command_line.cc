#include "verifier/cli/command_line.h"

#include "schedules/library.h"
#include "verifier/cli/generate_options.h"
#include "verifier/cli/limits.h"
#include "verifier/cli/size_options.h"
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
    "  plumbline buffers FILE...           least number of buffers, for each rank and pool\n"
    "  plumbline lower FILE -o FILE.pir    what a schedule means, instruction by instruction\n"
    "  plumbline gen NAME -o FILE.pir      a published schedule for given sizes (gen --list)\n"
    "  plumbline run FILE.pir              trains in the order of a verified schedule (run --help)\n"
    "  plumbline rules [PL401]             what each rule asks, with examples\n"
    "\n"
    "Inputs: DeepSpeed's printed instruction lists, PyTorch's pipeline CSV (with or without\n"
    "communication), DualPipe JSON, and Plumbline's own .pir. '-' is standard input.\n"
    "Exit code: 0 verified, 1 rejected, 2 bad usage or unreadable input, 3 undecided.\n"
    "`plumbline COMMAND --help` lists the options of a command.\n";

// All options live as long as parsing does. llvm::cl keeps registries of its own, which is why this is made once.
struct Options {
  cl::SubCommand verify{"verify", "Prove schedules right, or point at the fault"};
  cl::SubCommand lower{"lower", "Write the program that a schedule means, as .pir"};
  cl::SubCommand buffers{"buffers", "Show declared and least numbers of buffers"};
  cl::SubCommand gen{"gen", "Write a published schedule for given sizes"};
  cl::SubCommand run{"run", "Train in the order of a verified schedule"}; // for --help; it is started before this
  cl::SubCommand rules{"rules", "Explain the rules, with a failing and a passing example each"};
  std::array<cl::SubCommand *, 5> commands{&verify, &lower, &buffers, &gen, &rules};

  cl::OptionCategory inputCategory{"Input"};
  cl::OptionCategory modelCategory{"Communication model (docs/semantics.md)"};
  cl::OptionCategory outputCategory{"Output and limits"};
  GenerateOptions generate{gen};
  cl::opt<bool> list{"list", cl::desc("list all schedules, a line each; with a NAME all about that one"),
                     cl::cat(generate.category), cl::sub(gen)};

  cl::list<std::string> files{cl::Positional,  cl::desc("FILE..."), cl::ZeroOrMore,
                              cl::sub(verify), cl::sub(lower),      cl::sub(buffers)};
  cl::list<std::string> families{cl::Positional, cl::desc("NAME"), cl::ZeroOrMore, cl::sub(gen)};
  cl::list<std::string> ruleNames{cl::Positional, cl::desc("[ID...]"), cl::ZeroOrMore, cl::sub(rules)};

  cl::opt<frontend::Format> from{
      "from",
      cl::desc("how to read the files (default auto: by content)"),
      cl::values(clEnumValN(frontend::Format::automatic, "auto", "decide by content"),
                 clEnumValN(frontend::Format::deepspeed, "deepspeed", "DeepSpeed's printed instruction lists"),
                 clEnumValN(frontend::Format::pytorch_csv, "pytorch-csv", "PyTorch's schedule CSV"),
                 clEnumValN(frontend::Format::dualpipe_json, "dualpipe-json", "DualPipe's recorded programs"),
                 clEnumValN(frontend::Format::pir, "pir", "Plumbline's own text form")),
      cl::init(frontend::Format::automatic),
      cl::cat(inputCategory),
      cl::sub(verify),
      cl::sub(lower),
      cl::sub(buffers)};
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
  cl::opt<std::string> batches{"batches",
                               cl::desc("CSV with the fused launches of each rank (batch_isend_irecv calls)"),
                               cl::value_desc("FILE"),
                               cl::cat(inputCategory),
                               cl::sub(verify),
                               cl::sub(lower),
                               cl::sub(buffers)};
  cl::opt<std::string> placement{"placement",
                                 cl::desc("which rank holds which stage: auto (from the rows), loop, v, or a file with "
                                          "a line 'stage S on rank R' each"),
                                 cl::value_desc("auto|loop|v|FILE"),
                                 cl::init("auto"),
                                 cl::cat(inputCategory),
                                 cl::sub(verify),
                                 cl::sub(lower),
                                 cl::sub(buffers)};

  cl::opt<model::Kind> kind{
      "model",
      cl::desc("how ranks execute (default: blocking for DeepSpeed lists, else nccl)"),
      cl::values(clEnumValN(model::Kind::blocking, "blocking", "one queue a rank, every instruction blocks"),
                 clEnumValN(model::Kind::nccl, "nccl", "a compute queue, and one per communicator"),
                 clEnumValN(model::Kind::mpi, "mpi", "as nccl, small messages (--room-bytes) are eager")),
      cl::cat(modelCategory),
      cl::sub(verify),
      cl::sub(buffers),
      cl::sub(lower)};
  cl::opt<model::Comms> comms{
      "comms",
      cl::desc("communicators of the messages (default single; .pir files name their own)"),
      cl::values(clEnumValN(model::Comms::single, "single", "one for the pipeline"),
                 clEnumValN(model::Comms::pair, "pair", "one for each pair of ranks"),
                 clEnumValN(model::Comms::directed, "directed", "one for each pair and direction")),
      cl::cat(modelCategory),
      cl::sub(verify),
      cl::sub(buffers),
      cl::sub(lower)};
  cl::opt<long long> room{"room",
                          cl::desc("messages that a channel holds before its sends block (default 0)"),
                          cl::value_desc("K"),
                          cl::init(0),
                          cl::cat(modelCategory),
                          cl::sub(verify),
                          cl::sub(buffers),
                          cl::sub(lower)};
  cl::opt<long long> roomBytes{
      "room-bytes",
      cl::desc("in place of --room: bytes that a channel holds (nccl), or the eager limit (mpi)"),
      cl::value_desc("N"),
      cl::init(-1),
      cl::cat(modelCategory),
      cl::sub(verify),
      cl::sub(buffers),
      cl::sub(lower)};
  cl::opt<model::Grouping> grouping{
      "group",
      cl::desc("fused launches"),
      cl::values(clEnumValN(model::Grouping::given, "given", "as the input says; members progress independently"),
                 clEnumValN(model::Grouping::none, "none", "taken apart"),
                 clEnumValN(model::Grouping::atomic, "atomic", "nothing moves before all partners are there")),
      cl::init(model::Grouping::given),
      cl::cat(modelCategory),
      cl::sub(verify),
      cl::sub(buffers),
      cl::sub(lower)};
  cl::opt<model::Wait> wait{
      "wait",
      cl::desc("what ranks wait for (default use; group where the input has fused launches)"),
      cl::values(clEnumValN(model::Wait::use, "use", "the receive that a computation needs"),
                 clEnumValN(model::Wait::group, "group", "each launch before anything more is issued")),
      cl::cat(modelCategory),
      cl::sub(verify),
      cl::sub(buffers),
      cl::sub(lower)};
  cl::opt<model::Connect> connect{
      "connect",
      cl::desc("connections"),
      cl::values(clEnumValN(model::Connect::ready, "ready", "exist before the first step"),
                 clEnumValN(model::Connect::firstUse, "first-use", "are made by blocking hosts at the first message")),
      cl::init(model::Connect::ready),
      cl::cat(modelCategory),
      cl::sub(verify),
      cl::sub(buffers),
      cl::sub(lower)};
  cl::opt<long long> plan{"plan",
                          cl::desc("cut launches of more than N operations, as NCCL does (default 0: no cut)"),
                          cl::value_desc("N"),
                          cl::init(0),
                          cl::cat(modelCategory),
                          cl::sub(verify),
                          cl::sub(buffers),
                          cl::sub(lower)};
  cl::opt<model::Streams> streams{
      "streams",
      cl::desc("queues of one device"),
      cl::values(clEnumValN(model::Streams::independent, "independent", "progress on their own"),
                 clEnumValN(model::Streams::any, "any", "may be run one after another, in any order")),
      cl::init(model::Streams::independent),
      cl::cat(modelCategory),
      cl::sub(verify),
      cl::sub(buffers)};
  cl::opt<bool> strict{"strict",
                       cl::desc("what only hangs while connections are first made is an error, not a warning"),
                       cl::cat(modelCategory), cl::sub(verify)};

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
      "max-buffers", cl::desc("most buffers of every pool of every rank, or of one pool; may be repeated (PL801)"),
      cl::value_desc("N|POOL=N"), cl::cat(outputCategory), cl::sub(verify)};
  cl::opt<std::string> maxBubble{"max-bubble", cl::desc("largest share of idle time: 0.125, or 12.5% (PL802)"),
                                 cl::value_desc("X"), cl::cat(outputCategory), cl::sub(verify)};
  cl::opt<std::string> expect{
      "expect",
      cl::desc("exit with 0 if every file has this verdict, or exactly these rules with errors (PL401,PL501); else 1"),
      cl::value_desc("WHAT"), cl::cat(outputCategory), cl::sub(verify)};

  cl::opt<OutputFormat> format{"format",
                               cl::desc("report format"),
                               cl::values(clEnumValN(OutputFormat::text, "text", "for people"),
                                          clEnumValN(OutputFormat::json, "json", "one object a line for each file"),
                                          clEnumValN(OutputFormat::junit, "junit", "one JUnit XML document")),
                               cl::init(OutputFormat::text),
                               cl::cat(outputCategory),
                               cl::sub(verify)};
  cl::opt<std::string> output{"o",
                              cl::desc("write to FILE instead of standard output"),
                              cl::value_desc("FILE"),
                              cl::cat(outputCategory),
                              cl::sub(verify),
                              cl::sub(lower),
                              cl::sub(buffers),
                              cl::sub(gen)};
  cl::opt<std::string> junit{"junit", cl::desc("write the reports as JUnit XML into FILE as well"),
                             cl::value_desc("FILE"), cl::cat(outputCategory), cl::sub(verify)};
  cl::opt<std::string> certificate{"certificate",
                                   cl::desc("write the verdict, the model and the program's hash into FILE, for "
                                            "`plumbline run`; one schedule at a time"),
                                   cl::value_desc("FILE"), cl::cat(outputCategory), cl::sub(verify)};
  cl::opt<bool> log{"log", cl::desc("say on standard error what is done"), cl::cat(outputCategory), cl::sub(verify),
                    cl::sub(buffers)};
  cl::opt<unsigned> jobs{"jobs",
                         cl::desc("threads (default: as many as there are cores)"),
                         cl::value_desc("N"),
                         cl::init(0),
                         cl::cat(outputCategory),
                         cl::sub(verify),
                         cl::sub(buffers),
                         cl::sub(lower)};
  cl::opt<std::string> timeout{
      "timeout",           cl::desc("seconds for each file; what is open then is undecided (exit 3)"),
      cl::value_desc("S"), cl::cat(outputCategory),
      cl::sub(verify),     cl::sub(buffers),
      cl::sub(lower)};
};

bool complain(const std::string &message) {
  llvm::errs() << "plumbline: " << message << '\n';
  return false;
}

bool takeNumbers(const Options &options, Settings &settings) {
  constexpr long long most = 1'000'000'000;
  if (options.room < 0 || options.room > most)
    return complain("--room takes a number of messages from 0 to 1000000000");
  if (options.plan < 0 || options.plan > most)
    return complain("--plan takes a number of operations from 0 (no cut) to 1000000000");
  if (options.roomBytes.getNumOccurrences() > 0 && options.roomBytes < 0)
    return complain("--room-bytes takes a number of bytes, 0 or more");
  double timeout = 0;
  if (options.timeout.getNumOccurrences() > 0 &&
      (llvm::StringRef(options.timeout).getAsDouble(timeout) || !std::isfinite(timeout) || timeout < 0))
    return complain("--timeout takes a number of seconds, 0 or more");
  if (options.jobs > 1024 || (options.jobs.getNumOccurrences() > 0 && options.jobs == 0))
    return complain("--jobs takes a number of threads from 1 to 1024");
  settings.room = static_cast<std::int32_t>(options.room);
  settings.roomBytes = options.roomBytes;
  settings.plan = static_cast<std::int32_t>(options.plan);
  settings.hasTimeout = options.timeout.getNumOccurrences() > 0;
  settings.timeout = std::min(timeout, 1e8);
  settings.jobs = options.jobs > 0 ? options.jobs.getValue() : std::max(1U, std::thread::hardware_concurrency());
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

bool takeCertificate(const Options &options, CommandLine &result) {
  result.certificate = options.certificate;
  if (options.certificate.getNumOccurrences() == 0)
    return true;
  if (result.certificate.empty() || result.certificate == "-")
    return complain("--certificate takes a file");
  if (result.certificate == result.output || result.certificate == result.junit)
    return complain("--certificate and another output name the same file");
  return result.files.size() == 1 || complain("--certificate is for one schedule; name one FILE");
}

bool takeJunitAndExpectation(const Options &options, CommandLine &result) {
  result.junit = options.junit;
  if (options.junit.getNumOccurrences() > 0 && (result.junit.empty() || result.junit == "-"))
    return complain("--junit takes a file; for standard output say --format junit");
  if (!result.junit.empty() && result.junit == result.output)
    return complain("--junit and -o name the same file");
  if (options.expect.getNumOccurrences() == 0)
    return true;
  const std::string wrong = readExpectation(options.expect.getValue(), result.expectation);
  return wrong.empty() || complain(wrong);
}

void takePlacement(const std::string &text, Settings &settings) {
  settings.placement = text == "auto"   ? PlacementChoice::automatic
                       : text == "loop" ? PlacementChoice::loop
                       : text == "v"    ? PlacementChoice::v
                                        : PlacementChoice::file;
  settings.placementFile = text;
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

bool take(const Options &options, CommandLine &result) {
  result.command = options.verify    ? Command::verify
                   : options.lower   ? Command::lower
                   : options.buffers ? Command::buffers
                   : options.gen     ? Command::gen
                   : options.rules   ? Command::rules
                                     : Command::none;
  if (result.command == Command::none)
    return complain("name a command: verify, buffers, lower, gen or rules");
  Settings &settings = result.settings;
  settings.from = options.from;
  settings.batches = options.batches;
  takePlacement(options.placement, settings);
  if (options.kind.getNumOccurrences() > 0)
    settings.kind = options.kind;
  if (options.comms.getNumOccurrences() > 0)
    settings.comms = options.comms;
  if (options.mode.getNumOccurrences() > 0)
    settings.mode = options.mode;
  if (options.wait.getNumOccurrences() > 0)
    settings.wait = options.wait;
  settings.grouping = options.grouping;
  settings.connect = options.connect;
  settings.streams = options.streams;
  settings.strict = options.strict;
  result.slots = options.slots;
  result.format = options.format;
  result.output = options.output;
  result.log = options.log;
  if (options.output.getNumOccurrences() > 0 && result.output.empty())
    return complain("-o takes a file; - is standard output");
  if (result.command == Command::gen)
    return takeGenerate(options, result);
  const auto &positional = result.command == Command::rules ? options.ruleNames : options.files;
  result.files.assign(positional.begin(), positional.end());
  if (result.files.empty() && result.command != Command::rules)
    return complain("name a FILE, or '-' for standard input");
  if (llvm::count(result.files, "-") > 1)
    return complain("standard input ('-') can be read only once");
  return takeNumbers(options, settings) && takeSizes(options, settings.sizes) && takeLimits(options, settings.limits) &&
         takeJunitAndExpectation(options, result) && takeCertificate(options, result);
}

void printVersion(llvm::raw_ostream &out) { out << "plumbline, with Z3 " << smt::z3Version() << '\n'; }

} // namespace

bool parseCommandLine(int argc, char **argv, CommandLine &result) {
  Options options;
  cl::SetVersionPrinter(printVersion);
  for (cl::SubCommand *command : options.commands)
    cl::HideUnrelatedOptions(
        {&options.inputCategory, &options.modelCategory, &options.outputCategory, &options.generate.category},
        *command);
  cl::HideUnrelatedOptions({&options.inputCategory, &options.modelCategory, &options.outputCategory});
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
