#include "tests/differential/random_programs.h"

namespace plumbline::oracle {

using model::Options;

model::Options randomOptions(Random &random) {
  Options o;
  o.kind = random.pickOf({model::Kind::nccl, model::Kind::nccl, model::Kind::blocking, model::Kind::mpi});
  o.comms = random.pickOf(
      {model::Comms::given, model::Comms::given, model::Comms::single, model::Comms::pair, model::Comms::directed});
  o.grouping =
      random.pickOf({model::Grouping::given, model::Grouping::given, model::Grouping::none, model::Grouping::atomic});
  o.wait = random.pickOf({model::Wait::use, model::Wait::use, model::Wait::group});
  o.connect = random.pickOf({model::Connect::ready, model::Connect::ready, model::Connect::firstUse});
  o.room = random.pickOf({0, 0, 1, 2});
  o.plan = random.pickOf({0, 0, 1, 2});
  if (random.chance(30))
    o.roomBytes = random.pickOf({0, 8, 16, 40});
  return o;
}

std::vector<Options> usualOptions() {
  std::vector<Options> all;
  const auto with = [&](auto change) {
    Options o;
    change(o);
    all.push_back(o);
  };
  with([](Options &) {});
  with([](Options &o) { o.kind = model::Kind::blocking; });
  with([](Options &o) { o.kind = model::Kind::blocking, o.room = 1; });
  with([](Options &o) { o.kind = model::Kind::blocking, o.roomBytes = 16; });
  with([](Options &o) { o.kind = model::Kind::mpi; });
  with([](Options &o) { o.kind = model::Kind::mpi, o.roomBytes = 8; });
  with([](Options &o) { o.comms = model::Comms::single; });
  with([](Options &o) { o.comms = model::Comms::pair; });
  with([](Options &o) { o.comms = model::Comms::directed; });
  with([](Options &o) { o.grouping = model::Grouping::none; });
  with([](Options &o) { o.grouping = model::Grouping::atomic; });
  with([](Options &o) { o.grouping = model::Grouping::atomic, o.room = 1, o.wait = model::Wait::group; });
  with([](Options &o) { o.wait = model::Wait::group; });
  with([](Options &o) { o.connect = model::Connect::firstUse; });
  with([](Options &o) { o.connect = model::Connect::firstUse, o.comms = model::Comms::pair; });
  with([](Options &o) { o.connect = model::Connect::firstUse, o.wait = model::Wait::group; });
  with([](Options &o) { o.connect = model::Connect::firstUse, o.kind = model::Kind::blocking; });
  with([](Options &o) { o.room = 1; });
  with([](Options &o) { o.room = 2; });
  with([](Options &o) { o.roomBytes = 0; });
  with([](Options &o) { o.roomBytes = 16; });
  with([](Options &o) { o.plan = 1; });
  with([](Options &o) { o.plan = 2, o.wait = model::Wait::group; });
  with([](Options &o) { o.streams = model::Streams::any; });
  return all;
}

} // namespace plumbline::oracle
