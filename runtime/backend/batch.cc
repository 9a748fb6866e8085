#include "runtime/backend/batch.h"

#include "runtime/memory/extents.h"

#include <vector>

namespace plumbline::runtime {

void fillBatch(const RunPlan &run, RankWork &work, const DataSource &data, std::int64_t step, std::int32_t copy) {
  const Program &program = *run.program;
  std::vector<char> input, labels;
  for (const auto &[stage, state] : work.stages()) {
    const BatchMemory &batch = run.binding.batches[static_cast<std::size_t>(stage.value())];
    const plumbline_stage_sizes &sizes = state.object->sizes();
    const std::int64_t replica = std::int64_t(copy) * program.replicas + stage.value() / program.stagesPerReplica;
    input.resize(batch.inputs.valid() ? bytesOf(sizes.input) : 0);
    labels.resize(batch.labels.valid() ? bytesOf(sizes.labels) : 0);
    if (input.empty() && labels.empty())
      continue;
    for (std::int32_t m = 0; m < program.microbatches; ++m) {
      const auto field = [](std::vector<char> &bytes, const plumbline_extent &extent) {
        return bytes.empty() ? SampleField() : SampleField{bytes.data(), extent};
      };
      data.fill(step, replica * program.microbatches + m, field(input, sizes.input), field(labels, sizes.labels));
      const auto write = [&](const std::vector<char> &bytes, Place first, std::uint64_t stride) {
        if (!bytes.empty())
          work.device().write(work.at({first.offset + static_cast<std::uint64_t>(m) * stride}), bytes.data(),
                              bytes.size(), work.stream());
      };
      write(input, batch.inputs, batch.inputBytes);
      write(labels, batch.labels, batch.labelBytes);
    }
  }
}

double sumOfLosses(const RunPlan &run, const RankWork &work, std::int32_t replica) {
  const Program &program = *run.program;
  std::vector<float> losses(static_cast<std::size_t>(program.microbatches));
  const Place first = run.binding.ranks[static_cast<std::size_t>(work.rank().value())].losses;
  const Place place{first.offset + static_cast<std::uint64_t>(replica) * losses.size() * sizeof(float)};
  work.device().read(losses.data(), work.at(place), losses.size() * sizeof(float), work.stream());
  double sum = 0;
  for (const float loss : losses)
    sum += static_cast<double>(loss);
  return sum;
}

} // namespace plumbline::runtime
