#include "verifier/check/matching.h"

#include "verifier/ir/words.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

namespace plumbline::check {
namespace {

// What a message carries, seen from the sender: (receiving opcode, receiving stage, microbatch, label).
using Identity = std::tuple<Opcode, std::int32_t, std::int32_t, std::int32_t>;

Identity identityOf(const Instruction &i) {
  const std::int32_t microbatch = i.microbatch.value(), label = i.label.value(), stage = i.stage.value();
  switch (i.opcode) {
  case Opcode::send_activation:
    return {Opcode::receive_activation, stage + 1, microbatch, label};
  case Opcode::send_gradient:
    return {Opcode::receive_gradient, stage - 1, microbatch, label};
  case Opcode::send_message:
    return {Opcode::receive_message, -1, microbatch, label};
  case Opcode::receive_message:
    return {i.opcode, -1, microbatch, label};
  default:
    return {i.opcode, stage, microbatch, label};
  }
}

class Matching {
public:
  explicit Matching(const Context &context) : context_(context), program_(context.program) {}

  void run() {
    for (const model::Channel &channel : context_.graph.matching.channels) {
      sends_ = llvm::ArrayRef(context_.graph.matching.channelSends).slice(channel.firstSend, channel.sendCount);
      receives_ =
          llvm::ArrayRef(context_.graph.matching.channelReceives).slice(channel.firstReceive, channel.receiveCount);
      if (sends_.size() == receives_.size())
        checkPairs();
      else
        checkCounts();
    }
    for (const model::Collective &collective : context_.graph.matching.collectives)
      checkCollective(collective);
    for (std::size_t k = 0; k < program_.instructions.size(); ++k)
      checkMember(InstructionId(static_cast<std::int32_t>(k)));
  }

private:
  [[nodiscard]] Identity identity(InstructionId id) const { return identityOf(program_.at(id)); }

  // Equal counts: the n-th send meets the n-th receive, whatever they carry. Only the first pair of a channel that
  // does not fit is a fault of its own; those behind it follow from it.
  void checkPairs() {
    std::size_t crossed = 0;
    std::size_t first = 0;
    for (std::size_t n = 0; n < sends_.size(); ++n) {
      if (identity(sends_[n]) == identity(receives_[n])) {
        checkSize(sends_[n], receives_[n]);
        continue;
      }
      if (crossed++ == 0)
        first = n;
    }
    if (crossed > 0)
      reportCrossed(first, crossed);
  }

  void reportCrossed(std::size_t n, std::size_t count) {
    const InstructionId send = sends_[n], receive = receives_[n];
    const std::string source = std::to_string(program_.at(send).rank.value());
    const std::string destination = std::to_string(program_.at(receive).rank.value());
    std::string message = nameOf(program_, receive) + " gets what " + nameOf(program_, send) + " of rank " + source +
                          " sends: each is message " + std::to_string(n + 1) + " from rank " + source + " to rank " +
                          destination +
                          ". Messages pair by position, so nothing reports the swap and training goes on "
                          "with wrong data";
    Finding finding = context_.at(RuleId::crossed_messages, receive, std::move(message));
    finding.related.push_back({send, "the message that arrives here"});
    const auto meant = llvm::find_if(sends_, [&](InstructionId s) { return identity(s) == identity(receive); });
    if (meant != sends_.end())
      finding.related.push_back(
          {*meant, "the message meant for it is number " + std::to_string(meant - sends_.begin() + 1)});
    if (count > 1)
      finding.related.push_back(
          {InstructionId(), counted(count, "message") + " of this channel meet the wrong receive"});
    context_.findings.add(std::move(finding));
  }

  // Different counts: name the messages that only one side knows.
  void checkCounts() {
    std::map<Identity, std::int64_t> surplus;
    for (const InstructionId s : sends_)
      ++surplus[identity(s)];
    for (const InstructionId r : receives_)
      --surplus[identity(r)];
    const bool tooManySends = sends_.size() > receives_.size();
    const std::size_t excess = tooManySends ? sends_.size() - receives_.size() : receives_.size() - sends_.size();
    std::size_t reported = 0;
    for (const InstructionId id : llvm::reverse(tooManySends ? sends_ : receives_)) {
      std::int64_t &left = surplus[identity(id)];
      if (reported == excess || (tooManySends ? left <= 0 : left >= 0))
        continue;
      left += tooManySends ? -1 : 1;
      ++reported;
      reportUnmatched(id);
    }
  }

  void reportUnmatched(InstructionId id) {
    const Instruction &i = program_.at(id);
    const bool send = isSend(i.opcode);
    const std::string peer = "rank " + std::to_string(i.peer.value());
    std::string message = nameOf(program_, id) +
                          (send ? " is never received: " + peer + " has no receive for it"
                                : " waits for a message that " + peer + " never sends") +
                          ". " +
                          (send ? "This rank hangs in the send, or a later message is taken for it"
                                : "This rank hangs here, or takes a later message for it");
    Finding finding = context_.at(send ? RuleId::unmatched_send : RuleId::unmatched_receive, id, std::move(message));
    finding.related.push_back(
        {InstructionId(), peer + " " + (send ? "receives " : "sends ") +
                              std::to_string(send ? receives_.size() : sends_.size()) + " of the " +
                              std::to_string(send ? sends_.size() : receives_.size()) + " messages on this channel"});
    context_.findings.add(std::move(finding));
  }

  // Sizes are not checked by NCCL: a receive smaller than the message loses the rest, a larger one never ends
  // (NVIDIA/nccl issues 1938 and 1417).
  void checkSize(InstructionId send, InstructionId receive) {
    const Instruction &s = program_.at(send), &r = program_.at(receive);
    const bool sizes = s.bytes != 0 && r.bytes != 0 && s.bytes != r.bytes;
    const bool types = s.elementType != ElementType::unknown && r.elementType != ElementType::unknown &&
                       s.elementType != r.elementType;
    if (!sizes && !types)
      return;
    std::string message = nameOf(program_, receive) + " expects ";
    message += sizes ? std::to_string(r.bytes) + " bytes, but " + std::to_string(s.bytes) + " are sent" : std::string();
    if (types)
      message += (sizes ? ", and elements of type " : "elements of type ") + name(r.elementType).str() + ", but " +
                 name(s.elementType).str() + " are sent";
    message += sizes && r.bytes > s.bytes ? ": the receive never ends"
               : sizes                    ? ": the rest is lost"
                                          : ": the values are misread";
    Finding finding = context_.at(RuleId::size_mismatch, receive, std::move(message));
    finding.related.push_back({send, "the send"});
    context_.findings.add(std::move(finding));
  }

  void checkMember(InstructionId id) {
    const Instruction &i = program_.at(id);
    if (!model::isCommunication(i))
      return;
    const Communicator &c = program_.communicators[static_cast<std::size_t>(i.communicator.value())];
    if (!c.members.empty() && !llvm::is_contained(c.members, i.rank))
      context_.findings.add(context_.at(RuleId::not_a_member, id,
                                        nameOf(program_, id) + " uses communicator '" + c.name + "', which rank " +
                                            std::to_string(i.rank.value()) + " is not a member of"));
  }

  void checkCollective(const model::Collective &collective) {
    const InstructionId first = collective.members.front();
    if (!collective.missing.empty()) {
      std::string ranks;
      for (const RankId rank : collective.missing)
        ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank.value());
      context_.findings.add(context_.at(RuleId::collective_mismatch, first,
                                        nameOf(program_, first) + " is a collective that rank " + ranks +
                                            " never joins: every rank in it hangs"));
    }
    const Instruction &a = program_.at(first);
    for (const InstructionId other : llvm::drop_begin(collective.members)) {
      const Instruction &b = program_.at(other);
      const bool roots = a.opcode == Opcode::broadcast && a.peer != b.peer;
      const bool sizes = a.bytes != 0 && b.bytes != 0 && a.bytes != b.bytes;
      // A broadcast moves one tensor: both sides must mean the same microbatch of it.
      const bool tensors = a.opcode == Opcode::broadcast && a.microbatch != b.microbatch;
      if (a.opcode == b.opcode && a.label == b.label && !roots && !sizes && !tensors)
        continue;
      Finding finding = context_.at(RuleId::collective_mismatch, other,
                                    nameOf(program_, other) + " meets " + nameOf(program_, first) + " of rank " +
                                        std::to_string(a.rank.value()) +
                                        " in one collective: operation, root, microbatch and size must agree");
      finding.related.push_back({first, "the other side"});
      context_.findings.add(std::move(finding));
      return;
    }
  }

  const Context &context_;
  const Program &program_;
  llvm::ArrayRef<InstructionId> sends_, receives_;
};

} // namespace

void checkMatching(const Context &context) { Matching(context).run(); }

} // namespace plumbline::check
