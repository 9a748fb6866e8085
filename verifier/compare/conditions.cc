#include "verifier/compare/conditions.h"

#include "verifier/ir/text.h"

namespace plumbline::compare {
namespace {

Change changeOf(Grade grade, Subject subject, std::string what, std::string before, std::string after) {
  Change change;
  change.grade = grade;
  change.subject = subject;
  change.what = std::move(what);
  change.before = std::move(before);
  change.after = std::move(after);
  return change;
}

// How much is asked of a program.
int demandOf(Mode mode) {
  switch (mode) {
  case Mode::training:
    return 2;
  case Mode::inference:
    return 1;
  case Mode::fragment:
    break;
  }
  return 0;
}

void judgeModes(Mode before, Mode after, std::vector<Change> &changes) {
  if (demandOf(after) >= demandOf(before))
    return;
  Change change = changeOf(Grade::worse, Subject::mode, "mode", name(before).str(), name(after).str());
  change.message = change.before + " before, now " + change.after + ": " +
                   (after == Mode::inference ? "backward passes are no longer looked for"
                                             : "what is missing is no longer looked for");
  changes.push_back(std::move(change));
}

// Whatever hangs with blocking instructions, or where the host waits for each launch, may pass with queues or where it
// does not; and what races there is in order here. So neither model is the stricter one.
void judgeModels(const model::Options &base, const model::Options &next, std::vector<Change> &changes) {
  const report::ModelWords before = report::wordsOf(base), after = report::wordsOf(next);
  const auto add = [&](const char *what, const std::string &was, const std::string &is) {
    Change change = changeOf(Grade::undecided, Subject::model, what, was, is);
    change.message =
        std::string(what) + " '" + was + "' before, now '" + is + "': what fails under the former may pass";
    changes.push_back(std::move(change));
  };
  if (base.kind != next.kind)
    add("model", before.name, after.name);
  else if (base.wait != next.wait && next.kind != model::Kind::blocking)
    add("wait", before.wait, after.wait);
}

void judgeRooms(llvm::ArrayRef<RoomFigures> rooms, std::vector<Change> &changes) {
  for (const RoomFigures &room : rooms) {
    if (room.next <= room.base)
      continue;
    const std::string communicator = "communicator " + inQuotes(room.communicator);
    Change change = changeOf(Grade::undecided, Subject::room, "room of " + communicator, std::to_string(room.base),
                             std::to_string(room.next));
    change.message = communicator + " has room for " + change.after + (room.next == 1 ? " message" : " messages") +
                     " in the new version, " + change.before + " before: what hangs with less may pass";
    changes.push_back(std::move(change));
  }
}

} // namespace

std::vector<Change> judgeConditions(const report::Report &base, const report::Report &next,
                                    llvm::ArrayRef<RoomFigures> rooms) {
  std::vector<Change> changes;
  judgeModes(base.program.mode, next.program.mode, changes);
  judgeModels(base.model, next.model, changes);
  judgeRooms(rooms, changes);
  return changes;
}

} // namespace plumbline::compare
