#include "runtime/cli/run.h"

#include "runtime/admission/admission.h"
#include "runtime/cli/options.h"
#include "runtime/cli/stage_choice.h"
#include "runtime/data/sample_text.h"
#include "runtime/data/text_source.h"
#include "runtime/train/interrupts.h"
#include "runtime/train/summary.h"
#include "runtime/train/trace.h"
#include "runtime/train/trainer.h"
#include "verifier/certificate/program_hash.h"
#include "verifier/cli/files.h"
#include "verifier/ir/pir_parse.h"
#include "verifier/ir/words.h"
#include "verifier/model/defaults.h"
#include "verifier/model/words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace plumbline::runtime {
namespace {

constexpr int doneCode = 0, failedCode = 1, refusedCode = 2, interruptedCode = 130;

int refuse(const std::string &message) {
  llvm::errs() << "plumbline run: " << message << '\n';
  return refusedCode;
}

std::string textOf(const Diagnostic &d) {
  std::string text = d.file;
  if (d.line > 0)
    text += ":" + std::to_string(d.line) + ":" + std::to_string(d.column);
  return (text.empty() ? "" : text + ": ") + d.message;
}

// Whoever starts us with a closed input or output must not have a file or a pipe of ours taken for it.
void openStandardFiles() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    while (::fcntl(file, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) >= 0) {
    }
}

// One run, from its options to its end. What is made first is needed longest.
class Run {
public:
  Run(RunOptions options, const BackendKind &kind) : options_(std::move(options)), kind_(kind) {}

  // Empty, or why nothing is run.
  std::string prepare() {
    std::string wrong;
    for (const auto part : {&Run::readProgram, &Run::admit, &Run::readData, &Run::plan, &Run::lookAtOutputs})
      if (wrong.empty())
        wrong = (this->*part)();
    const std::string others = kind_.allReady ? kind_.allReady(wrong.empty(), wrong.empty() ? fingerprint() : 0) : "";
    if (!wrong.empty() || !others.empty())
      return wrong.empty() ? others : wrong;
    return open();
  }

  int train() {
    running_ = true;
    const LogStyle style = styleOfLog();
    Log log(style, style == LogStyle::progress ? llvm::errs() : llvm::outs());
    const TrainingEnd end = runtime::train(*backend_, trainingPlan(), stopAfterStep_, log);
    if (end.problem.empty() && end.steps == 0 && end.last.end == End::finished && !end.interrupted &&
        backend_->speaks())
      llvm::errs() << "plumbline run: the checkpoint has all " << options_.steps << " steps; nothing was left to do\n";
    if (!end.problem.empty()) {
      llvm::errs() << "plumbline run: " << end.problem << '\n';
      return failedCode;
    }
    if (end.last.end == End::failed || end.last.end == End::stuck) {
      explain(end.last);
      return failedCode;
    }
    if (const std::string wrong = conclude(end, style); !wrong.empty()) {
      llvm::errs() << "plumbline run: " << wrong << '\n';
      return failedCode;
    }
    return end.interrupted ? interruptedCode : doneCode;
  }

  // Called on a thread of its own; before the first step there is nothing to end cleanly.
  void interrupt(bool again) {
    if (!running_ || stopsNow_)
      std::_Exit(interruptedCode);
    stopsNow_ = again;
    if (again)
      backend_->stop();
    else if (!stopAfterStep_.exchange(true))
      llvm::errs() << "\nplumbline run: stopping after this step; once more to stop now\n";
  }

private:
  std::string readProgram() {
    Result<std::string> text = cli::readFile(options_.file);
    if (!text)
      return textOf(text.error());
    Result<Program> program = parsePir(options_.file == "-" ? "<stdin>" : options_.file, *text);
    if (!program)
      return textOf(program.error()) +
             "\nplumbline run: a schedule in another form becomes .pir with `plumbline lower`";
    program_ = std::move(*program);
    if (program_.mode == Mode::fragment || program_.stagesPerReplica == 0 || program_.microbatches == 0)
      return options_.file + ": is no step of training or inference that could be run";
    return "";
  }

  // The switches that the command line sets.
  model::Options overridden(model::Options model) const {
    model.kind = options_.kind.value_or(model.kind);
    model.grouping = options_.grouping.value_or(model.grouping);
    if (options_.kind || options_.grouping)
      model.wait = model::defaultWait(program_, model.kind, model.grouping);
    model.wait = options_.wait.value_or(model.wait);
    model.connect = options_.connect.value_or(model.connect);
    model.room = options_.room.value_or(model.room);
    model.roomBytes = options_.roomBytes.value_or(model.roomBytes);
    model.plan = options_.plan.value_or(model.plan);
    model.streams = model::Streams::independent;
    return model;
  }

  std::string admit() {
    if (options_.allowUnverified) {
      model_ = overridden(model::defaultsFor(program_));
      llvm::errs() << "plumbline run: WARNING: " << options_.file
                   << " runs unverified: it may hang, or train on wrong gradients\n";
      return kind_.refuse(model_);
    }
    for (const std::string &file : options_.certificates) {
      Result<std::string> text = cli::readFile(file);
      if (!text)
        return textOf(text.error());
      Result<std::vector<certificate::Certificate>> read = certificate::parse(file, *text);
      if (!read)
        return textOf(read.error());
      certificates_.insert(certificates_.end(), read->begin(), read->end());
    }
    const std::string hash = certificate::hashOf(program_);
    const auto own = llvm::find_if(certificates_, [&](const auto &each) { return each.programHash == hash; });
    model_ = overridden((own == certificates_.end() ? certificates_.begin() : own)->model);
    const std::string why = whyNot(program_, certificates_, kind_.behaviours(model_));
    return why.empty() ? kind_.refuse(model_) : options_.file + ": refused: " + why;
  }

  std::string readData() {
    std::string text = sampleText;
    if (!options_.data.empty()) {
      Result<std::string> read = cli::readFile(options_.data);
      if (!read)
        return textOf(read.error());
      text = std::move(*read);
      if (text.empty())
        return options_.data + ": is empty";
    }
    dataHash_ = llvm::xxh3_64bits(text);
    data_ = std::make_unique<TextSource>(std::move(text), options_.seed);
    return "";
  }

  std::string plan() {
    Result<const plumbline_stage_functions *> functions = chooseStage(options_.stage, kind_.bundledStage);
    if (!functions)
      return textOf(functions.error());
    Result<RunPlan> run =
        planRun(program_, {*functions, options_.stageOptions, options_.seed}, options_.copies, kind_.device);
    if (!run)
      return textOf(run.error());
    run_ = std::move(*run);
    std::string wrong;
    plan_ = makePlan(program_, model_, wrong);
    return wrong;
  }

  // Of all that processes of one run have to have in common.
  [[nodiscard]] std::uint64_t fingerprint() const {
    const RunOptions &o = options_;
    std::string text;
    for (const std::string &part :
         {certificate::hashOf(program_), model::describe(model_), o.stage, o.stageOptions, o.checkpoint})
      text += part + '\n';
    for (const std::uint64_t number :
         {o.seed, dataHash_, llvm::bit_cast<std::uint64_t>(o.learningRate), static_cast<std::uint64_t>(o.steps),
          static_cast<std::uint64_t>(o.saveEvery), static_cast<std::uint64_t>(o.copies), std::uint64_t(o.resume),
          std::uint64_t(o.check)})
      text += std::to_string(number) + '\n';
    return llvm::xxh3_64bits(text);
  }

  // What is written only after hours had better be possible now.
  std::string lookAtOutputs() {
    if (!options_.checkpoint.empty()) {
      std::error_code error = llvm::sys::fs::create_directories(options_.checkpoint);
      if (!error)
        error = llvm::sys::fs::access(options_.checkpoint, llvm::sys::fs::AccessMode::Write);
      if (!error && !llvm::sys::fs::is_directory(options_.checkpoint))
        error = std::make_error_code(std::errc::not_a_directory);
      if (error)
        return options_.checkpoint + ": checkpoints cannot be written there: " + error.message();
      if (!options_.resume && llvm::sys::fs::exists(options_.checkpoint + "/latest"))
        return options_.checkpoint + ": holds a checkpoint already; --resume goes on with it, another folder keeps it";
    }
    if (options_.trace.empty() || options_.trace == "-")
      return "";
    const bool there = llvm::sys::fs::exists(options_.trace);
    const llvm::StringRef folder = llvm::sys::path::parent_path(options_.trace);
    const std::string place = there ? options_.trace : folder.empty() ? "." : folder.str();
    const std::error_code error = llvm::sys::fs::access(place, llvm::sys::fs::AccessMode::Write);
    const bool isFolder = there && llvm::sys::fs::is_directory(options_.trace);
    if (error || isFolder)
      return options_.trace + ": the trace cannot be written there: " + (error ? error.message() : "is a directory");
    return "";
  }

  std::string open() {
    Result<std::unique_ptr<Backend>> backend = kind_.make({&program_, model_, &run_, data_.get(), options_.check});
    if (!backend)
      return textOf(backend.error());
    backend_ = std::move(*backend);
    return "";
  }

  [[nodiscard]] LogStyle styleOfLog() const {
    if (options_.format)
      return *options_.format;
    return llvm::sys::Process::StandardErrIsDisplayed() && llvm::sys::Process::StandardOutIsDisplayed()
               ? LogStyle::progress
               : LogStyle::json;
  }

  [[nodiscard]] TrainingPlan trainingPlan() const {
    TrainingPlan plan;
    plan.steps = options_.steps;
    plan.learningRate = static_cast<float>(options_.learningRate);
    const plumbline_extent input = run_.inputOfFirstStage;
    if (input.element == PLUMBLINE_I32)
      plan.tokensPerStep =
          static_cast<std::int64_t>(input.count) * program_.microbatches * program_.replicas * options_.copies;
    plan.checkpoint = options_.checkpoint;
    plan.saveEvery = options_.saveEvery;
    plan.resume = options_.resume;
    plan.identity = {options_.stage, options_.stageOptions, options_.seed, program_.stagesPerReplica};
    return plan;
  }

  void explain(const StepResult &result) const {
    llvm::raw_ostream &out = llvm::errs();
    if (result.end == End::stuck) {
      out << options_.file << ": error: the step hangs: nothing can happen any more\n";
      for (const std::string &line : result.stuck)
        out << "  " << line << '\n';
      return;
    }
    if (result.failure.instruction == none) {
      out << options_.file << ": error: " << result.failure.message << '\n';
      return;
    }
    const Instruction &i = program_.instructions[result.failure.instruction];
    const SourceLocation place = i.location;
    out << options_.file << ':' << place.line << ':' << place.column << ": error: ";
    const std::string name = fullNameOf(program_, InstructionId(static_cast<std::int32_t>(result.failure.instruction)));
    // What --check says begins with the instruction already.
    if (!llvm::StringRef(result.failure.message).starts_with(name))
      out << name << " failed: ";
    out << result.failure.message << '\n';
  }

  [[nodiscard]] std::int32_t leastOf(PoolId pool) const {
    const Pool &p = program_.pools[static_cast<std::size_t>(pool.value())];
    for (const certificate::Certificate &c : certificates_)
      for (const certificate::SlotClaim &claim : c.slots)
        if (claim.rank == p.rank.value() && claim.pool == p.name)
          return claim.least;
    return -1;
  }

  std::string conclude(const TrainingEnd &end, LogStyle style) {
    if (end.steps == 0 || !backend_->speaks())
      return "";
    const Summary summary = summarize(
        plan_, *backend_, [this](PoolId pool) { return leastOf(pool); }, end.steps, end.seconds);
    if (style == LogStyle::json)
      printSummaryJson(summary, llvm::outs());
    else
      printSummary(summary, llvm::outs());
    if (options_.trace.empty())
      return "";
    return cli::writeFile(options_.trace, [&](llvm::raw_ostream &out) { printTrace(plan_, backend_->spans(), out); });
  }

  const RunOptions options_;
  const BackendKind &kind_;
  Program program_;
  std::vector<certificate::Certificate> certificates_;
  model::Options model_;
  std::unique_ptr<TextSource> data_;
  RunPlan run_;
  Plan plan_;
  std::unique_ptr<Backend> backend_;
  std::uint64_t dataHash_ = 0;
  std::atomic<bool> running_{false}, stopAfterStep_{false};
  bool stopsNow_ = false; // of the thread of interrupt() alone
};

} // namespace

std::string whyNotTogether(llvm::ArrayRef<std::uint64_t> readyAndPlan) {
  for (std::size_t k = 0; k < readyAndPlan.size(); k += 2)
    if (readyAndPlan[k] == 0)
      return "process " + std::to_string(k / 2) + " refuses to run; what it printed says why";
  for (std::size_t k = 0; k < readyAndPlan.size(); k += 2)
    if (readyAndPlan[k + 1] != readyAndPlan[1])
      return "process " + std::to_string(k / 2) +
             " has another program, text or other arguments than process 0; all need the same";
  return "";
}

int runCommand(int argc, char **argv, const BackendKind &kind) {
  openStandardFiles();
  RunOptions options;
  if (!parseRunOptions(argc, argv, kind.describeStages(), options)) {
    if (kind.allReady)
      (void)kind.allReady(false, 0);
    return refusedCode;
  }
  Run run(std::move(options), kind);
  const Interrupts interrupts([&run] { run.interrupt(false); }, [&run] { run.interrupt(true); });
  if (const std::string wrong = run.prepare(); !wrong.empty())
    return refuse(wrong);
  int code = run.train();
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    llvm::outs().clear_error();
    llvm::errs() << "plumbline run: standard output cannot be written\n";
    code = failedCode;
  }
  llvm::errs().clear_error();
  return code;
}

} // namespace plumbline::runtime
