#include "verifier/lower/row_values.h"

namespace plumbline::lower {
namespace {

constexpr std::array<const char *, valueKindCount> poolNames = {
    "inputs", "outputs", "output_gradients", "input_gradients", "stashes", "labels", "losses", "other"};

} // namespace

RowValues::RowValues(const Schedule &schedule, const std::vector<Action> &row, ProgramBuilder &builder)
    : schedule_(schedule) {
  for (const Action &action : row)
    if (action.opcode == Opcode::recompute)
      recomputed_.insert({action.stage.value(), action.microbatch.value()});
  std::array<std::int32_t, valueKindCount> used{};
  for (const Action &action : row)
    for (const Value &value : written(action)) {
      const auto [entry, isNew] = kept_.try_emplace(keyOf(value));
      if (isNew)
        entry->second.slot = used[static_cast<std::size_t>(value.kind)]++;
    }
  const RankId rank(builder.program().rankCount() - 1);
  for (std::size_t kind = 0; kind < used.size(); ++kind)
    if (used[kind] > 0)
      pools_[kind] = builder.addPool({poolNames[kind], rank, -1, -1, {}});
}

llvm::SmallVector<Value, 2> RowValues::written(const Action &a) const {
  const auto value = [&](ValueKind kind) { return Value{kind, a.stage, a.microbatch}; };
  switch (a.opcode) {
  case Opcode::load_microbatch: {
    llvm::SmallVector<Value, 2> values;
    if (isFirst(a.stage))
      values.push_back(value(ValueKind::input));
    if (isLast(a.stage))
      values.push_back(value(ValueKind::labels));
    return values;
  }
  case Opcode::receive_activation:
    return {value(ValueKind::input)};
  case Opcode::receive_gradient:
    return {value(ValueKind::output_gradient)};
  case Opcode::forward: {
    llvm::SmallVector<Value, 2> values;
    if (!isLast(a.stage) || keepsActivations(a)) // else it goes to the caller, or is thrown away
      values.push_back(value(ValueKind::output));
    if (keepsActivations(a))
      values.push_back(value(ValueKind::stash));
    return values;
  }
  case Opcode::recompute:
    return {value(ValueKind::stash)};
  case Opcode::backward:
  case Opcode::backward_input:
    if (isFirst(a.stage))
      return {};
    return {value(ValueKind::input_gradient)};
  default:
    return {};
  }
}

bool RowValues::keepsActivations(const Action &a) const {
  return schedule_.mode == Mode::training && !recomputed_.contains({a.stage.value(), a.microbatch.value()});
}

std::optional<Value> RowValues::either(const Value &first, const Value &second) const {
  if (kept_.contains(keyOf(first)))
    return first;
  if (kept_.contains(keyOf(second)))
    return second;
  return std::nullopt;
}

// Received or loaded, or else what the previous stage left on this rank.
std::optional<Value> RowValues::inputOf(const Action &a) const {
  const Value own{ValueKind::input, a.stage, a.microbatch};
  if (isFirst(a.stage))
    return either(own, own);
  return either(own, {ValueKind::output, StageId(a.stage.value() - 1), a.microbatch});
}

std::optional<Value> RowValues::outputGradientOf(const Action &a) const {
  if (isLast(a.stage))
    return std::nullopt;
  return either({ValueKind::output_gradient, a.stage, a.microbatch},
                {ValueKind::input_gradient, StageId(a.stage.value() + 1), a.microbatch});
}

llvm::SmallVector<Value, 4> RowValues::read(const Action &a) const {
  llvm::SmallVector<Value, 4> values;
  const auto add = [&](const std::optional<Value> &value) {
    if (value && kept_.contains(keyOf(*value)))
      values.push_back(*value);
  };
  const auto own = [&](ValueKind kind) { return Value{kind, a.stage, a.microbatch}; };
  switch (a.opcode) {
  case Opcode::forward:
  case Opcode::recompute:
    add(inputOf(a));
    add(own(ValueKind::labels));
    break;
  case Opcode::backward:
  case Opcode::backward_input:
    add(inputOf(a));
    if (keepsActivations(a))
      add(own(ValueKind::output));
    add(own(ValueKind::stash));
    add(outputGradientOf(a));
    break;
  case Opcode::backward_weight:
    add(inputOf(a));
    add(own(ValueKind::stash));
    add(outputGradientOf(a));
    break;
  case Opcode::send_activation:
    add(own(ValueKind::output));
    break;
  case Opcode::send_gradient:
    add(own(ValueKind::input_gradient));
    break;
  default:
    break;
  }
  return values;
}

SlotAccess RowValues::access(AccessMode mode, const Value &value, const Kept &kept) const {
  return {pools_[static_cast<std::size_t>(value.kind)], kept.slot, mode, value};
}

// A lane's own order is enough for the rest: a backward pass comes after its forward pass, which waited for the input.
bool RowValues::waitsFor(const Action &action, const Value &value) {
  switch (action.opcode) {
  case Opcode::forward:
    return value.kind == ValueKind::input;
  case Opcode::backward:
  case Opcode::backward_input:
    return value.kind == ValueKind::output_gradient;
  default:
    return isSend(action.opcode);
  }
}

RowValues::Touched RowValues::touch(const Action &action) const {
  Touched touched;
  for (const Value &value : read(action)) {
    const Kept &kept = kept_.find(keyOf(value))->second;
    touched.accesses.push_back(access(AccessMode::read, value, kept));
    if (kept.writer.valid() && waitsFor(action, value))
      touched.waits.push_back(kept.writer);
  }
  for (const Value &value : written(action))
    touched.accesses.push_back(access(AccessMode::write, value, kept_.find(keyOf(value))->second));
  return touched;
}

void RowValues::issued(const Action &action, InstructionId id) {
  for (const Value &value : written(action))
    kept_.find(keyOf(value))->second.writer = id;
}

} // namespace plumbline::lower
