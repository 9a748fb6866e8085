#include "verifier/cli/diff.h"

#include "verifier/cli/exit_code.h"
#include "verifier/cli/files.h"
#include "verifier/cli/judge_many.h"
#include "verifier/cli/progress.h"
#include "verifier/cli/verify_command.h"
#include "verifier/compare/file_difference.h"
#include "verifier/compare/pairing.h"
#include "verifier/report/difference_json.h"
#include "verifier/report/difference_markdown.h"
#include "verifier/report/difference_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"

namespace plumbline::cli {
namespace {

using compare::FileDifference;
using compare::FilePair;
using compare::FileStatus;

int complain(const std::string &message) {
  llvm::errs() << "plumbline: " << message << '\n';
  return unusableCode;
}

// The two lists of files, or why there are none.
struct Versions {
  std::vector<Input> base, next;
  bool folders = false;
  std::string wrong;
};

Versions findVersions(const CommandLine &line) {
  Versions versions;
  const std::string &base = line.files[0], &next = line.files[1];
  if (base == "-" && next == "-")
    return {{}, {}, false, "diff reads one version from standard input, not both"};
  const auto isFolder = [](const std::string &name) { return name != "-" && llvm::sys::fs::is_directory(name); };
  versions.folders = isFolder(next);
  versions.base = findInputs({base}, line.rules);
  versions.next = findInputs({next}, line.rules);
  // All schedules may be new. That all are gone is rather a mistake, and no reason to pass.
  if (versions.base.front().wrong == holdsNoSchedules)
    versions.base.clear();
  // A file of the old folder that cannot be read is as if it were not there.
  llvm::erase_if(versions.base, [&](const Input &input) { return !input.wrong.empty() && input.file != base; });
  for (const std::vector<Input> *inputs : {&versions.base, &versions.next})
    for (const Input &input : *inputs)
      if (!input.wrong.empty())
        versions.wrong = input.file + ": " + input.wrong;
      else if (input.file != "-" && !llvm::sys::fs::exists(input.file))
        versions.wrong = input.file + ": does not exist";
  if (isFolder(base) != isFolder(next))
    versions.wrong = "diff compares two files or two folders: one of " + base + " and " + next + " is a folder";
  else if (!versions.folders && (versions.base.size() > 1 || versions.next.size() > 1))
    versions.wrong = "diff compares two files or two folders, and a pattern means several files";
  return versions;
}

// A digest of all that is read for the input; empty if that is not known. What is no regular file can be read only
// once.
std::string contentOf(const Input &input) {
  llvm::SHA256 hash;
  for (const std::string &file : {input.file, input.batches}) {
    if (file.empty())
      continue;
    if (file == "-" || !llvm::sys::fs::is_regular_file(file))
      return "";
    const Result<std::string> text = readFile(file);
    if (!text)
      return "";
    hash.update(std::to_string(text->size()) + ":");
    hash.update(*text);
  }
  return llvm::toHex(hash.final());
}

std::string shownName(const Input &input) { return input.file == "-" ? "<stdin>" : input.file; }

std::vector<FilePair> pairUp(const Versions &versions) {
  const auto contents = [&](llvm::ArrayRef<Input> inputs) {
    std::vector<compare::NamedContent> result;
    for (const Input &input : inputs)
      result.push_back({input.relative, contentOf(input)});
    return result;
  };
  const std::vector<compare::NamedContent> base = contents(versions.base), next = contents(versions.next);
  if (versions.folders)
    return compare::pairFiles(base, next);
  return {{0, 0, !next[0].content.empty() && base[0].content == next[0].content}};
}

// One of three, as the command line says.
class Document {
public:
  explicit Document(const CommandLine &line)
      : format_(line.diffFormat), text_(styleFor(line)), json_(line.files[0], line.files[1], line.allowance) {}

  void add(const FileDifference &file) {
    totals_.add(file);
    if (format_ == DiffFormat::text)
      text_.add(file);
    else if (format_ == DiffFormat::json)
      json_.add(file);
    else
      markdown_.add(file);
  }

  void print(llvm::raw_ostream &out) const {
    if (format_ == DiffFormat::text)
      text_.print(totals_, out);
    else if (format_ == DiffFormat::json)
      json_.print(totals_, out);
    else
      markdown_.print(totals_, out);
  }

  [[nodiscard]] compare::Outcome outcome() const { return totals_.outcome(); }

private:
  DiffFormat format_;
  compare::Totals totals_;
  report::DifferenceText text_;
  report::DifferenceJson json_;
  report::DifferenceMarkdown markdown_;
};

// Takes the reports in the order of the pairs, of each the base first, and compares.
class Comparing {
public:
  Comparing(const Versions &versions, llvm::ArrayRef<FilePair> pairs, const compare::Allowance &allowance,
            Document &document)
      : versions_(versions), pairs_(pairs), allowance_(allowance), document_(document) {
    addRemoved();
  }

  // What has to be judged. Of equal contents one is enough, and what was removed needs no verdict.
  [[nodiscard]] std::vector<Input> inputs() const {
    std::vector<Input> result;
    for (const FilePair &pair : pairs_) {
      if (isJudgedTwice(pair))
        result.push_back(versions_.base[*pair.base]);
      if (pair.next)
        result.push_back(versions_.next[*pair.next]);
    }
    return result;
  }

  void take(report::Report report) {
    const FilePair &pair = pairs_.front();
    if (isJudgedTwice(pair) && !base_) {
      base_ = std::move(report);
      return;
    }
    addPair(pair, !pair.base ? nullptr : base_ ? &*base_ : &report, report);
    base_.reset();
    pairs_ = pairs_.drop_front();
    addRemoved();
  }

private:
  static bool isJudgedTwice(const FilePair &pair) { return pair.base && pair.next && !pair.equal; }

  void addPair(const FilePair &pair, const report::Report *base, const report::Report &next) {
    FileDifference file;
    const Input &input = versions_.next[*pair.next];
    file.name = versions_.folders ? input.relative : shownName(input);
    file.next = shownName(input);
    if (pair.base)
      file.base = shownName(versions_.base[*pair.base]);
    const bool sameName = !versions_.folders || !pair.base || versions_.base[*pair.base].relative == input.relative;
    file.status = !pair.base   ? FileStatus::added
                  : !sameName  ? FileStatus::renamed
                  : pair.equal ? FileStatus::unchanged
                               : FileStatus::compared;
    file.baseReport = base;
    file.nextReport = &next;
    file.comparison = compare::compare(base, next, allowance_);
    document_.add(file);
  }

  void addRemoved() {
    for (; !pairs_.empty() && !pairs_.front().next; pairs_ = pairs_.drop_front()) {
      const Input &input = versions_.base[*pairs_.front().base];
      FileDifference file;
      file.status = FileStatus::removed;
      file.name = input.relative;
      file.base = input.file;
      document_.add(file);
    }
  }

  const Versions &versions_;
  llvm::ArrayRef<FilePair> pairs_; // those that are not done
  const compare::Allowance &allowance_;
  Document &document_;
  std::optional<report::Report> base_; // of the first of them
};

int codeOf(compare::Outcome outcome) {
  switch (outcome) {
  case compare::Outcome::fine:
    return verifiedCode;
  case compare::Outcome::undecided:
    return undecidedCode;
  case compare::Outcome::worse:
    return rejectedCode;
  case compare::Outcome::unusable:
    break;
  }
  return unusableCode;
}

} // namespace

int diffFiles(const CommandLine &line) {
  const Versions versions = findVersions(line);
  if (!versions.wrong.empty())
    return complain(versions.wrong);
  Settings settings = line.settings;
  settings.timeline = true;
  settings.reproducible = true;
  settings.findingsPerRule = comparedFindingsPerRule;
  Document document(line);
  {
    const std::vector<FilePair> pairs = pairUp(versions);
    Comparing comparing(versions, pairs, line.allowance, document);
    const std::vector<Input> inputs = comparing.inputs();
    Progress progress("plumbline: comparing", inputs.size());
    judgeMany(inputs, settings, [&](report::Report report) {
      comparing.take(std::move(report));
      progress.advance([] {});
    });
  }
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) { document.print(out); });
  return wrong.empty() ? codeOf(document.outcome()) : complain(wrong);
}

} // namespace plumbline::cli
