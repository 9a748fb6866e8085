// Eager 1F1B: twice the warm-up of 1F1B, so that slow links between neighbours do not hold up the steady state.
#include "schedules/family/family.h"
#include "verifier/cli/generator_main.h"

#include <algorithm>

using namespace plumbline::schedules;

static Rows rowsOf(const Request &request) {
  Rows rows(request.ranks);
  for (int rank = 0; rank < request.ranks; ++rank) {
    const plumbline::StageId stage = request.stage(0, rank);
    const int warmUp = std::min(2 * (request.ranks - 1 - rank), request.microbatches);
    int forwards = 0;
    while (forwards < warmUp)
      rows[rank].forward(stage, forwards++);
    for (int m = 0; m < request.microbatches; ++m) {
      if (forwards < request.microbatches)
        rows[rank].forward(stage, forwards++);
      rows[rank].backward(stage, m);
    }
  }
  return rows;
}

int main(int argc, char **argv) {
  Family family;
  family.name = "eager_1f1b";
  family.title = "1F1B with twice the warm-up";
  family.paper = "an example";
  family.memory = "min(M, 2(S-s)-1)";
  family.bubble = "(S-1)(F+B)";
  family.shape = Shape::line;
  family.rows = rowsOf;
  return plumbline::cli::generatorMain(argc, argv, family);
}
