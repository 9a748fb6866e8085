#include "runtime/cuda/standin/clique.h"

#include "runtime/cuda/standin/state.h"
#include "runtime/cuda/standin/streams.h"

#include <algorithm>
#include <cstring>

namespace plumbline::standin {
namespace {

bool isMessage(Kind kind) { return kind == Kind::send || kind == Kind::receive; }

template <typename T> void addUp(std::vector<char> &sum, const void *more) {
  auto *const to = reinterpret_cast<T *>(sum.data());
  for (std::size_t i = 0; i < sum.size() / sizeof(T); ++i)
    to[i] += static_cast<const T *>(more)[i];
}

} // namespace

std::size_t bytesOf(ncclDataType_t type) { return type == ncclFloat64 ? 8 : type == ncclFloat32 ? 4 : 1; }

std::shared_ptr<Member> Clique::join(int rank, int device) {
  const std::scoped_lock lock(mutex_);
  auto member = std::make_shared<Member>();
  member->rank = rank;
  member->device = device;
  for (const auto &[other, there] : members_) // documentation: each rank has a device of its own
    if (other == rank || there->device == device)
      member->state = ncclInvalidUsage;
  members_[rank] = member;
  return member;
}

ncclResult_t Clique::poll(const std::shared_ptr<Member> &member) {
  const std::scoped_lock lock(mutex_);
  if (member->state != ncclSuccess)
    return member->state;
  if (members_.size() < static_cast<std::size_t>(size_))
    return ncclInProgress;
  while (!member->pending.empty() && connect(*member, *member->pending.front())) {
    const std::shared_ptr<Launch> launch = member->pending.front();
    member->pending.pop_front();
    queueOf(launch->operations.front().stream).enqueue([self = shared_from_this(), member, launch] {
      self->perform(member, launch);
    });
  }
  return member->pending.empty() ? ncclSuccess : ncclInProgress;
}

ncclResult_t Clique::add(Member &member, std::shared_ptr<Launch> launch) {
  const std::scoped_lock lock(mutex_);
  if (member.state != ncclSuccess)
    return member.state;
  if (members_.size() < static_cast<std::size_t>(size_) || !member.pending.empty())
    return ncclInvalidUsage;
  for (const Operation &operation : launch->operations)
    if (operation.stream != launch->operations.front().stream)
      return ncclInvalidUsage; // allowed, but the backend never means to
  member.pending.push_back(std::move(launch));
  return ncclInProgress;
}

bool Clique::connect(const Member &member, const Launch &launch) {
  bool connected = true;
  const auto want = [&](int peer) {
    wants_.emplace(member.rank, peer);
    connected &= wants_.count({peer, member.rank}) > 0;
  };
  for (const Operation &operation : launch.operations)
    if (isMessage(operation.kind))
      want(operation.peer);
    else
      for (int peer = 0; peer < size_; ++peer)
        want(peer);
  return connected;
}

// True if the member takes part no more.
bool Clique::lose(const Member &member) {
  State &s = state();
  const std::scoped_lock lock(s.mutex);
  const auto lost = s.lost.find(member.device);
  if (lost == s.lost.end() || lost->second.launches-- > 0)
    return false;
  if (lost->second.noticed)
    for (const auto &[rank, other] : members_)
      if (other->state == ncclSuccess && rank != member.rank)
        other->state = ncclRemoteError;
  return true;
}

// On the thread of the stream.
void Clique::perform(const std::shared_ptr<Member> &member, const std::shared_ptr<Launch> &launch) {
  std::unique_lock lock(mutex_);
  launch->left = launch->operations.size();
  if (!member->aborted && !lose(*member))
    for (const Operation &operation : launch->operations)
      post({member.get(), launch.get(), &operation});
  changed_.notify_all();
  changed_.wait(lock, [&] { return member->aborted || launch->left == 0; });
}

void Clique::post(End end) {
  if (isMessage(end.operation->kind))
    postMessage(end);
  else
    postCollective(end);
}

void Clique::postMessage(End end) {
  const bool sends = end.operation->kind == Kind::send;
  const std::pair<int, int> key =
      sends ? std::pair(end.member->rank, end.operation->peer) : std::pair(end.operation->peer, end.member->rank);
  Channel &channel = channels_[key];
  (sends ? channel.sends : channel.receives).push_back(end);
  if (channel.sends.empty() || channel.receives.empty())
    return;
  const End from = channel.sends.front(), to = channel.receives.front();
  channel.sends.pop_front();
  channel.receives.pop_front();
  const std::size_t bytes = from.operation->count * bytesOf(from.operation->type);
  if (bytes != to.operation->count * bytesOf(to.operation->type)) {
    fail(ncclInvalidArgument);
    return;
  }
  if (bytes > 0)
    std::memcpy(to.operation->to, from.operation->from, bytes);
  --from.launch->left;
  --to.launch->left;
}

void Clique::postCollective(End end) {
  const std::uint64_t index = end.member->collectives++;
  collectives_[index].push_back(end);
  if (collectives_[index].size() < static_cast<std::size_t>(size_))
    return;
  std::vector<End> ends = std::move(collectives_[index]);
  collectives_.erase(index);
  std::sort(ends.begin(), ends.end(), [](const End &a, const End &b) { return a.member->rank < b.member->rank; });
  const Operation &first = *ends.front().operation;
  for (const End &other : ends)
    if (other.operation->kind != first.kind || other.operation->count != first.count ||
        other.operation->type != first.type || other.operation->peer != first.peer) {
      fail(ncclInvalidUsage);
      return;
    }
  carryOut(ends);
  for (const End &done : ends)
    --done.launch->left;
}

// Sums are added up in order of rank.
void Clique::carryOut(const std::vector<End> &ends) {
  const Operation &first = *ends.front().operation;
  const std::size_t bytes = first.count * bytesOf(first.type);
  const std::size_t pieces = first.kind == Kind::reduceScatter ? ends.size() : 1;
  std::vector<char> result(bytes * pieces);
  if (first.kind == Kind::broadcast) {
    std::memcpy(result.data(), ends[static_cast<std::size_t>(first.peer)].operation->from, bytes);
  } else if (first.kind == Kind::allGather) {
    result.clear();
    for (const End &end : ends) {
      const auto *from = static_cast<const char *>(end.operation->from);
      result.insert(result.end(), from, from + bytes);
    }
  } else {
    std::memcpy(result.data(), first.from, result.size());
    for (std::size_t k = 1; k < ends.size(); ++k)
      if (first.type == ncclFloat64)
        addUp<double>(result, ends[k].operation->from);
      else
        addUp<float>(result, ends[k].operation->from);
  }
  for (std::size_t k = 0; k < ends.size(); ++k)
    if (first.kind == Kind::reduceScatter)
      std::memcpy(ends[k].operation->to, result.data() + k * bytes, bytes);
    else
      std::memcpy(ends[k].operation->to, result.data(), result.size());
}

void Clique::fail(ncclResult_t error) {
  for (const auto &[rank, member] : members_)
    if (member->state == ncclSuccess)
      member->state = error;
}

void Clique::abort(Member &member) {
  const std::scoped_lock lock(mutex_);
  member.aborted = true;
  member.pending.clear();
  const auto drop = [&](std::deque<End> &ends) {
    ends.erase(std::remove_if(ends.begin(), ends.end(), [&](const End &end) { return end.member == &member; }),
               ends.end());
  };
  for (auto &[key, channel] : channels_) {
    drop(channel.sends);
    drop(channel.receives);
  }
  collectives_.clear(); // none of them can happen any more
  changed_.notify_all();
}

} // namespace plumbline::standin
