// The entry points of libnccl that the backend uses, for communicators that do not block.
#include "runtime/cuda/standin/clique.h"
#include "runtime/cuda/standin/state.h"

#include <algorithm>
#include <cstring>

namespace plumbline::standin {
namespace {

std::mutex cliquesMutex;
std::map<std::string, std::weak_ptr<Clique>> &cliques() {
  static auto *const all = new std::map<std::string, std::weak_ptr<Clique>>();
  return *all;
}

} // namespace
} // namespace plumbline::standin

using namespace plumbline::standin;

struct ncclComm {
  std::shared_ptr<Clique> clique;
  std::shared_ptr<Member> member;
};

namespace plumbline::standin {
namespace {

struct Group {
  int depth = 0;
  std::vector<std::pair<ncclComm_t, std::shared_ptr<Launch>>> launches; // one for each communicator
};
thread_local Group group;

ncclResult_t end() {
  auto launches = std::move(group.launches);
  group.launches.clear();
  ncclResult_t result = ncclSuccess;
  for (auto &[communicator, launch] : launches) {
    const ncclResult_t added = communicator->clique->add(*communicator->member, std::move(launch));
    if (result == ncclSuccess || added != ncclInProgress)
      result = added;
  }
  return result;
}

ncclResult_t add(ncclComm_t communicator, Operation operation) {
  auto found = std::find_if(group.launches.begin(), group.launches.end(),
                            [&](const auto &launch) { return launch.first == communicator; });
  if (found == group.launches.end())
    found = group.launches.insert(found, {communicator, std::make_shared<Launch>()});
  found->second->operations.push_back(operation);
  return group.depth > 0 ? ncclSuccess : end();
}

} // namespace
} // namespace plumbline::standin

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  STANDIN_CALL(ncclResult_t, "ncclGetUniqueId");
  static std::atomic<std::uint64_t> next{1};
  const std::uint64_t number = next++;
  *id = {};
  std::memcpy(id->internal, &number, sizeof number);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  STANDIN_CALL(ncclResult_t, "ncclCommInitRankConfig");
  const ncclConfig_t initial = NCCL_CONFIG_INITIALIZER;
  if (!config || config->magic != initial.magic || config->blocking != 0)
    return ncclInvalidArgument;
  const std::scoped_lock lock(cliquesMutex);
  std::weak_ptr<Clique> &known = cliques()[std::string(id.internal, sizeof id.internal)];
  std::shared_ptr<Clique> clique = known.lock();
  if (!clique)
    known = clique = std::make_shared<Clique>(ranks);
  if (clique->size() != ranks || rank < 0 || rank >= ranks)
    return ncclInvalidArgument;
  *communicator = new ncclComm{clique, clique->join(rank, currentDevice())};
  ++state().communicators;
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t *result) {
  STANDIN_CALL(ncclResult_t, "ncclCommGetAsyncError");
  *result = communicator->clique->poll(communicator->member);
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t) {
  STANDIN_CALL(ncclResult_t, "ncclCommFinalize");
  return ncclInProgress;
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  STANDIN_CALL(ncclResult_t, "ncclCommDestroy");
  delete communicator;
  --state().communicators;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  STANDIN_CALL(ncclResult_t, "ncclCommAbort");
  communicator->clique->abort(*communicator->member);
  delete communicator;
  --state().communicators;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  STANDIN_CALL(ncclResult_t, "ncclGroupStart");
  ++group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  STANDIN_CALL(ncclResult_t, "ncclGroupEnd");
  return --group.depth > 0 ? ncclSuccess : end();
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  STANDIN_CALL(ncclResult_t, "ncclSend");
  return add(communicator, {Kind::send, peer, from, nullptr, count, type, stream});
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  STANDIN_CALL(ncclResult_t, "ncclRecv");
  return add(communicator, {Kind::receive, peer, nullptr, to, count, type, stream});
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  STANDIN_CALL(ncclResult_t, "ncclBroadcast");
  return add(communicator, {Kind::broadcast, root, from, to, count, type, stream});
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t communicator, cudaStream_t stream) {
  STANDIN_CALL(ncclResult_t, "ncclAllReduce");
  if (operation != ncclSum || (type != ncclFloat32 && type != ncclFloat64))
    return ncclInvalidArgument;
  return add(communicator, {Kind::allReduce, 0, from, to, count, type, stream});
}

ncclResult_t ncclReduceScatter(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                               ncclComm_t communicator, cudaStream_t stream) {
  STANDIN_CALL(ncclResult_t, "ncclReduceScatter");
  if (operation != ncclSum || type != ncclFloat32)
    return ncclInvalidArgument;
  return add(communicator, {Kind::reduceScatter, 0, from, to, count, type, stream});
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
  STANDIN_CALL(ncclResult_t, "ncclAllGather");
  return add(communicator, {Kind::allGather, 0, from, to, count, type, stream});
}

const char *ncclGetErrorString(ncclResult_t result) {
  switch (result) {
  case ncclSuccess:
    return "no error";
  case ncclInvalidArgument:
    return "invalid argument";
  case ncclInvalidUsage:
    return "invalid usage";
  case ncclRemoteError:
    return "remote process exited or there was a network error";
  case ncclInProgress:
    return "NCCL operation in progress";
  default:
    return "unhandled error";
  }
}

const char *ncclGetLastError(ncclComm_t) { return ""; }

} // extern "C"
