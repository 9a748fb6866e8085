// The processes of a run, apart from NCCL: over TCP, each with rank 0. They agree on what they run, tell each other
// what NCCL's communicators need, what they have measured, and whether they are still there.
#pragma once

#include "runtime/cuda/launch.h"
#include "runtime/cuda/socket.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plumbline::runtime::cuda {

class ProcessGroup {
public:
  // Rank 0 waits at launch.port of all its addresses until each of the others has come once; they try to reach it until
  // they do. Not for networks that one does not trust: whoever connects first as a rank is taken for it. With one
  // process nothing is opened. Errors: time is up (and who is missing), another version of Plumbline or number of
  // processes, a rank comes twice, no such address.
  static Result<std::unique_ptr<ProcessGroup>> form(const Launch &launch, std::chrono::milliseconds patience);

  [[nodiscard]] std::int32_t rank() const { return rank_; }
  [[nodiscard]] std::int32_t size() const { return size_; }

  // What each of the processes brings, by rank; all call this at the same point, and with the patience of form() wait
  // for each other. Errors: one is gone, or does not come in time.
  Result<std::vector<std::vector<char>>> exchange(const std::vector<char> &own);

  // Which process has ended, if one that is connected with this one has; else empty. From any thread; does not wait.
  [[nodiscard]] std::string lost() const;

private:
  ProcessGroup(const Launch &launch, std::chrono::milliseconds patience)
      : rank_(launch.rank), size_(launch.size), patience_(patience) {}

  Result<std::vector<std::vector<char>>> collect(const std::vector<char> &own, Clock::time_point deadline);
  Result<std::vector<std::vector<char>>> contribute(const std::vector<char> &own, Clock::time_point deadline);
  [[nodiscard]] Diagnostic trouble(std::int32_t rank, Transfer transfer) const;

  const std::int32_t rank_, size_;
  const std::chrono::milliseconds patience_;
  std::vector<Socket> others_; // at rank 0 by rank, its own invalid; elsewhere rank 0 alone
};

// The same for all: checks that every process has the same greeting (of the Program, and of what else all have to agree
// on), and gives them rank 0's payload. Errors: as exchange(), and who differs.
Result<std::vector<char>> shareFromFirst(ProcessGroup &group, std::uint64_t greeting, const std::vector<char> &payload);

} // namespace plumbline::runtime::cuda
