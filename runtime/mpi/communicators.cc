#include "runtime/mpi/communicators.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace plumbline::runtime::mpi {

std::string errorText(const char *call, int code) {
  if (code == MPI_SUCCESS)
    return "";
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length));
}

std::string Communicators::open(const Program &program, std::int32_t copies, Communicators &result) {
  result.program_ = &program;
  Self &self = result.self_;
  MPI_Comm_rank(MPI_COMM_WORLD, &self.process);
  MPI_Comm_size(MPI_COMM_WORLD, &self.processes);
  const std::int32_t ranks = program.rankCount();
  if (self.processes != ranks * copies)
    return "needs " + std::to_string(ranks * copies) + " processes, one for each rank" +
           (copies > 1 ? " of each copy" : "") + ", and there are " + std::to_string(self.processes) + ": mpirun -n " +
           std::to_string(ranks * copies) + " plumbline run ... --backend mpi";
  self.rank = self.process % ranks;
  self.copy = self.process / ranks;
  if (std::string wrong = errorText("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &result.everyone_)); !wrong.empty())
    return wrong;
  for (const Communicator &communicator : program.communicators) {
    const bool isMember = communicator.members.empty() || llvm::is_contained(communicator.members, RankId(self.rank));
    MPI_Comm &made = result.communicators_.emplace_back(MPI_COMM_NULL);
    const int code = MPI_Comm_split(result.everyone_, isMember ? self.copy : MPI_UNDEFINED, self.rank, &made);
    if (std::string wrong = errorText("MPI_Comm_split", code); !wrong.empty())
      return wrong;
  }
  for (const MPI_Comm communicator : result.communicators_)
    if (communicator != MPI_COMM_NULL)
      MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  return "";
}

Communicators::~Communicators() {
  for (MPI_Comm &communicator : communicators_)
    if (communicator != MPI_COMM_NULL)
      MPI_Comm_free(&communicator);
  if (everyone_ != MPI_COMM_NULL)
    MPI_Comm_free(&everyone_);
}

int Communicators::numberIn(CommunicatorId communicator, RankId rank) const {
  const auto &members = program_->communicators[static_cast<std::size_t>(communicator.value())].members;
  if (members.empty())
    return rank.value();
  return static_cast<int>(llvm::count_if(members, [&](RankId member) { return member < rank; }));
}

} // namespace plumbline::runtime::mpi
