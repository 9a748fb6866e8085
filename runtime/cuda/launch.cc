#include "runtime/cuda/launch.h"

#include "llvm/ADT/StringRef.h"

namespace plumbline::runtime::cuda {
namespace {

using Get = llvm::function_ref<const char *(const char *)>;

constexpr std::uint16_t usualPort = 29577;
constexpr std::int32_t mostProcesses = 1 << 20;

Diagnostic wrong(const std::string &text) { return {"environment", 0, 0, text}; }

// A number from `first`, below `end`, from a variable; `initial`, if that is not negative, where it is not set.
Result<std::int32_t> number(Get get, const char *name, std::int32_t initial, std::int32_t end, std::int32_t first = 0) {
  const char *text = get(name);
  if (!text && initial >= 0)
    return initial;
  std::int32_t value = 0;
  if (!text || llvm::StringRef(text).getAsInteger(10, value) || value < first || value >= end)
    return wrong(std::string(name) + (text ? " is '" + std::string(text) + "'" : " is not set") +
                 "; it has to be a number from " + std::to_string(first) + " to " + std::to_string(end - 1));
  return value;
}

// The first host of a list as Slurm writes it: "node[003-007,9],other" begins with node003.
std::string firstHost(llvm::StringRef list) {
  const std::size_t end = list.find_first_of(",[");
  std::string host = list.take_front(end).str();
  if (end != llvm::StringRef::npos && list[end] == '[') {
    const llvm::StringRef inside = list.drop_front(end + 1);
    host += inside.take_front(inside.find_first_of(",-]")).str();
  }
  return host;
}

struct Names {
  const char *launcher, *rank, *size, *localRank;
};

constexpr Names torchrun = {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"};
constexpr Names openMpi = {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"};
// Not SLURM_NTASKS: a batch script has that too, and is one process.
constexpr Names slurm = {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"};

std::string addressFrom(Get get, const Names &names, const Launch &launch) {
  const auto text = [&](const char *name) { return std::string(get(name) ? get(name) : ""); };
  if (get("PLUMBLINE_ADDRESS"))
    return text("PLUMBLINE_ADDRESS");
  if (get("MASTER_ADDR"))
    return text("MASTER_ADDR");
  if (names.launcher == slurm.launcher)
    return firstHost(get("SLURM_STEP_NODELIST") ? text("SLURM_STEP_NODELIST") : text("SLURM_JOB_NODELIST"));
  if (text("OMPI_COMM_WORLD_LOCAL_SIZE") == std::to_string(launch.size))
    return "127.0.0.1"; // all on one machine
  return "";
}

Result<std::int32_t> portFrom(Get get, const Names &names) {
  constexpr std::int32_t ports = 1 << 16;
  if (get("PLUMBLINE_PORT"))
    return number(get, "PLUMBLINE_PORT", -1, ports, 1);
  // torchrun's own store may be listening at MASTER_PORT.
  if (get("MASTER_PORT")) {
    Result<std::int32_t> port = number(get, "MASTER_PORT", -1, ports - 1);
    return port ? Result<std::int32_t>(*port + 1) : port;
  }
  // Jobs of several users may share a machine.
  if (names.launcher == slurm.launcher && get("SLURM_JOB_ID")) {
    Result<std::int32_t> job = number(get, "SLURM_JOB_ID", -1, INT32_MAX);
    return job ? Result<std::int32_t>(20000 + *job % 10000) : job;
  }
  return usualPort;
}

} // namespace

Result<Launch> readLaunch(Get get) {
  const Names *names = nullptr;
  for (const Names *each : {&torchrun, &openMpi, &slurm})
    if (!names && get(each->rank) && get(each->size))
      names = each;
  Launch launch;
  if (!names)
    return launch;
  launch.launcher = names->launcher;
  const Result<std::int32_t> size = number(get, names->size, -1, mostProcesses, 1);
  if (!size)
    return size.error();
  const Result<std::int32_t> rank = number(get, names->rank, -1, *size);
  if (!rank)
    return rank.error();
  const Result<std::int32_t> localRank = number(get, names->localRank, 0, *size);
  if (!localRank)
    return localRank.error();
  launch.rank = *rank;
  launch.size = *size;
  launch.localRank = *localRank;
  if (launch.size == 1)
    return launch;
  launch.address = addressFrom(get, *names, launch);
  if (launch.address.empty())
    return wrong(
        std::string("started by ") + names->launcher +
        " as one of several processes: set MASTER_ADDR or PLUMBLINE_ADDRESS to the machine that the first is on");
  const Result<std::int32_t> port = portFrom(get, *names);
  if (!port)
    return port.error();
  launch.port = static_cast<std::uint16_t>(*port);
  return launch;
}

} // namespace plumbline::runtime::cuda
