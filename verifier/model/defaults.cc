#include "verifier/model/defaults.h"

namespace plumbline::model {

// In one blocking queue there is nothing further to wait for.
Wait defaultWait(const Program &program, Kind kind, Grouping grouping) {
  const bool waits = program.waitsForGroups && kind != Kind::blocking &&
                     (grouping != Grouping::none || program.execution == Execution::blocking);
  return waits ? Wait::group : Wait::use;
}

Options defaultsFor(const Program &program) {
  Options options;
  options.kind = program.execution == Execution::blocking ? Kind::blocking : Kind::nccl;
  options.wait = defaultWait(program, options.kind, options.grouping);
  return options;
}

} // namespace plumbline::model
