#include "verifier/report/trace.h"

#include "verifier/ir/words.h"
#include "verifier/report/trace_events.h"
#include "verifier/report/trace_layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace plumbline::report {
namespace {

using check::Finding;
using check::Timeline;
using llvm::json::OStream;

std::string utf8(llvm::StringRef text) { return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text); }

std::size_t indexOf(InstructionId i) { return static_cast<std::size_t>(i.value()); }

// Something to print, and when. Of what is at one time, the order in which it was made counts.
struct Entry {
  enum class Kind : std::uint8_t { bar, arrow_begin, arrow_end, counter, mark };

  std::int64_t at = 0; // microseconds
  Kind kind = Kind::bar;
  std::uint32_t index = 0; // of an instruction, a sample or a mark
};

// A counter of a pool's live slots takes this value.
struct Sample {
  PoolId pool;
  std::int64_t live = 0;
};

struct Mark {
  TraceScope scope = TraceScope::everything;
  TraceRow row;
  std::string name, category, message;
  SourceLocation location;
};

class TracePrinter {
public:
  // `rows` has the row of each lane.
  TracePrinter(const Report &report, llvm::ArrayRef<std::int32_t> rows, std::int32_t firstProcess,
               std::int64_t firstArrow)
      : report_(report), program_(report.program), timeline_(*report.timeline), layout_(layOut(program_, timeline_)),
        rows_(rows), firstProcess_(firstProcess), firstArrow_(firstArrow) {}

  void print(llvm::raw_ostream &out) {
    addInstructions();
    addCounters();
    addMarks();
    llvm::stable_sort(entries_, [](const Entry &a, const Entry &b) { return a.at < b.at; });
    TraceEvents events(out);
    for (const Entry &entry : entries_)
      print(entry, events);
  }

private:
  void add(std::int64_t at, Entry::Kind kind, std::size_t index) {
    entries_.push_back({at, kind, static_cast<std::uint32_t>(index)});
  }

  // Outer bars come first, and an arrow before what would cover its bar.
  void addInstructions() {
    for (const auto &lane : layout_.lanes)
      for (const InstructionId i : lane) {
        const std::size_t k = indexOf(i);
        add(layout_.begin[k], Entry::Kind::bar, k);
        const InstructionId partner = timeline_.partner[k];
        if (!partner.valid() || timeline_.end[indexOf(isSend(program_.at(i).opcode) ? partner : i)] < 0)
          continue;
        if (isSend(program_.at(i).opcode))
          add(layout_.begin[k], Entry::Kind::arrow_begin, k);
        else
          add(layout_.end[k] - TraceLayout::step, Entry::Kind::arrow_end, k);
      }
  }

  void addCounters() {
    std::vector<std::pair<std::int64_t, std::int64_t>> changes; // time, and how many more
    for (std::size_t first = 0, end = 0; first < timeline_.lives.size(); first = end) {
      const PoolId pool = timeline_.lives[first].pool;
      changes.assign(1, {0, 0});
      for (end = first; end < timeline_.lives.size() && timeline_.lives[end].pool == pool; ++end)
        addChanges(timeline_.lives[end], changes);
      llvm::sort(changes);
      addSamples(pool, changes);
    }
  }

  void addChanges(const Timeline::Life &life, std::vector<std::pair<std::int64_t, std::int64_t>> &changes) const {
    if (timeline_.begin[indexOf(life.birth)] < 0)
      return;
    changes.emplace_back(inMicroseconds(timeline_.begin[indexOf(life.birth)], timeline_.costs), 1);
    if (!life.open)
      changes.emplace_back(inMicroseconds(timeline_.end[indexOf(life.last)], timeline_.costs), -1);
  }

  // What ends and what begins at one time is one change, and none if both are equal.
  void addSamples(PoolId pool, llvm::ArrayRef<std::pair<std::int64_t, std::int64_t>> changes) {
    std::int64_t live = 0, shown = -1;
    for (std::size_t k = 0; k < changes.size(); ++k) {
      live += changes[k].second;
      if ((k + 1 < changes.size() && changes[k + 1].first == changes[k].first) || live == shown)
        continue;
      add(changes[k].first, Entry::Kind::counter, samples_.size());
      samples_.push_back({pool, live});
      shown = live;
    }
  }

  void addMarks() {
    for (const Finding &finding : report_.verification.findings)
      addFinding(finding);
    for (const auto &dropped : report_.verification.dropped)
      addMark(0, {TraceScope::everything,
                  {firstProcess_, 0},
                  nameOf(dropped.rule),
                  "not shown",
                  counted(dropped.count, "more finding") + " not shown",
                  {}});
    for (const std::string &question : report_.verification.undecided)
      addMark(0, {TraceScope::everything, {firstProcess_, 0}, "undecided", "undecided", question, {}});
  }

  void addFinding(const Finding &finding) {
    Mark mark;
    const check::Rule *rule = check::findRule(static_cast<unsigned>(finding.rule));
    mark.name = nameOf(finding.rule) + " " + rule->title;
    mark.category = nameOf(finding.severity).str();
    mark.message = finding.message;
    mark.location = finding.location;
    mark.row = {firstProcess_ + std::max(finding.rank.value(), 0), 0};
    mark.scope = finding.rank.valid() ? TraceScope::process : TraceScope::everything;
    std::int64_t at = 0;
    if (finding.instruction.valid()) {
      mark.scope = TraceScope::row;
      mark.row = rowOf(finding.instruction);
      at = placeOf(finding.instruction);
    }
    addMark(at, std::move(mark));
  }

  void addMark(std::int64_t at, Mark mark) {
    add(at, Entry::Kind::mark, marks_.size());
    marks_.push_back(std::move(mark));
  }

  // The begin of its bar; of what never begins the end of its lane, where it would come.
  [[nodiscard]] std::int64_t placeOf(InstructionId i) const {
    if (layout_.begin[indexOf(i)] >= 0)
      return layout_.begin[indexOf(i)];
    std::int64_t at = 0;
    for (const InstructionId earlier : layout_.lanes[timeline_.laneOf[indexOf(i)]])
      at = std::max(at, layout_.end[indexOf(earlier)]);
    return at;
  }

  void print(const Entry &entry, TraceEvents &events) const {
    const InstructionId i(static_cast<std::int32_t>(entry.index));
    const std::int64_t at = 1000 * entry.at;
    switch (entry.kind) {
    case Entry::Kind::bar:
      printBar(i, events);
      break;
    case Entry::Kind::arrow_begin:
      events.arrowBegin(rowOf(i), firstArrow_ + i.value(), at);
      break;
    case Entry::Kind::arrow_end: // named after its send
      events.arrowEnd(rowOf(i), firstArrow_ + timeline_.partner[entry.index].value(), at);
      break;
    case Entry::Kind::counter:
      printSample(samples_[entry.index], at, events);
      break;
    case Entry::Kind::mark:
      printMark(marks_[entry.index], at, events);
      break;
    }
  }

  void printBar(InstructionId i, TraceEvents &events) const {
    const Instruction &instruction = program_.at(i);
    const std::size_t k = indexOf(i);
    const bool stuck = timeline_.end[k] < 0;
    events.bar(rowOf(i), plumbline::nameOf(program_, i) + (stuck ? " (never ends)" : ""), name(instruction.opcode),
               1000 * layout_.begin[k], 1000 * layout_.end[k], [&](OStream &json) {
                 printInstruction(json, instruction);
                 json.attribute("begin", model::inUnits(timeline_.begin[k], timeline_.costs));
                 if (!stuck)
                   json.attribute("end", model::inUnits(timeline_.end[k], timeline_.costs));
                 printSlots(json, "reads", instruction, AccessMode::read);
                 printSlots(json, "writes", instruction, AccessMode::write);
               });
  }

  void printSlots(OStream &json, const char *key, const Instruction &instruction, AccessMode mode) const {
    std::string names;
    for (const SlotAccess &access : program_.accessesOf(instruction))
      if (access.mode == mode)
        names += (names.empty() ? "" : ", ") + slotName(program_, access);
    if (!names.empty())
      json.attribute(key, utf8(names));
  }

  void printSample(const Sample &sample, std::int64_t at, TraceEvents &events) const {
    const Pool &pool = program_.pools[static_cast<std::size_t>(sample.pool.value())];
    events.counter(firstProcess_ + pool.rank.value(), "slots of " + pool.name, "live", at, sample.live);
  }

  void printMark(const Mark &mark, std::int64_t at, TraceEvents &events) const {
    events.mark(mark.row, mark.scope, mark.name, mark.category, at, [&](OStream &json) {
      json.attribute("message", utf8(mark.message));
      if (mark.location.valid()) {
        json.attribute("file", utf8(fileOf(program_, mark.location)));
        json.attribute("line", mark.location.line);
      }
    });
  }

  [[nodiscard]] TraceRow rowOf(InstructionId i) const {
    return {firstProcess_ + program_.at(i).rank.value(), rows_[timeline_.laneOf[indexOf(i)]]};
  }

  const Report &report_;
  const Program &program_;
  const Timeline &timeline_;
  const TraceLayout layout_;
  const llvm::ArrayRef<std::int32_t> rows_;
  const std::int32_t firstProcess_;
  const std::int64_t firstArrow_;
  std::vector<Entry> entries_;
  std::vector<Sample> samples_;
  std::vector<Mark> marks_;
};

std::string rowName(const Report &report, const Timeline::Lane &lane) {
  if (lane.communicator.valid())
    return report.program.communicators[static_cast<std::size_t>(lane.communicator.value())].name;
  return report.model.kind == model::Kind::blocking ? "everything" : "computing";
}

std::size_t rankOf(const Timeline &timeline, std::uint32_t lane) {
  return static_cast<std::size_t>(timeline.lanes[lane].rank.value());
}

// On every rank computing comes first, and then the communicators in the order of the program.
std::vector<std::uint32_t> lanesInOrder(const Timeline &timeline) {
  auto lanes = llvm::to_vector(llvm::seq(static_cast<std::uint32_t>(timeline.lanes.size())));
  llvm::stable_sort(lanes, [&](std::uint32_t a, std::uint32_t b) {
    return timeline.lanes[a].communicator < timeline.lanes[b].communicator;
  });
  return {lanes.begin(), lanes.end()};
}

} // namespace

void TraceDocument::add(const Report &report) {
  if (report.invalid)
    return;
  const Program &program = report.program;
  File file{report.file, std::vector<Rank>(static_cast<std::size_t>(program.rankCount()))};
  std::vector<std::int32_t> rows(report.timeline->lanes.size());
  for (const std::uint32_t lane : lanesInOrder(*report.timeline)) {
    std::vector<std::string> &names = file.ranks[rankOf(*report.timeline, lane)].rows;
    rows[lane] = static_cast<std::int32_t>(names.size());
    names.push_back(rowName(report, report.timeline->lanes[lane]));
  }
  std::vector<std::size_t> missing(file.ranks.size());
  for (std::size_t k = 0; k < program.instructions.size(); ++k)
    missing[static_cast<std::size_t>(program.instructions[k].rank.value())] += report.timeline->begin[k] < 0;
  for (const auto &[rank, count] : llvm::enumerate(missing)) {
    file.ranks[rank].name = "rank " + std::to_string(rank);
    if (count > 0)
      file.ranks[rank].label = counted(count, "instruction") + (count == 1 ? " never begins" : " never begin");
  }
  std::string events;
  llvm::raw_string_ostream out(events);
  TracePrinter(report, rows, processes_, arrows_).print(out);
  if (!events.empty())
    events_ += (events_.empty() ? "" : ",\n") + events;
  processes_ += program.rankCount();
  arrows_ += static_cast<std::int64_t>(program.instructions.size());
  files_.push_back(std::move(file));
}

void TraceDocument::print(llvm::raw_ostream &out) const {
  printTraceDocument(out, "1 ms is one unit: the time of a forward pass, unless costs are given",
                     [&](TraceEvents &events) {
                       std::int32_t process = 0;
                       for (const File &file : files_)
                         for (const Rank &rank : file.ranks) {
                           const std::string name = rank.name + (files_.size() > 1 ? " of " + file.name : "");
                           events.nameProcess(process, name);
                           if (!rank.label.empty())
                             events.labelProcess(process, rank.label);
                           for (const auto &[row, rowText] : llvm::enumerate(rank.rows))
                             events.nameRow({process, static_cast<std::int32_t>(row)}, rowText);
                           ++process;
                         }
                       events.add(events_);
                     });
}

} // namespace plumbline::report
