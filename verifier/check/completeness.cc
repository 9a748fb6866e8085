#include "verifier/check/completeness.h"

#include "verifier/ir/words.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace plumbline::check {
namespace {

// Needs the weights, or gradients, of its stage on the rank where it stands; messages name the stage of this rank too.
bool worksOnWeights(Opcode opcode) {
  return roleOf(opcode) || opcode == Opcode::unshard || opcode == Opcode::reshard || opcode == Opcode::reduce_gradients;
}

class Completeness {
public:
  Completeness(const Context &context, const Catalogue &catalogue)
      : context_(context), program_(context.program), catalogue_(catalogue) {}

  void run() {
    checkRange();
    checkDuplicates();
    checkPlacement();
    if (program_.mode == Mode::fragment)
      return;
    for (std::int32_t s = 0; s < program_.stageCount(); ++s)
      for (std::int32_t m = 0; m < program_.microbatches; ++m) {
        checkForward(StageId(s), m);
        if (program_.mode == Mode::training)
          checkBackward(StageId(s), m);
        checkMessages(StageId(s), m);
      }
  }

private:
  [[nodiscard]] InstructionId find(Role role, StageId stage, std::int32_t m) const {
    return catalogue_.find(role, stage, m);
  }
  [[nodiscard]] RankId rankOf(StageId stage) const {
    return program_.stages[static_cast<std::size_t>(stage.value())].rank;
  }

  // A finding about a (stage, microbatch) that has no instruction of its own to point at. `near` gives the place.
  void missing(RuleId rule, StageId stage, std::int32_t m, InstructionId near, std::string message) {
    Finding finding;
    if (near.valid())
      finding = context_.at(rule, near, "");
    finding.rule = rule;
    finding.message = std::move(message);
    finding.stage = stage;
    finding.microbatch = MicrobatchId(m);
    finding.rank = rankOf(stage);
    if (!finding.location.valid())
      finding.location = placeOf(stage);
    context_.findings.add(std::move(finding));
  }

  // The first instruction of the stage, else of its rank, else the file.
  [[nodiscard]] SourceLocation placeOf(StageId stage) const {
    const RankId rank = rankOf(stage);
    const auto row = rank.valid() ? program_.instructionsOf(rank) : llvm::ArrayRef<Instruction>();
    for (const Instruction &i : row)
      if (i.stage == stage)
        return i.location;
    SourceLocation whole;
    whole.file = FileId(program_.files.empty() ? -1 : 0);
    return row.empty() ? whole : row.front().location;
  }

  // Counts a finding that would not be shown, and saves wording it: a schedule may miss millions.
  bool tooMany(RuleId rule) {
    if (context_.findings.wanted(rule))
      return false;
    context_.findings.count(rule);
    context_.findings.anyError = true;
    return true;
  }

  void checkForward(StageId stage, std::int32_t m) {
    if (find(Role::forward, stage, m).valid() || (m == 0 && shifted_.contains(stage.value())))
      return;
    if (tooMany(RuleId::missing_forward))
      return;
    InstructionId near = find(Role::backward, stage, m);
    if (!near.valid())
      near = find(Role::backward_input, stage, m);
    if (!near.valid())
      near = find(Role::receive_activation, stage, m);
    missing(RuleId::missing_forward, stage, m, near,
            nameOf(program_, stage) + " has no forward pass of microbatch " + std::to_string(m) +
                (near.valid() ? ", which " + nameOf(program_, near) + " belongs to" : ""));
  }

  void checkBackward(StageId stage, std::int32_t m) {
    const InstructionId whole = find(Role::backward, stage, m), input = find(Role::backward_input, stage, m),
                        weight = find(Role::backward_weight, stage, m), forward = find(Role::forward, stage, m);
    const std::string of = " of microbatch " + std::to_string(m);
    if (whole.valid() && (input.valid() || weight.valid())) {
      const InstructionId half = input.valid() ? input : weight;
      Finding finding = context_.at(RuleId::mixed_backward, half,
                                    nameOf(program_, half) + " repeats work of " + nameOf(program_, whole) +
                                        ": the gradients" + of + " would count twice");
      finding.related.push_back({whole, "the full backward pass"});
      context_.findings.add(std::move(finding));
    } else if (!whole.valid() && !input.valid() && !weight.valid()) {
      if (!tooMany(RuleId::missing_backward))
        missing(RuleId::missing_backward, stage, m, forward,
                nameOf(program_, stage) + " has no backward pass" + of +
                    ": its gradient is missing and its activations are never freed");
    } else if (!whole.valid() && input.valid() != weight.valid()) {
      missing(RuleId::missing_backward, stage, m, input.valid() ? input : weight,
              nameOf(program_, stage) + " has the " + (input.valid() ? "input" : "weight") +
                  " half of the backward pass" + of + " but not the " + (input.valid() ? "weight" : "input") + " half");
    }
  }

  // Neighbouring stages on different ranks exchange one activation and, in training, one gradient per microbatch.
  void checkMessages(StageId stage, std::int32_t m) {
    if (!program_.isFirstStage(stage)) {
      const StageId previous(stage.value() - 1);
      if (rankOf(previous) != rankOf(stage)) {
        needMessage(Role::forward, Role::receive_activation, stage, previous, m);
        if (program_.mode == Mode::training)
          needSentGradient(stage, previous, m);
      }
    }
    if (!program_.isLastStage(stage)) {
      const StageId next(stage.value() + 1);
      if (rankOf(next) != rankOf(stage)) {
        needMessage(Role::forward, Role::send_activation, stage, next, m);
        if (program_.mode == Mode::training)
          needReceivedGradient(stage, next, m);
      }
    }
  }

  void needMessage(Role computing, Role message, StageId stage, StageId other, std::int32_t m) {
    const InstructionId compute = find(computing, stage, m);
    if (!compute.valid() || find(message, stage, m).valid())
      return;
    const bool receives = message == Role::receive_activation || message == Role::receive_gradient;
    const char *what =
        message == Role::receive_activation || message == Role::send_activation ? "activation" : "gradient";
    const std::string peer =
        nameOf(program_, other) +
        (rankOf(other).valid() ? " on rank " + std::to_string(rankOf(other).value()) : " on no rank");
    missing(RuleId::missing_message, stage, m, compute,
            nameOf(program_, compute) +
                (receives
                     ? std::string(" needs the ") + what + " of " + peer + ", which this rank never receives"
                     : std::string(" makes the ") + what + " that " + peer + " needs, and this rank never sends it"));
  }
  void needSentGradient(StageId stage, StageId previous, std::int32_t m) {
    needMessage(find(Role::backward, stage, m).valid() ? Role::backward : Role::backward_input, Role::send_gradient,
                stage, previous, m);
  }
  void needReceivedGradient(StageId stage, StageId next, std::int32_t m) {
    needMessage(find(Role::backward, stage, m).valid() ? Role::backward : Role::backward_input, Role::receive_gradient,
                stage, next, m);
  }

  void checkDuplicates() {
    for (const auto &[again, first] : catalogue_.duplicates()) {
      Finding finding = context_.at(RuleId::duplicate, again,
                                    nameOf(program_, again) + " is there twice: once is right for each stage and "
                                                              "microbatch");
      finding.related.push_back({first, "the first one"});
      context_.findings.add(std::move(finding));
    }
  }

  void checkPlacement() {
    for (const auto &[k, i] : llvm::enumerate(program_.instructions)) {
      if (!i.stage.valid() || !worksOnWeights(i.opcode) || rankOf(i.stage) == i.rank || !rankOf(i.stage).valid())
        continue;
      const InstructionId id(static_cast<std::int32_t>(k));
      context_.findings.add(context_.at(RuleId::placement, id,
                                        nameOf(program_, id) + " runs on rank " + std::to_string(i.rank.value()) +
                                            ", but " + nameOf(program_, i.stage) + " is placed on rank " +
                                            std::to_string(rankOf(i.stage).value())));
    }
  }

  // A stage whose forwards are numbered 1..M where the others count 0..M-1 gets one finding that says just that.
  void checkRange() {
    for (const InstructionId id : catalogue_.outOfRange()) {
      const Instruction &i = program_.at(id);
      if (i.opcode == Opcode::forward && i.microbatch.value() == program_.microbatches &&
          !find(Role::forward, i.stage, 0).valid() && shifted_.insert(i.stage.value()).second)
        reportShift(i.stage);
      else if (!shifted_.contains(i.stage.value()))
        context_.findings.add(context_.at(RuleId::microbatch_range, id,
                                          nameOf(program_, id) + ": there is no microbatch " +
                                              std::to_string(i.microbatch.value()) + "; " + validRange()));
    }
  }

  void reportShift(StageId stage) {
    const auto row = program_.instructionsOf(rankOf(stage));
    const auto first =
        llvm::find_if(row, [&](const Instruction &i) { return i.stage == stage && i.opcode == Opcode::forward; });
    const InstructionId id(static_cast<std::int32_t>(&*first - program_.instructions.data()));
    const std::string count = std::to_string(program_.microbatches);
    context_.findings.add(
        context_.at(RuleId::microbatch_range, id,
                    "off by one: " + nameOf(program_, stage) + " numbers its forward passes 1 to " + count + ", but " +
                        validRange() + ": microbatch 0 is never forwarded here, and there is no microbatch " + count));
  }

  [[nodiscard]] std::string validRange() const {
    return "microbatches are 0 to " + std::to_string(program_.microbatches - 1);
  }

  const Context &context_;
  const Program &program_;
  const Catalogue &catalogue_;
  std::set<std::int32_t> shifted_; // stages whose forwards count from 1
};

} // namespace

void checkCompleteness(const Context &context, const Catalogue &catalogue) { Completeness(context, catalogue).run(); }

} // namespace plumbline::check
