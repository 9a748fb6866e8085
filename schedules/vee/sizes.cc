#include "schedules/vee/sizes.h"

#include <cstdint>

namespace plumbline::schedules::vee {
namespace {

// A few seconds.
constexpr std::int32_t mostRanks = 512;

} // namespace

std::string refuseOtherChunks(const Request &request) {
  if (request.chunks() == 2)
    return "";
  return "needs two stages on each rank (" + std::to_string(2 * request.ranks) + " in all); got " +
         std::to_string(request.stages) + " stages";
}

std::string refuseForGrid(const Request &request) {
  if (request.ranks > mostRanks)
    return "needs at most " + std::to_string(mostRanks) + " ranks; got " + std::to_string(request.ranks);
  return refuseOtherChunks(request);
}

} // namespace plumbline::schedules::vee
