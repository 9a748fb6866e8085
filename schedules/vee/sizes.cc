#include "schedules/vee/sizes.h"

#include <cstdint>

namespace plumbline::schedules::vee {

std::string refuseManyRanks(const Request &request) {
  constexpr std::int32_t most = 512;
  if (request.ranks <= most)
    return "";
  return "needs at most " + std::to_string(most) + " ranks; got " + std::to_string(request.ranks);
}

} // namespace plumbline::schedules::vee
