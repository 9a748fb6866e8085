#include "verifier/cli/costs.h"

#include "verifier/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace plumbline::cli {
namespace {

constexpr std::int64_t ticks = 1000; // of a unit
constexpr std::size_t digits = 3;

model::Costs inTicks(model::Costs costs) {
  for (std::int64_t &cost : costs.of)
    cost *= ticks;
  costs.ticksPerUnit = ticks;
  return costs;
}

// Nothing if it is no such number.
std::optional<std::int64_t> readCost(llvm::StringRef text) {
  const auto [whole, part] = text.split('.');
  const auto areDigits = [](llvm::StringRef s) { return llvm::all_of(s, llvm::isDigit); };
  if ((whole.empty() && part.empty()) || !areDigits(whole) || !areDigits(part) || part.size() > digits)
    return std::nullopt;
  const std::string inAll = (whole + part).str() + std::string(digits - part.size(), '0');
  std::int64_t cost = 0;
  if (llvm::StringRef(inAll).getAsInteger(10, cost) || cost > model::mostCost)
    return std::nullopt;
  return cost;
}

llvm::SmallVector<Opcode, 6> opcodesNamed(llvm::StringRef text) {
  constexpr std::pair<const char *, Opcode> letters[] = {{"F", Opcode::forward},
                                                         {"B", Opcode::backward},
                                                         {"I", Opcode::backward_input},
                                                         {"W", Opcode::backward_weight},
                                                         {"R", Opcode::recompute}};
  for (const auto &[letter, opcode] : letters)
    if (text == letter)
      return {opcode};
  llvm::SmallVector<Opcode, 6> found;
  const auto addMessage = [&](Opcode send) { found.append({send, receiveOf(send)}); };
  if (text == "message") {
    for (const Opcode send : {Opcode::send_activation, Opcode::send_gradient, Opcode::send_message})
      addMessage(send);
    return found;
  }
  const std::optional<Opcode> opcode = opcodeFromName(text);
  if (!opcode || isReceive(*opcode))
    return {};
  if (isSend(*opcode))
    addMessage(*opcode);
  else
    found.push_back(*opcode);
  return found;
}

} // namespace

std::string addCosts(llvm::StringRef text, std::optional<model::Costs> &costs) {
  if (!costs)
    costs = inTicks(model::unitCosts());
  llvm::SmallVector<llvm::StringRef, 8> parts;
  text.split(parts, ',');
  for (const llvm::StringRef part : parts) {
    const auto [what, number] = part.split('=');
    const llvm::SmallVector<Opcode, 6> opcodes = opcodesNamed(what);
    if (opcodes.empty())
      return "--cost takes WHAT=N, where WHAT is an opcode such as forward, backward or send_activation, or F, B, I, "
             "W, R or message; got " +
             inQuotes(part.str());
    const std::optional<std::int64_t> cost = readCost(number);
    if (!cost)
      return "--cost takes numbers from 0 to 100000 with at most three digits after the point; got " +
             inQuotes(part.str());
    for (const Opcode opcode : opcodes)
      costs->of[static_cast<std::size_t>(opcode)] = *cost;
  }
  return "";
}

} // namespace plumbline::cli
