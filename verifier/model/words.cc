#include "verifier/model/words.h"

#include <array>
#include <tuple>

namespace plumbline::model {
namespace {

constexpr std::array<const char *, 3> kinds = {"blocking", "nccl", "mpi"};
constexpr std::array<const char *, 4> communicators = {"given", "single", "pair", "directed"};
constexpr std::array<const char *, 3> groupings = {"given", "none", "atomic"};
constexpr std::array<const char *, 2> waits = {"use", "group"};
constexpr std::array<const char *, 2> connects = {"ready", "first-use"};
constexpr std::array<const char *, 2> streams = {"independent", "any"};

constexpr const auto &namesOf(Kind) { return kinds; }
constexpr const auto &namesOf(Comms) { return communicators; }
constexpr const auto &namesOf(Grouping) { return groupings; }
constexpr const auto &namesOf(Wait) { return waits; }
constexpr const auto &namesOf(Connect) { return connects; }
constexpr const auto &namesOf(Streams) { return streams; }

template <typename Switch> llvm::StringRef nameIn(Switch value) {
  return namesOf(value).at(static_cast<std::size_t>(value));
}

} // namespace

llvm::StringRef name(Kind kind) { return nameIn(kind); }
llvm::StringRef name(Comms comms) { return nameIn(comms); }
llvm::StringRef name(Grouping grouping) { return nameIn(grouping); }
llvm::StringRef name(Wait wait) { return nameIn(wait); }
llvm::StringRef name(Connect connect) { return nameIn(connect); }
llvm::StringRef name(Streams value) { return nameIn(value); }

template <typename Switch> std::optional<Switch> fromName(llvm::StringRef text) {
  const auto &names = namesOf(Switch());
  for (std::size_t k = 0; k < names.size(); ++k)
    if (text == names[k])
      return static_cast<Switch>(k);
  return std::nullopt;
}

template std::optional<Kind> fromName<Kind>(llvm::StringRef);
template std::optional<Comms> fromName<Comms>(llvm::StringRef);
template std::optional<Grouping> fromName<Grouping>(llvm::StringRef);
template std::optional<Wait> fromName<Wait>(llvm::StringRef);
template std::optional<Connect> fromName<Connect>(llvm::StringRef);
template std::optional<Streams> fromName<Streams>(llvm::StringRef);

std::string describe(const Options &o) {
  const std::string room =
      o.roomBytes >= 0 ? ", room-bytes " + std::to_string(o.roomBytes) : ", room " + std::to_string(o.room);
  return "model " + name(o.kind).str() + ", comms " + name(o.comms).str() + room + ", group " + name(o.grouping).str() +
         ", wait " + name(o.wait).str() + ", connect " + name(o.connect).str() + ", streams " + name(o.streams).str() +
         (o.plan > 0 ? ", plan " + std::to_string(o.plan) : "");
}

bool operator==(const Options &a, const Options &b) {
  const auto all = [](const Options &o) {
    return std::tie(o.kind, o.comms, o.grouping, o.wait, o.connect, o.streams, o.room, o.roomBytes, o.plan);
  };
  return all(a) == all(b);
}

} // namespace plumbline::model
