// The model of what devices do.
#pragma once

#include "verifier/model/options.h"

namespace plumbline::runtime::cuda {

// What happens when a Program is run on devices under these options: NCCL's rules; groups as the Program has them; all
// connections made before the first step; a send that ends when its receive has begun. (NCCL may end it earlier, so a
// Program has to be verified with room for everything too: withAndWithoutRoom.)
model::Options optionsOnDevices(const model::Options &given);

} // namespace plumbline::runtime::cuda
