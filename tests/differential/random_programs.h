// Random small Programs and models for comparing the verifier with the executor. The same seed gives the same
// Program everywhere. validate() accepts every one.
#pragma once

#include "tests/differential/random.h"
#include "verifier/ir/program.h"
#include "verifier/model/options.h"

#include <vector>

namespace plumbline::oracle {

// A pipeline on 1 to 4 ranks: stages, microbatches, forward and backward passes in a random order that respects the
// data flow, with messages, slots, waits and groups of random quality. Many are correct, many hang or overwrite.
Program randomPipeline(Random &random, int maxInstructions = 60);

// Sends and receives, computing on slots, collectives and waits among 1 to 4 ranks without any plan behind them.
Program randomSoup(Random &random, int maxInstructions = 40);

// Either of the two.
Program randomProgram(Random &random);

// Any combination of the model's switches that has a defined meaning, but for Options::streams, which stays
// independent. Comms other than `given` are for the caller to apply to the Program.
model::Options randomOptions(Random &random);

// A short list that has every value of every switch, and the usual combinations.
std::vector<model::Options> usualOptions();

} // namespace plumbline::oracle
