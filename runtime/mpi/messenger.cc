#include "runtime/mpi/messenger.h"

#include "llvm/ADT/STLExtras.h"

#include <climits>

namespace plumbline::runtime::mpi {

void Messenger::post(InstructionIndex instruction) {
  const std::scoped_lock lock(mutex_);
  posted_.push_back(instruction);
}

std::string Messenger::progress(std::vector<InstructionIndex> &done, InstructionIndex &failed) {
  starting_.clear();
  {
    const std::scoped_lock lock(mutex_);
    std::swap(starting_, posted_);
  }
  for (const InstructionIndex instruction : starting_) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (std::string wrong = errorText("starting the message", start(instruction, request)); !wrong.empty()) {
      failed = instruction;
      return wrong;
    }
    requests_.push_back(request);
    owners_.push_back(instruction);
  }
  if (requests_.empty())
    return "";
  finished_.resize(requests_.size());
  int count = 0;
  const int code =
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(), MPI_STATUSES_IGNORE);
  if (std::string wrong = errorText("MPI_Testsome", code); !wrong.empty()) {
    failed = owners_.front();
    return wrong;
  }
  if (count == MPI_UNDEFINED || count == 0)
    return "";
  for (int k = 0; k < count; ++k)
    done.push_back(owners_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(k)])]);
  // What is done has a null request now; the others stay in order.
  std::size_t kept = 0;
  for (std::size_t k = 0; k < requests_.size(); ++k)
    if (requests_[k] != MPI_REQUEST_NULL) {
      requests_[kept] = requests_[k];
      owners_[kept++] = owners_[k];
    }
  requests_.resize(kept);
  owners_.resize(kept);
  return "";
}

int Messenger::start(InstructionIndex instruction, MPI_Request &request) {
  const Instruction &i = plan_.instruction(instruction);
  if (isPointToPoint(i.opcode))
    return startMessage(i, *run_.binding.message(instruction), request);
  if (i.opcode == Opcode::broadcast)
    return startBroadcast(i, *run_.binding.message(instruction), request);
  if (i.opcode == Opcode::reduce_gradients)
    return startSum(i, request);
  return MPI_Ibarrier(communicators_.of(i.communicator), &request); // nothing to carry, but all have to come
}

int Messenger::startMessage(const Instruction &i, const BoundMessage &message, MPI_Request &request) {
  const int peer = communicators_.numberIn(i.communicator, i.peer), tag = 0;
  const MPI_Comm communicator = communicators_.of(i.communicator);
  void *data = message.place.valid() ? work_.at(message.place) : nullptr;
  const int bytes = data ? static_cast<int>(message.bytes) : 0;
  return isSend(i.opcode) ? MPI_Issend(data, bytes, MPI_BYTE, peer, tag, communicator, &request)
                          : MPI_Irecv(data, bytes, MPI_BYTE, peer, tag, communicator, &request);
}

int Messenger::startBroadcast(const Instruction &i, const BoundMessage &message, MPI_Request &request) {
  void *data = message.place.valid() ? work_.at(message.place) : nullptr;
  return MPI_Ibcast(data, data ? static_cast<int>(message.bytes) : 0, MPI_BYTE,
                    communicators_.numberIn(i.communicator, i.peer), communicators_.of(i.communicator), &request);
}

int Messenger::startSum(const Instruction &i, MPI_Request &request) {
  const auto found = work_.stages().find(i.stage);
  void *data = found == work_.stages().end() ? nullptr : found->second.gradients.data();
  const int count = data ? static_cast<int>(found->second.gradients.bytes() / sizeof(float)) : 0;
  return MPI_Iallreduce(MPI_IN_PLACE, data, count, MPI_FLOAT, MPI_SUM, communicators_.of(i.communicator), &request);
}

} // namespace plumbline::runtime::mpi
