// The ranks of one communicator, and how their operations meet.
//
// The n-th send from one rank to another meets the n-th receive, in the order in which their streams come to them. Both
// block their streams until then. The members of a launch (one group on one communicator) are posted together, progress
// independently, and the launch ends with the last of them (NCCL user guide, "Point-to-point communication" and "Group
// Calls"). The n-th collective of each rank is the same one.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace plumbline::standin {

enum class Kind : std::uint8_t { send, receive, broadcast, allReduce, reduceScatter, allGather };

struct Operation {
  Kind kind = Kind::send;
  int peer = 0; // or root
  const void *from = nullptr;
  void *to = nullptr;
  std::size_t count = 0; // elements, as the call had it
  ncclDataType_t type = ncclUint8;
  cudaStream_t stream = nullptr;
};
std::size_t bytesOf(ncclDataType_t type);

struct Launch {
  std::vector<Operation> operations;
  std::size_t left = 0; // operations that are not done
};

// One rank of a communicator. All but the constants is guarded by the clique's mutex.
struct Member {
  int rank = 0;
  int device = 0;
  ncclResult_t state = ncclSuccess;
  bool aborted = false;
  std::uint64_t collectives = 0;               // that it has come to
  std::deque<std::shared_ptr<Launch>> pending; // groups that have ended, and are not on their streams yet
};

class Clique : public std::enable_shared_from_this<Clique> {
public:
  explicit Clique(int size) : size_(size) {}

  [[nodiscard]] int size() const { return size_; }
  std::shared_ptr<Member> join(int rank, int device);
  // As ncclCommGetAsyncError. Puts pending launches on their streams, once the ranks that they need are connected: two
  // ranks are when both have come to their first operation with each other (NCCL_FACTS C2).
  ncclResult_t poll(const std::shared_ptr<Member> &member);
  // The launch goes on its stream with a later poll. Error: another one is still pending, or the rank is not ready.
  ncclResult_t add(Member &member, std::shared_ptr<Launch> launch);
  void abort(Member &member);

private:
  struct End {
    Member *member = nullptr;
    Launch *launch = nullptr;
    const Operation *operation = nullptr;
  };
  struct Channel {
    std::deque<End> sends, receives;
  };

  bool connect(const Member &member, const Launch &launch);
  void perform(const std::shared_ptr<Member> &member, const std::shared_ptr<Launch> &launch);
  void post(End end);
  void postMessage(End end);
  void postCollective(End end);
  void carryOut(const std::vector<End> &ends);
  void fail(ncclResult_t error);
  bool lose(const Member &member);

  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::shared_ptr<Member>> members_;        // by rank
  std::set<std::pair<int, int>> wants_;                   // (own rank, peer): has come to its first operation with it
  std::map<std::pair<int, int>, Channel> channels_;       // by source and destination
  std::map<std::uint64_t, std::vector<End>> collectives_; // that some have come to
};

} // namespace plumbline::standin
