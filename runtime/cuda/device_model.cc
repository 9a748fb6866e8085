#include "runtime/cuda/device_model.h"

namespace plumbline::runtime::cuda {

model::Options optionsOnDevices(const model::Options &given) {
  model::Options options = given;
  if (options.kind == model::Kind::mpi)
    options.kind = model::Kind::nccl;
  if (options.grouping == model::Grouping::atomic)
    options.grouping = model::Grouping::given;
  options.connect = model::Connect::ready;
  options.room = 0;
  options.roomBytes = -1;
  return options;
}

} // namespace plumbline::runtime::cuda
