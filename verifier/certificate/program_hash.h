// A short name for what a Program means.
#pragma once

#include "verifier/ir/program.h"

#include <string>

namespace plumbline::certificate {

// SHA-256, in hexadecimal, of the Program as `.pir` text without the places that its instructions came from: equal for
// Programs that are identical() but for their sources. The Program must satisfy validate(). Linear.
std::string hashOf(const Program &program);

} // namespace plumbline::certificate
