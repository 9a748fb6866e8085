#include "verifier/frontend/pytorch_action.h"

#include "verifier/ir/framework_words.h"
#include "verifier/ir/limits.h"
#include "verifier/ir/text.h"

#include "llvm/ADT/StringExtras.h"

namespace plumbline::frontend::pytorch {
namespace {

bool hasMicrobatch(Opcode opcode) {
  return opcode != Opcode::unshard && opcode != Opcode::reshard && opcode != Opcode::reduce_gradients;
}

std::string unknown(llvm::StringRef word) {
  if (word == "BW")
    return "'BW' is PyTorch's older spelling, in which BW was the full backward and B its input half; "
           "expected today's: B for the full backward, I for the input half";
  if (word == "OVERLAP_F_B")
    return "expected the overlapped actions in parentheses before OVERLAP_F_B";
  if (word.starts_with("WAIT_"))
    return "the waits of newer PyTorch are not read; tools/export_pytorch.py writes a file of the same schedule that "
           "is";
  return "unknown action " + inQuotes(word) +
         "; expected F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, UNSHARD, RESHARD or REDUCE_GRAD";
}

std::optional<CellFault> readNumber(Scanner &scanner, const char *what, std::int32_t &result) {
  const Number number = scanner.number(static_cast<std::uint64_t>(maxNumber) - 1);
  if (number.status == Number::Status::tooLarge)
    return CellFault{scanner.offset(), std::string(what) + " is not below " + std::to_string(maxNumber)};
  if (number.status == Number::Status::missing)
    return CellFault{scanner.offset(), std::string("expected ") + what + ", found " +
                                           (scanner.atEnd() ? "the end of the cell" : inQuotes(scanner.rest()))};
  result = static_cast<std::int32_t>(number.value);
  return std::nullopt;
}

std::optional<CellFault> readOverlap(llvm::StringRef cell, llvm::SmallVectorImpl<Action> &actions) {
  Scanner scanner(cell, 1);
  for (std::size_t members = 1;; ++members) {
    scanner.skipBlanks();
    std::size_t offset = scanner.offset();
    Action action;
    if (std::optional<CellFault> fault = parseAction(cell, ";) \t", offset, action))
      return fault;
    if (action.opcode != Opcode::forward && !isBackward(action.opcode))
      return CellFault{scanner.offset(), "only F, B, I and W can overlap"};
    if (members > maxOverlapMembers)
      return CellFault{scanner.offset(), "more than " + std::to_string(maxOverlapMembers) + " overlapped actions"};
    actions.push_back(action);
    scanner = Scanner(cell, offset);
    scanner.skipBlanks();
    if (scanner.consume(')'))
      break;
    if (!scanner.consume(';'))
      return CellFault{scanner.offset(), "expected ';' or ')' within the overlapped actions"};
  }
  scanner.skipBlanks();
  if (scanner.rest() != "OVERLAP_F_B")
    return CellFault{scanner.offset(), "expected OVERLAP_F_B after ')'"};
  return std::nullopt;
}

} // namespace

std::optional<CellFault> parseAction(llvm::StringRef cell, llvm::StringRef stops, std::size_t &offset, Action &action) {
  Scanner scanner(cell, offset);
  action.location.column = static_cast<std::uint32_t>(offset);
  std::int32_t number = 0;
  if (std::optional<CellFault> fault = readNumber(scanner, "a stage's number", number))
    return fault;
  action.stage = StageId(number);

  const std::size_t wordAt = scanner.offset();
  const llvm::StringRef word = scanner.takeWhile([](char c) { return llvm::isAlpha(c) || c == '_'; });
  const std::optional<Opcode> opcode = opcodeFromPyTorchWord(word);
  if (!opcode)
    return CellFault{wordAt,
                     word.empty() ? "expected an action such as F or SEND_F after the stage's number" : unknown(word)};
  action.opcode = *opcode;
  if (hasMicrobatch(*opcode)) {
    if (std::optional<CellFault> fault = readNumber(scanner, "a microbatch's number", number))
      return fault;
    action.microbatch = MicrobatchId(number);
  }
  if (!scanner.atEnd() && !stops.contains(scanner.peek()))
    return CellFault{scanner.offset(), "expected the end of the action, found " + inQuotes(scanner.rest())};
  offset = scanner.offset();
  return std::nullopt;
}

std::optional<CellFault> parseCell(llvm::StringRef cell, llvm::SmallVectorImpl<Action> &actions) {
  if (cell.starts_with("("))
    return readOverlap(cell, actions);
  Action action;
  std::size_t offset = 0;
  if (std::optional<CellFault> fault = parseAction(cell, "", offset, action))
    return fault;
  actions.push_back(action);
  return std::nullopt;
}

} // namespace plumbline::frontend::pytorch
