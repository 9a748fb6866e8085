// MPI's communicators for those of a Program, one set for each copy of the pipeline.
#pragma once

#include "verifier/ir/program.h"

#include <mpi.h>

#include <string>
#include <vector>

namespace plumbline::runtime::mpi {

// Text for what an MPI call returned; empty for MPI_SUCCESS.
std::string errorText(const char *call, int code);

// Which rank of which copy this process is: process p is rank p mod R of copy p / R.
struct Self {
  std::int32_t process = 0, processes = 1;
  std::int32_t rank = 0, copy = 0;
};

class Communicators {
public:
  // All processes call it. Errors: as many processes as copies * ranks are needed; MPI's own.
  static std::string open(const Program &program, std::int32_t copies, Communicators &result);
  ~Communicators();
  Communicators() = default;
  Communicators(const Communicators &) = delete;
  Communicators &operator=(const Communicators &) = delete;

  [[nodiscard]] const Self &self() const { return self_; }
  // Of a communicator of the Program; MPI_COMM_NULL where this rank is no member.
  [[nodiscard]] MPI_Comm of(CommunicatorId communicator) const {
    return communicators_[static_cast<std::size_t>(communicator.value())];
  }
  // The number that a rank has in it.
  [[nodiscard]] int numberIn(CommunicatorId communicator, RankId rank) const;
  // Of all processes, for what happens between two steps.
  [[nodiscard]] MPI_Comm everyone() const { return everyone_; }

private:
  const Program *program_ = nullptr;
  Self self_;
  std::vector<MPI_Comm> communicators_;
  MPI_Comm everyone_ = MPI_COMM_NULL;
};

} // namespace plumbline::runtime::mpi
