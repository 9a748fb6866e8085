// The model that a Program asks for itself.
#pragma once

#include "verifier/ir/program.h"
#include "verifier/model/options.h"

namespace plumbline::model {

// Kind and wait follow from how the framework behind the Program executes it; communicators are as the Program gives
// them; all else as in Options (docs/semantics.md, "Defaults").
Options defaultsFor(const Program &program);

// Whether the host waits for each launch by default, under that kind and grouping.
Wait defaultWait(const Program &program, Kind kind, Grouping grouping);

} // namespace plumbline::model
