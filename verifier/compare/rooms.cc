#include "verifier/compare/rooms.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace plumbline::compare {
namespace {

using report::Report;
using Sort = std::tuple<RankId, RankId, Opcode>;   // of messages: from a rank, to a rank, and as what
using Rooms = std::map<std::string, std::int32_t>; // by communicator

std::int32_t modelRoom(const model::Options &model) {
  const bool counted = model.roomBytes < 0 && model.grouping != model::Grouping::atomic;
  return counted ? std::max(0, model.room) : 0;
}

std::int32_t roomOf(const Communicator &communicator, const model::Options &model) {
  const bool counted = model.roomBytes < 0 && model.grouping != model::Grouping::atomic;
  return counted && communicator.room >= 0 ? communicator.room : modelRoom(model);
}

// visit(sort, communicator) for each send.
template <typename Visit> void forEachMessage(const Program &program, Visit visit) {
  for (const Instruction &i : program.instructions)
    if (isSend(i.opcode) && i.communicator.valid())
      visit(Sort(i.rank, i.peer, i.opcode), program.communicators[static_cast<std::size_t>(i.communicator.value())]);
}

void keepLeast(Rooms &rooms, const std::string &name, std::int32_t room) {
  const auto [place, isNew] = rooms.try_emplace(name, room);
  place->second = std::min(place->second, room);
}

// What messages had to live with before.
class RoomsBefore {
public:
  explicit RoomsBefore(const Report &base) : ofModel_(modelRoom(base.model)) {
    for (const Communicator &communicator : base.program.communicators)
      keepLeast(byName_, communicator.name, roomOf(communicator, base.model));
    forEachMessage(base.program, [&](const Sort &sort, const Communicator &communicator) {
      keepLeast(bySort_[sort], communicator.name, roomOf(communicator, base.model));
    });
  }

  [[nodiscard]] std::int32_t of(const Sort &sort, const std::string &name) const {
    const auto used = bySort_.find(sort);
    const Rooms &rooms = used == bySort_.end() ? byName_ : used->second;
    if (const auto same = rooms.find(name); same != rooms.end())
      return same->second;
    if (used == bySort_.end())
      return ofModel_;
    return std::min_element(rooms.begin(), rooms.end(),
                            [](const auto &a, const auto &b) { return a.second < b.second; })
        ->second;
  }

private:
  std::int32_t ofModel_;
  Rooms byName_;
  std::map<Sort, Rooms> bySort_; // of those that messages use; never empty
};

} // namespace

std::vector<RoomFigures> roomsThatDiffer(const Report &base, const Report &next) {
  const RoomsBefore before(base);
  std::map<std::string, RoomFigures> rooms;
  forEachMessage(next.program, [&](const Sort &sort, const Communicator &communicator) {
    const RoomFigures here{communicator.name, before.of(sort, communicator.name), roomOf(communicator, next.model)};
    const auto [place, isNew] = rooms.try_emplace(communicator.name, here);
    if (here.next - here.base > place->second.next - place->second.base)
      place->second = here;
  });
  std::vector<RoomFigures> result;
  for (auto &[name, figures] : rooms)
    if (figures.base != figures.next)
      result.push_back(std::move(figures));
  return result;
}

} // namespace plumbline::compare
