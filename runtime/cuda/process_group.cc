#include "runtime/cuda/process_group.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace plumbline::runtime::cuda {
namespace {

constexpr std::uint64_t version = 0x706c756d62000002; // "plumb", and a number that changes with the protocol
constexpr std::uint64_t mostBytes = std::uint64_t(1) << 32U;
// A guest that says nothing must not keep the others waiting.
constexpr std::chrono::seconds guestPatience{5};
constexpr std::chrono::milliseconds betweenLooks{100};

struct Greeting {
  std::uint64_t version;
  std::int64_t rank, size;
};

enum class Answer : std::uint64_t { welcome, otherVersion, otherSize, noSuchRank, cameTwice };

const char *textOf(Answer answer) {
  switch (answer) {
  case Answer::otherVersion:
    return "is another version of Plumbline";
  case Answer::otherSize:
    return "knows of another number of processes";
  case Answer::noSuchRank:
    return "has no such rank";
  case Answer::cameTwice:
    return "has met this rank before: two processes have the same one";
  default:
    return "gives an answer that is not understood";
  }
}

Diagnostic wrong(const std::string &text) { return {"processes", 0, 0, text}; }

Answer judge(const Greeting &came, const Greeting &own, const std::vector<Socket> &met) {
  if (came.version != own.version)
    return Answer::otherVersion;
  if (came.size != own.size)
    return Answer::otherSize;
  if (came.rank <= 0 || came.rank >= own.size)
    return Answer::noSuchRank;
  return met[static_cast<std::size_t>(came.rank)].valid() ? Answer::cameTwice : Answer::welcome;
}

std::string missingOf(const std::vector<Socket> &met) {
  std::string text;
  int count = 0;
  for (std::size_t rank = 1; rank < met.size(); ++rank)
    if (!met[rank].valid() && ++count <= 8)
      text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return count > 8 ? text + " and " + std::to_string(count - 8) + " more" : text;
}

// Rank 0: the others, by rank.
Result<std::vector<Socket>> receiveOthers(const Launch &launch, const Greeting &own, Clock::time_point deadline) {
  const Result<Socket> door = listenAt(launch.port);
  if (!door)
    return wrong("rank 0 cannot wait at " + door.error().file + ": " + door.error().message +
                 "; PLUMBLINE_PORT chooses another one");
  std::vector<Socket> met(static_cast<std::size_t>(launch.size));
  for (std::int32_t missing = launch.size - 1; missing > 0;) {
    Socket guest = acceptFrom(*door, deadline);
    if (!guest.valid() && Clock::now() >= deadline)
      return wrong("time is up, and of " + std::to_string(launch.size) + " processes these have not come: rank " +
                   missingOf(met));
    const Clock::time_point until = std::min(deadline, Clock::now() + guestPatience);
    Greeting came{};
    if (!guest.valid() || receiveAll(guest, &came, sizeof came, until) != Transfer::done)
      continue; // a port scan, or one that has given up
    const Answer answer = judge(came, own, met);
    const bool sent = sendAll(guest, &answer, sizeof answer, until) == Transfer::done;
    if (answer == Answer::cameTwice || answer == Answer::otherSize)
      return wrong("a process came as rank " + std::to_string(came.rank) + ", and rank 0 " + textOf(answer));
    if (answer != Answer::welcome || !sent)
      continue;
    met[static_cast<std::size_t>(came.rank)] = std::move(guest);
    --missing;
  }
  return met;
}

// The others: rank 0.
Result<Socket> reachFirst(const Launch &launch, const Greeting &own, Clock::time_point deadline) {
  const std::string place = launch.address + ", port " + std::to_string(launch.port);
  std::string reason = "it does not answer";
  while (Clock::now() < deadline) {
    // Names may come to be known only when the other machine is up.
    Socket socket = reach(launch.address, launch.port, deadline, reason);
    auto answer = Answer::welcome;
    if (socket.valid() && sendAll(socket, &own, sizeof own, deadline) == Transfer::done &&
        receiveAll(socket, &answer, sizeof answer, deadline) == Transfer::done) {
      if (answer == Answer::welcome)
        return socket;
      return wrong("rank 0 at " + place + " " + textOf(answer));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return wrong("rank 0 cannot be reached at " + place + ": " + reason);
}

// A block on the wire: its size, and its bytes.
void append(std::vector<char> &wire, const std::vector<char> &block) {
  const std::uint64_t size = block.size();
  wire.resize(wire.size() + sizeof size);
  std::memcpy(wire.data() + wire.size() - sizeof size, &size, sizeof size);
  wire.insert(wire.end(), block.begin(), block.end());
}

Transfer receiveBlock(const Socket &socket, std::vector<char> &bytes, Clock::time_point deadline) {
  std::uint64_t size = 0;
  if (const Transfer head = receiveAll(socket, &size, sizeof size, deadline); head != Transfer::done)
    return head;
  if (size > mostBytes)
    return Transfer::gone; // what is there is not one of ours
  bytes.resize(size);
  return receiveAll(socket, bytes.data(), bytes.size(), deadline);
}

} // namespace

Result<std::unique_ptr<ProcessGroup>> ProcessGroup::form(const Launch &launch, std::chrono::milliseconds patience) {
  std::unique_ptr<ProcessGroup> group(new ProcessGroup(launch, patience));
  if (launch.size == 1)
    return group;
  const Greeting own{version, launch.rank, launch.size};
  const Clock::time_point deadline = Clock::now() + patience;
  if (launch.rank == 0) {
    Result<std::vector<Socket>> others = receiveOthers(launch, own, deadline);
    if (!others)
      return others.error();
    group->others_ = std::move(*others);
  } else {
    Result<Socket> first = reachFirst(launch, own, deadline);
    if (!first)
      return first.error();
    group->others_.push_back(std::move(*first));
  }
  return group;
}

Diagnostic ProcessGroup::trouble(std::int32_t rank, Transfer transfer) const {
  const std::string who = "process " + std::to_string(rank);
  return wrong(transfer == Transfer::gone ? who + " has ended before its time; what it printed says why"
                                          : who + " has not answered for " + std::to_string(patience_.count()) + " ms");
}

Result<std::vector<std::vector<char>>> ProcessGroup::collect(const std::vector<char> &own, Clock::time_point deadline) {
  std::vector<std::vector<char>> all(static_cast<std::size_t>(size_));
  all.front() = own;
  for (std::int32_t rank = 1; rank < size_; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    // It may be waiting for one that is gone, and hears of that from here.
    while (!awaitInput(others_[index], std::min(deadline, Clock::now() + betweenLooks)) && Clock::now() < deadline)
      if (std::string gone = lost(); !gone.empty())
        return wrong(gone);
    if (const Transfer came = receiveBlock(others_[index], all[index], deadline); came != Transfer::done)
      return trouble(rank, came);
  }
  std::vector<char> wire;
  for (const std::vector<char> &block : all)
    append(wire, block);
  for (std::int32_t rank = 1; rank < size_; ++rank)
    if (const Transfer sent = sendAll(others_[static_cast<std::size_t>(rank)], wire.data(), wire.size(), deadline);
        sent != Transfer::done)
      return trouble(rank, sent);
  return all;
}

Result<std::vector<std::vector<char>>> ProcessGroup::contribute(const std::vector<char> &own,
                                                                Clock::time_point deadline) {
  std::vector<char> wire;
  append(wire, own);
  if (const Transfer sent = sendAll(others_.front(), wire.data(), wire.size(), deadline); sent != Transfer::done)
    return trouble(0, sent);
  std::vector<std::vector<char>> all(static_cast<std::size_t>(size_));
  for (std::vector<char> &block : all)
    if (const Transfer came = receiveBlock(others_.front(), block, deadline); came != Transfer::done)
      return trouble(0, came);
  return all;
}

Result<std::vector<std::vector<char>>> ProcessGroup::exchange(const std::vector<char> &own) {
  const Clock::time_point deadline = Clock::now() + patience_;
  if (size_ == 1)
    return std::vector<std::vector<char>>{own};
  return rank_ == 0 ? collect(own, deadline) : contribute(own, deadline);
}

std::string ProcessGroup::lost() const {
  for (std::size_t k = 0; k < others_.size(); ++k)
    if (others_[k].valid() && isGone(others_[k]))
      return trouble(static_cast<std::int32_t>(k), Transfer::gone).message;
  return "";
}

Result<std::vector<char>> shareFromFirst(ProcessGroup &group, std::uint64_t greeting,
                                         const std::vector<char> &payload) {
  std::vector<char> own(sizeof greeting);
  std::memcpy(own.data(), &greeting, sizeof greeting);
  if (group.rank() == 0)
    own.insert(own.end(), payload.begin(), payload.end());
  Result<std::vector<std::vector<char>>> all = group.exchange(own);
  if (!all)
    return all.error();
  const std::vector<char> &first = all->front();
  for (std::size_t rank = 0; rank < all->size(); ++rank) {
    const std::vector<char> &other = (*all)[rank];
    if (first.size() < sizeof greeting || other.size() < sizeof greeting ||
        std::memcmp(first.data(), other.data(), sizeof greeting) != 0)
      return wrong("process " + std::to_string(rank) +
                   " runs another Program than process 0, or with other settings; all need the same arguments");
  }
  return std::vector<char>(first.begin() + sizeof greeting, first.end());
}

} // namespace plumbline::runtime::cuda
