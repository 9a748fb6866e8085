#include "verifier/cli/judge.h"

#include "verifier/cli/files.h"
#include "verifier/ir/text.h"
#include "verifier/ir/words.h"
#include "verifier/lower/communicators.h"
#include "verifier/lower/lower.h"
#include "verifier/model/defaults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <set>

namespace plumbline::cli {
namespace {

using Clock = std::chrono::steady_clock;
using report::Report;

bool fail(Report &report, Diagnostic error) {
  report.invalid = std::move(error);
  return false;
}

Result<lower::Placement> choosePlacement(const Settings &settings, const Schedule &schedule) {
  const std::int32_t stages = schedule.stagesPerReplica * schedule.replicas;
  const auto ranks = static_cast<std::int32_t>(schedule.ranks.size());
  if (settings.placement == PlacementChoice::loop)
    return lower::loopPlacement(stages, ranks);
  if (settings.placement == PlacementChoice::v)
    return lower::vPlacement(stages, ranks);
  Result<std::string> text = readFile(settings.placementFile);
  if (!text)
    return text.error();
  return lower::parsePlacementFile(settings.placementFile, *text);
}

bool lowerInto(Report &report, const Schedule &schedule, const Settings &settings) {
  std::optional<lower::Placement> placement;
  if (settings.placement != PlacementChoice::automatic) {
    Result<lower::Placement> chosen = choosePlacement(settings, schedule);
    if (!chosen)
      return fail(report, chosen.error());
    placement = std::move(*chosen);
  }
  Result<Program> program = lower::lowerSchedule(schedule, placement);
  if (!program)
    return fail(report, program.error());
  report.program = std::move(*program);
  if (!schedule.hasCommunication) {
    const auto added =
        llvm::count_if(report.program.instructions, [](const Instruction &i) { return isPointToPoint(i.opcode); });
    if (added > 0)
      report.notes.push_back("the file lists no sends and receives: " + std::to_string(added) +
                             " were added, in the order of PyTorch's runtime");
  }
  return true;
}

bool loadText(const std::string &name, std::string text, const Settings &settings, Report &report) {
  report.file = name;
  const std::string &kept = report.texts[name] = std::move(text);
  std::optional<frontend::Source> batches;
  if (!settings.batches.empty()) {
    Result<std::string> batchesText = readFile(settings.batches);
    if (!batchesText)
      return fail(report, batchesText.error());
    const std::string &keptBatches = report.texts[settings.batches] = std::move(*batchesText);
    batches = frontend::Source{settings.batches, keptBatches};
  }
  Result<frontend::Input> input = frontend::read({name, kept}, batches, settings.from);
  if (!input) {
    report.format = frontend::name(settings.from).str();
    return fail(report, input.error());
  }
  report.format = frontend::name(input->decided).str();
  report.why = input->why;
  report.notes = input->notes;
  if (settings.log)
    settings.log->info("{}: {} bytes, read as {}: {}", name, kept.size(), report.format, report.why);
  auto *program = std::get_if<Program>(&input->content);
  const auto *schedule = std::get_if<Schedule>(&input->content);
  if (settings.placement != PlacementChoice::automatic && (program || !schedule->buffers.empty()))
    return fail(report, {name, 0, 0, "says itself which rank holds which stage; leave out --placement"});
  if (!program)
    return lowerInto(report, *schedule, settings);
  report.program = std::move(*program);
  return true;
}

// What the input says of itself decides what the user left open (DESIGN sections 4 and 8).
model::Options chooseModel(const Program &program, const Settings &settings) {
  model::Options options = model::defaultsFor(program);
  options.kind = settings.kind.value_or(options.kind);
  options.grouping = settings.grouping;
  options.connect = settings.connect;
  options.streams = settings.streams;
  options.room = settings.room;
  options.roomBytes = settings.roomBytes;
  options.plan = settings.plan;
  options.wait = settings.wait.value_or(model::defaultWait(program, options.kind, options.grouping));
  options.comms = settings.comms.value_or(model::Comms::single);
  return options;
}

void setCommunicators(Program &program, const Settings &settings, const std::string &format, model::Options &options) {
  // A .pir file names its communicators itself; only an explicit --comms replaces them.
  if (options.comms == model::Comms::given || (format == "pir" && !settings.comms)) {
    options.comms = model::Comms::given;
    return;
  }
  lower::setCommunicators(program, options.comms == model::Comms::pair       ? lower::Communicators::pair
                                   : options.comms == model::Comms::directed ? lower::Communicators::directed
                                                                             : lower::Communicators::single);
}

// The room that a file gives to its own communicators is an assumption that the command line may replace, and that
// people have to know of where it does not.
void chooseRoom(Report &report, const Settings &settings) {
  const bool inBytes = report.model.roomBytes >= 0; // which the model counts in place of messages
  for (Communicator &communicator : report.program.communicators) {
    if (communicator.room < 0 || inBytes)
      continue;
    if (settings.roomGiven)
      communicator.room = -1;
    else
      report.notes.push_back("communicator " + inQuotes(communicator.name) + " has room for " +
                             counted(static_cast<std::size_t>(communicator.room), "message") +
                             ", as the file says: that takes the place of room " + std::to_string(settings.room) +
                             " there; an explicit --room replaces it");
  }
}

// What a user may have overlooked, as notes.
void addHints(Report &report, const Settings &settings) {
  const bool sized = llvm::any_of(report.program.instructions, [](const Instruction &i) { return i.bytes > 0; });
  if (settings.roomBytes >= 0 && !sized)
    report.notes.emplace_back("--room-bytes has no effect on messages of unknown size, and this input gives none");
  const llvm::StringRef stem =
      llvm::StringRef(report.file).drop_back(llvm::StringRef(report.file).ends_with(".csv") ? 4 : 0);
  const std::string batches = (stem + ".batches.csv").str();
  if (report.format == "pytorch-csv" && settings.batches.empty() && settings.grouping != model::Grouping::none &&
      llvm::sys::fs::exists(batches))
    report.notes.push_back("each message is taken as a launch of its own; if they are fused as in the file beside this "
                           "one, say --batches " +
                           batches);
}

void verifyInto(Report &report, const Settings &settings, Clock::time_point start, smt::Session &session) {
  report.model = chooseModel(report.program, settings);
  setCommunicators(report.program, settings, report.format, report.model);
  chooseRoom(report, settings);
  addHints(report, settings);
  check::VerifyOptions options;
  options.model = report.model;
  options.strict = settings.strict;
  options.findingsPerRule = settings.findingsPerRule;
  options.limits = settings.limits;
  const model::Costs costs = settings.costs.value_or(model::unitCosts());
  options.limits.costs = costs;
  smt::Budget budget;
  if (settings.hasTimeout)
    budget.deadline =
        start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings.timeout));
  session.setBudget(budget);
  if (settings.log) {
    const report::ModelWords words = report::wordsOf(report.model);
    settings.log->info(
        "{}: {} ranks, {} stages, {} microbatches, {} instructions; model {}, comms {}, group {}, wait {}", report.file,
        report.program.rankCount(), report.program.stageCount(), report.program.microbatches,
        report.program.instructions.size(), words.name, words.comms, words.group, words.wait);
  }
  report.verification = check::verify(report.program, options, session);
  if (settings.timeline)
    report.timeline = check::timelineOf(report.program, report.model, costs, report.verification.slots);
  if (settings.log)
    settings.log->info("{}: {}; Z3 answered {} questions in {:.3f} s, {} were known", report.file,
                       report::verdictOf(report).str(), report.verification.solver.queries,
                       report.verification.solver.seconds, report.verification.solver.reused);
}

// A program without work satisfies everything, and is hardly what anyone meant.
bool hasWork(Report &report) {
  if (report.program.instructions.empty())
    return fail(report, {report.file, 0, 0, "has no instructions; expected a schedule with at least one"});
  if (report.program.mode != Mode::fragment && report.program.microbatches == 0)
    return fail(report, {report.file, 0, 0,
                         "computes nothing for any microbatch; expected a forward pass of at least one (a .pir file "
                         "that is no training step says 'mode fragment')"});
  return true;
}

// The names of the program's pools, for a sentence; a few of them if there are very many.
std::string poolNames(const Program &program) {
  constexpr std::size_t most = 20;
  std::set<llvm::StringRef> names;
  for (const Pool &pool : program.pools)
    names.insert(pool.name);
  std::string text;
  std::size_t k = 0;
  for (const llvm::StringRef name : names) {
    if (k++ == most)
      return text + " and " + std::to_string(names.size() - most) + " more";
    text += (k == 1 ? "" : k == names.size() ? " and " : ", ") + inQuotes(name);
  }
  return text;
}

// A limit on a pool that no rank has is a mistake of the command line, and would hold whatever the schedule does.
bool hasLimitedPools(Report &report, const Settings &settings) {
  for (const check::SlotLimit &limit : settings.limits.slots) {
    if (limit.pool.empty() || llvm::any_of(report.program.pools, [&](const Pool &p) { return p.name == limit.pool; }))
      continue;
    report.misused = true;
    return fail(report, {report.file, 0, 0,
                         "has no pool " + inQuotes(limit.pool) + ", which --max-buffers names; " +
                             (report.program.pools.empty() ? "it has no pools at all"
                                                           : "its pools are " + poolNames(report.program))});
  }
  return true;
}

// Another size or mode than the user says is a mistake of the call, or the file is another than meant, or cut off. In
// either case no verdict about it would be an answer to what was asked.
bool isAsAsked(Report &report, const Settings &settings) {
  const auto refuse = [&](std::string message) {
    report.misused = true;
    return fail(report, {report.file, 0, 0, std::move(message)});
  };
  const Program &program = report.program;
  if (settings.mode && *settings.mode != program.mode)
    return refuse("--mode says " + name(*settings.mode).str() + ", and the file is for " + name(program.mode).str());
  const auto working = [&](std::int32_t rank) { return !program.instructionsOf(RankId(rank)).empty(); };
  const bool several = program.replicas > 1;
  const struct {
    const char *name;
    std::int64_t asked, found;
    const char *which;
  } sizes[] = {
      {"stages", settings.sizes.stages, program.stagesPerReplica, several ? " in each replica" : ""},
      {"ranks", settings.sizes.ranks, llvm::count_if(llvm::seq(program.rankCount()), working), " with instructions"},
      {"microbatches", settings.sizes.microbatches, std::int64_t(program.microbatches) * program.replicas,
       several ? " in all replicas together" : ""},
  };
  for (const auto &size : sizes) {
    if (size.asked == 0)
      continue;
    if (program.mode == Mode::fragment)
      return refuse(std::string("--") + size.name + " has no meaning for a fragment, of which any part may be missing");
    if (size.asked != size.found)
      return refuse(std::string("--") + size.name + " says " + std::to_string(size.asked) + ", and the file has " +
                    std::to_string(size.found) + size.which);
  }
  return true;
}

Report finish(Report report, bool loaded, const Settings &settings, Clock::time_point start, smt::Session &session) {
  if (loaded && hasWork(report) && isAsAsked(report, settings) && hasLimitedPools(report, settings))
    verifyInto(report, settings, start, session);
  if (!settings.reproducible)
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

} // namespace

bool load(const std::string &file, const Settings &settings, Report &report) {
  report.file = file == "-" ? "<stdin>" : file;
  report.format = frontend::name(settings.from).str();
  Result<std::string> text = readFile(file);
  if (!text)
    return fail(report, text.error());
  return loadText(report.file, std::move(*text), settings, report);
}

Report judge(const std::string &file, const Settings &settings, smt::Session &session) {
  const auto start = Clock::now();
  Report report;
  const bool loaded = load(file, settings, report);
  return finish(std::move(report), loaded, settings, start, session);
}

Report judge(const std::string &file, const Settings &settings) {
  smt::Session session(settings.jobs);
  return judge(file, settings, session);
}

Report judgeProgram(const std::string &name, Program program, const Settings &settings, smt::Session &session) {
  const auto start = Clock::now();
  Report report;
  report.file = name;
  report.program = std::move(program);
  return finish(std::move(report), true, settings, start, session);
}

Report judgeText(const std::string &name, std::string text, const Settings &settings) {
  const auto start = Clock::now();
  smt::Session session(settings.jobs);
  Report report;
  const bool loaded = loadText(name, std::move(text), settings, report);
  return finish(std::move(report), loaded, settings, start, session);
}

} // namespace plumbline::cli
