#include "verifier/check/data_flow.h"

#include "verifier/ir/words.h"
#include "verifier/model/reach.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {
namespace {

struct Dependence {
  Role producer;
  Role consumer;
  const char *what; // what the consumer takes from the producer
};

// Within one (stage, microbatch). PyTorch's runtime raises an error, or uses stale data, where one is broken
// (corpus/pytorch/README.md, "What the runtime does with a row").
constexpr Dependence dependences[] = {
    {Role::receive_activation, Role::forward, "its input activation"},
    {Role::forward, Role::send_activation, "the activation to send"},
    {Role::forward, Role::backward, "the activations of the forward pass"},
    {Role::forward, Role::backward_input, "the activations of the forward pass"},
    {Role::forward, Role::backward_weight, "the activations of the forward pass"},
    {Role::receive_gradient, Role::backward, "the gradient of its output"},
    {Role::receive_gradient, Role::backward_input, "the gradient of its output"},
    {Role::receive_gradient, Role::backward_weight, "the gradient of its output"},
    {Role::backward_input, Role::backward_weight, "what the input half keeps for it"},
    {Role::receive_activation, Role::recompute, "its input activation"},
    {Role::forward, Role::recompute, "the input of the forward pass that it repeats"},
    {Role::recompute, Role::backward, "the recomputed activations"},
    {Role::recompute, Role::backward_input, "the recomputed activations"},
    {Role::recompute, Role::backward_weight, "the recomputed activations"},
    {Role::backward, Role::send_gradient, "the gradient to send"},
    {Role::backward_input, Role::send_gradient, "the gradient to send"},
};

class DataFlow {
public:
  DataFlow(const Context &context, const Catalogue &catalogue)
      : context_(context), program_(context.program), catalogue_(catalogue) {}

  void run() {
    for (std::int32_t s = 0; s < program_.stageCount(); ++s)
      for (std::int32_t m = 0; m < program_.microbatches; ++m) {
        for (const Dependence &d : dependences)
          require(catalogue_.find(d.producer, StageId(s), m), catalogue_.find(d.consumer, StageId(s), m), d.what);
        checkLocalNeighbours(StageId(s), m);
      }
  }

private:
  // Stages s and s+1 on one rank hand over by reference: only the order in the row protects them.
  void checkLocalNeighbours(StageId stage, std::int32_t m) {
    if (program_.isLastStage(stage))
      return;
    const StageId next(stage.value() + 1);
    require(catalogue_.find(Role::forward, stage, m), catalogue_.find(Role::forward, next, m), "its input activation");
    for (const Role after : {Role::backward, Role::backward_input})
      for (const Role before : {Role::backward, Role::backward_input})
        require(catalogue_.find(after, next, m), catalogue_.find(before, stage, m), "the gradient of its output");
  }

  // Members of one group run at the same time, so neither is before the other.
  void require(InstructionId producer, InstructionId consumer, const char *what) {
    if (!producer.valid() || !consumer.valid())
      return;
    const Instruction &p = program_.at(producer), &c = program_.at(consumer);
    if (p.rank != c.rank)
      return;
    const bool together = p.group.valid() && p.group == c.group;
    if (producer < consumer && !together) {
      if (!waitedFor(producer, consumer))
        reportRace(producer, consumer, what);
      return;
    }
    Finding finding =
        context_.at(RuleId::data_flow_order, consumer,
                    nameOf(program_, consumer) + " needs " + what + " from " + nameOf(program_, producer) + ", which " +
                        (together ? "runs in the same group, at the same time" : "comes later on this rank"));
    finding.related.push_back({producer, "what it needs is made here"});
    context_.findings.add(std::move(finding));
  }

  // Issued in order, but in queues of their own: only a wait, direct or through others, orders them.
  [[nodiscard]] bool waitedFor(InstructionId producer, InstructionId consumer) const {
    const model::EventGraph &graph = context_.graph;
    if (graph.units.units[graph.unitOf(producer)].lane == graph.units.units[graph.unitOf(consumer)].lane ||
        llvm::is_contained(program_.waitsOf(program_.at(consumer)), producer))
      return true;
    const model::Event made = graph.end(producer), used = graph.begin(consumer);
    // What never happens is another rule's matter.
    return !context_.order.happens(made) || !context_.order.happens(used) ||
           model::pathExists(graph, context_.order, made, used);
  }

  void reportRace(InstructionId producer, InstructionId consumer, const char *what) {
    Finding finding = context_.at(RuleId::data_flow_order, consumer,
                                  nameOf(program_, consumer) + " may begin before " + nameOf(program_, producer) +
                                      " has made " + what + ": they are in different queues, and nothing waits");
    finding.related.push_back({producer, "what it needs is made here"});
    context_.findings.add(std::move(finding));
  }

  const Context &context_;
  const Program &program_;
  const Catalogue &catalogue_;
};

bool mustPrecedeOptimizer(Opcode opcode) {
  return opcode != Opcode::optimizer_step && opcode != Opcode::load_microbatch && opcode != Opcode::stash_weights &&
         opcode != Opcode::pick_weights && opcode != Opcode::reshard && opcode != Opcode::unshard;
}

} // namespace

void checkDataFlowOrder(const Context &context, const Catalogue &catalogue) { DataFlow(context, catalogue).run(); }

void checkOptimizerOrder(const Context &context) {
  const Program &program = context.program;
  // With stashed weight versions (PipeDream) steps and microbatches interleave on purpose.
  const bool versions = llvm::any_of(program.instructions, [](const Instruction &i) {
    return i.opcode == Opcode::stash_weights || i.opcode == Opcode::pick_weights;
  });
  if (versions || program.mode == Mode::fragment)
    return;
  std::vector<InstructionId> steps(program.ranks.size());
  // DeepSpeed's lists always end with it; PyTorch's tables never name it.
  bool any = program.mode == Mode::training && program.execution == Execution::blocking;
  for (const auto &[k, i] : llvm::enumerate(program.instructions)) {
    const InstructionId id(static_cast<std::int32_t>(k));
    InstructionId &step = steps[static_cast<std::size_t>(i.rank.value())];
    if (i.opcode == Opcode::optimizer_step) {
      any = true;
      if (step.valid()) {
        Finding finding =
            context.at(RuleId::optimizer_order, id,
                       "a second " + nameOf(program, id) + " in one step: gradients would be applied twice");
        finding.related.push_back({step, "the first one"});
        context.findings.add(std::move(finding));
      }
      step = id;
    } else if (step.valid() && mustPrecedeOptimizer(i.opcode)) {
      Finding finding = context.at(
          RuleId::optimizer_order, id,
          nameOf(program, id) + " comes after the optimizer step: " +
              (isBackward(i.opcode) ? "its gradient is not in the update" : "it works with weights of the next step"));
      finding.related.push_back({step, "the optimizer step"});
      context.findings.add(std::move(finding));
    }
  }
  for (std::size_t r = 0; any && r < steps.size(); ++r) {
    const auto row = program.instructionsOf(RankId(static_cast<std::int32_t>(r)));
    if (steps[r].valid() || row.empty())
      continue;
    const auto last = static_cast<std::int32_t>(program.ranks[r].instructions.first + row.size() - 1);
    context.findings.add(
        context.at(RuleId::optimizer_order, InstructionId(last),
                   "rank " + std::to_string(r) + " has no optimizer step: its weights stay as they were"));
  }
}

} // namespace plumbline::check
