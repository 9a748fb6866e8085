// PL304: under --streams any, can some order in which the device runs the lanes hang?
#pragma once

#include "verifier/check/context.h"

namespace plumbline::check {

// Does nothing unless the model says Streams::any. Programs of more than `streamLimit` units are undecided.
inline constexpr std::size_t streamLimit = 400;
void checkStreams(const Context &context);

} // namespace plumbline::check
