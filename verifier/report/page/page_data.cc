#include "verifier/report/page/page_data.h"

#include "verifier/ir/words.h"
#include "verifier/report/excerpt.h"
#include "verifier/report/page/clashes.h"
#include "verifier/report/page/columns.h"
#include "verifier/report/page/instruction_names.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace plumbline::report {
namespace {

using llvm::json::OStream;

InstructionId idOf(std::size_t k) { return InstructionId(static_cast<std::int32_t>(k)); }

class PageData {
public:
  PageData(const Report &report, OStream &json) : report_(report), program_(report.program), json_(json) {}

  void print() {
    json_.object([&] {
      json_.attribute("file", printable(report_.file));
      json_.attribute("format", printable(report_.format));
      json_.attribute("verdict", verdictOf(report_));
      if (report_.invalid) {
        printError(*report_.invalid);
        return;
      }
      json_.attribute("why", printable(report_.why));
      printTexts("notes", report_.notes);
      printTexts("undecided", report_.verification.undecided);
      printSizes();
      printModel();
      printTimes();
      printTables();
      printFindings();
      json_.attributeObject("columns", [&] {
        printInstructions();
        printTouches();
        printLives();
      });
    });
  }

private:
  void printError(const Diagnostic &error) {
    json_.attributeObject("error", [&] {
      json_.attribute("message", printable(error.message));
      json_.attribute("file", printable(error.file));
      json_.attribute("line", error.line);
      json_.attribute("column", error.column);
      json_.attribute("excerpt", excerptOf(error.file, error.line, error.column));
    });
  }

  void printTexts(llvm::StringRef key, llvm::ArrayRef<std::string> texts) {
    json_.attributeArray(key, [&] {
      for (const std::string &text : texts)
        json_.value(printable(text));
    });
  }

  void printSizes() {
    json_.attribute("lives", static_cast<std::int64_t>(report_.timeline->lives.size()));
    json_.attributeObject("program", [&] {
      json_.attribute("ranks", program_.rankCount());
      json_.attribute("stages", program_.stageCount());
      json_.attribute("stagesPerReplica", program_.stagesPerReplica);
      json_.attribute("microbatches", program_.microbatches);
      json_.attribute("replicas", program_.replicas);
      json_.attribute("instructions", static_cast<std::int64_t>(program_.instructions.size()));
      json_.attribute("mode", name(program_.mode));
    });
  }

  // Only switches that this model has.
  void printModel() {
    const ModelWords words = wordsOf(report_.model);
    const bool blocking = report_.model.kind == model::Kind::blocking;
    json_.attributeArray("model", [&] {
      const auto pair = [&](llvm::StringRef key, llvm::StringRef value) {
        json_.array([&] {
          json_.value(key);
          json_.value(value);
        });
      };
      pair("model", words.name);
      pair("room", words.room);
      if (report_.model.roomBytes >= 0)
        pair("room-bytes", std::to_string(report_.model.roomBytes));
      if (blocking)
        return;
      pair("comms", words.comms);
      pair("group", words.group);
      pair("wait", words.wait);
      pair("connect", words.connect);
      pair("streams", words.streams);
      if (report_.model.plan > 0)
        pair("plan", std::to_string(report_.model.plan));
    });
    json_.attribute("oneLane", blocking);
  }

  void printTimes() {
    const check::Timeline &timeline = *report_.timeline;
    json_.attribute("ticksPerUnit", timeline.costs.ticksPerUnit);
    json_.attribute("makespan", timeline.makespan);
    json_.attribute("finishes", report_.verification.finishes);
    if (timeline.bubble)
      json_.attribute("idleShare",
                      static_cast<double>(timeline.bubble->idle) / static_cast<double>(timeline.bubble->total));
    else
      json_.attribute("idleShare", nullptr);
    json_.attributeArray("costs", [&] {
      for (int k = 0; k < opcodeCount; ++k)
        if (const auto opcode = static_cast<Opcode>(k); timeline.costs[opcode] > 0)
          json_.array([&] {
            json_.value(name(opcode));
            json_.value(model::inUnits(timeline.costs[opcode], timeline.costs));
          });
    });
  }

  void printTables() {
    json_.attributeArray("opcodes", [&] {
      for (int k = 0; k < opcodeCount; ++k)
        json_.value(name(static_cast<Opcode>(k)));
    });
    json_.attributeArray("values", [&] {
      for (int k = 0; k < valueKindCount; ++k)
        json_.value(plumbline::nameOf(program_, Value{static_cast<ValueKind>(k), {}, {}}, StageId()));
    });
    printTexts("files", program_.files);
    json_.attributeArray("lanes", [&] {
      for (const check::Timeline::Lane &lane : report_.timeline->lanes)
        json_.array([&] {
          json_.value(lane.rank.value());
          json_.value(lane.communicator.valid()
                          ? printable(program_.communicators[static_cast<std::size_t>(lane.communicator.value())].name)
                          : "");
        });
    });
    printPools();
  }

  void printPools() {
    std::map<PoolId, std::int32_t> least;
    for (const check::SlotCount &count : report_.verification.slots)
      least[count.pool] = count.least;
    json_.attributeArray("pools", [&] {
      for (std::size_t k = 0; k < program_.pools.size(); ++k)
        json_.array([&] {
          const Pool &pool = program_.pools[k];
          const auto known = least.find(PoolId(static_cast<std::int32_t>(k)));
          json_.value(printable(pool.name));
          json_.value(pool.rank.value());
          json_.value(pool.declared);
          json_.value(known == least.end() ? -1 : known->second);
        });
    });
  }

  void printFindings() {
    const check::Verification &verification = report_.verification;
    json_.attributeArray("findings", [&] {
      for (const check::Finding &finding : verification.findings)
        json_.object([&] { printFinding(finding); });
    });
    json_.attributeArray("dropped", [&] {
      for (const check::Findings::Dropped &dropped : verification.dropped)
        json_.array([&] {
          json_.value(nameOf(dropped.rule));
          json_.value(static_cast<std::int64_t>(dropped.count));
        });
    });
    json_.attributeObject("rules", [&] {
      std::map<check::RuleId, bool> seen;
      for (const check::Finding &finding : verification.findings)
        if (const check::Rule *rule = check::findRule(static_cast<unsigned>(finding.rule));
            rule && seen.emplace(finding.rule, true).second)
          json_.attributeArray(nameOf(finding.rule), [&] {
            json_.value(rule->title);
            json_.value(rule->remedy);
          });
    });
  }

  void printFinding(const check::Finding &finding) {
    json_.attribute("rule", nameOf(finding.rule));
    json_.attribute("severity", nameOf(finding.severity));
    json_.attribute("message", printable(finding.message));
    json_.attribute("instruction", finding.instruction.value());
    json_.attribute("rank", finding.rank.value());
    json_.attribute("pool", finding.pool.value());
    json_.attributeArray("lives", [&] {
      for (const std::uint32_t life : clashingLives(program_, *report_.timeline, finding))
        json_.value(life);
    });
    printPlace(finding.location);
    printRelated("related", finding.related);
    printRelated("cycle", finding.cycle);
  }

  void printRelated(llvm::StringRef key, llvm::ArrayRef<check::Related> list) {
    json_.attributeArray(key, [&] {
      for (const check::Related &related : list)
        json_.object([&] {
          json_.attribute("message", printable(related.message));
          json_.attribute("instruction", related.instruction.value());
          printPlace(placeOf(program_, related.instruction));
        });
    });
  }

  void printPlace(SourceLocation location) {
    const llvm::StringRef file = fileOf(program_, location);
    json_.attribute("file", printable(file));
    json_.attribute("line", location.valid() ? location.line : 0);
    json_.attribute("column", location.valid() ? location.column : 0);
    json_.attribute("excerpt", excerptOf(file, location.line, location.column));
  }

  // The line and a caret, as the text report shows them; empty if the text is not at hand.
  [[nodiscard]] std::string excerptOf(llvm::StringRef file, std::uint32_t line, std::uint32_t column) const {
    constexpr unsigned width = 49; // what the column beside the charts holds
    std::string excerpt;
    llvm::raw_string_ostream out(excerpt);
    if (const auto text = report_.texts.find(file); text != report_.texts.end())
      printExcerpt(text->second, line, column, width, out);
    return excerpt;
  }

  void attribute(llvm::StringRef key, const Column &column) { json_.attribute(key, column.text()); }

  void printInstructions() {
    Column counts, opcode, stage, microbatch, peer, lane, group, pattern;
    InstructionNames names;
    for (const RankProgram &rank : program_.ranks)
      counts.add(rank.instructions.count);
    for (const auto &[k, i] : llvm::enumerate(program_.instructions)) {
      opcode.add(static_cast<std::int64_t>(i.opcode));
      stage.addId(i.stage);
      microbatch.addId(i.microbatch);
      peer.addId(i.peer);
      group.addId(i.group);
      lane.add(report_.timeline->laneOf[k]);
      pattern.add(names.patternOf(program_, idOf(k)));
    }
    attribute("ofRank", counts);
    attribute("opcode", opcode);
    attribute("stage", stage);
    attribute("microbatch", microbatch);
    attribute("peer", peer);
    attribute("group", group);
    attribute("lane", lane);
    attribute("name", pattern);
    printWhen();
    printWhere();
    json_.attributeArray("names", [&] {
      for (const NamePattern &known : names.patterns())
        json_.array([&] {
          json_.value(known.stage);
          json_.value(printable(known.before));
          json_.value(known.microbatch);
          json_.value(printable(known.after));
        });
    });
  }

  // `takes` is -1 where the instruction never ends. A message is told at its first end, as the way to the other.
  void printWhen() {
    const check::Timeline &timeline = *report_.timeline;
    Column begin, takes, partner;
    for (std::size_t k = 0; k < program_.instructions.size(); ++k) {
      begin.add(timeline.begin[k]);
      takes.add(timeline.end[k] < 0 ? -1 : timeline.end[k] - timeline.begin[k]);
      const std::int64_t other = timeline.partner[k].value();
      partner.add(std::max<std::int64_t>(other - static_cast<std::int64_t>(k), 0));
    }
    attribute("begin", begin);
    attribute("takes", takes);
    attribute("partner", partner);
  }

  void printWhere() {
    Column file, line, column;
    for (const Instruction &i : program_.instructions) {
      file.addId(i.location.file);
      line.add(i.location.line);
      column.add(i.location.column);
    }
    attribute("file", file);
    attribute("line", line);
    attribute("column", column);
  }

  // Slots and waits. Stages and microbatches of values, and instructions waited for, are told from the instruction on.
  void printTouches() {
    Column accesses, pool, slot, value, valueStage, valueMicrobatch, waits, waited;
    for (const auto &[k, i] : llvm::enumerate(program_.instructions)) {
      accesses.add(i.accesses.count);
      for (const SlotAccess &access : program_.accessesOf(i)) {
        pool.addId(access.pool);
        slot.add(access.slot);
        value.add(static_cast<std::int64_t>(access.value.kind) * 2 + (access.mode == AccessMode::write ? 1 : 0));
        valueStage.add(access.value.stage.value() - i.stage.value());
        valueMicrobatch.add(access.value.microbatch.value() - i.microbatch.value());
      }
      waits.add(i.waits.count);
      for (const InstructionId other : program_.waitsOf(i))
        waited.add(static_cast<std::int64_t>(k) - other.value());
    }
    attribute("accesses", accesses);
    attribute("accessPool", pool);
    attribute("accessSlot", slot);
    attribute("accessValue", value);
    attribute("accessStage", valueStage);
    attribute("accessMicrobatch", valueMicrobatch);
    attribute("waits", waits);
    attribute("waited", waited);
  }

  void printLives() {
    Column pool, slot, leastSlot, birth, last, marks;
    for (const check::Timeline::Life &life : report_.timeline->lives) {
      pool.addId(life.pool);
      slot.add(life.slot);
      leastSlot.add(life.leastSlot);
      birth.addId(life.birth);
      last.addId(life.last);
      marks.add((life.open ? 1 : 0) + (life.witness ? 2 : 0));
    }
    attribute("lifePool", pool);
    attribute("lifeSlot", slot);
    attribute("lifeLeastSlot", leastSlot);
    attribute("lifeBirth", birth);
    attribute("lifeLast", last);
    attribute("lifeMarks", marks);
  }

  const Report &report_;
  const Program &program_;
  OStream &json_;
};

} // namespace

void printPageData(const Report &report, OStream &json) { PageData(report, json).print(); }

} // namespace plumbline::report
