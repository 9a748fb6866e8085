#include "verifier/check/liveness.h"

#include "verifier/check/deadlock.h"
#include "verifier/ir/words.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {
namespace {

class Liveness {
public:
  Liveness(const Context &context, const PoolHistory &history, const RankPrecedence &precedence, ChainClaims &claims)
      : context_(context), program_(context.program), history_(history), precedence_(precedence), claims_(claims) {}

  void run() {
    for (const DanglingRead &read : history_.dangling)
      reportDangling(read);
    for (const Instance &instance : history_.instances)
      checkReads(instance);
    for (std::size_t s = 0; s + 1 < history_.slotStarts.size(); ++s)
      for (std::uint32_t k = history_.slotStarts[s]; k < history_.slotStarts[s + 1]; ++k) {
        if (k + 1 < history_.slotStarts[s + 1])
          checkReplaced(history_.instances[k], history_.instances[k + 1]);
        else if (unread(history_.instances[k]))
          reportLeak(history_.instances[k]);
      }
  }

private:
  [[nodiscard]] std::string valueName(const Instance &instance) const {
    return nameOf(program_, instance.access->value, program_.at(instance.writer).stage);
  }
  [[nodiscard]] std::string slotOf(const Instance &instance) const { return slotName(program_, *instance.access); }

  // Nothing reads it, nor would if the program did not hang.
  static bool unread(const Instance &instance) { return instance.readers.empty() && !instance.readerBehindHang; }

  void checkReads(const Instance &instance) {
    for (const InstructionId reader : instance.readers) {
      if (precedence_.doneBefore(instance.writer, reader, &claims_))
        continue;
      if (!keepAndConfirm(RuleId::read_before_written, reader, instance.writer))
        continue;
      const bool always = alwaysBefore(reader, instance.writer);
      Finding finding = context_.at(RuleId::read_before_written, reader,
                                    nameOf(program_, reader) + (always ? " reads " : " may read ") + slotOf(instance) +
                                        " before " + nameOf(program_, instance.writer) + " has put " +
                                        valueName(instance) + " there: it works on stale data");
      finding.pool = history_.pool;
      finding.related.push_back({instance.writer, "the value is written here"});
      context_.findings.add(std::move(finding));
    }
  }

  // `next` is the value written into the slot after `old`.
  void checkReplaced(const Instance &old, const Instance &next) {
    llvm::SmallVector<InstructionId, 4> pending;
    for (const InstructionId reader : old.readers)
      if (reader != next.writer && !precedence_.doneBefore(reader, next.writer, &claims_))
        pending.push_back(reader);
    const bool writePending =
        old.writer != next.writer && old.readers.empty() && !precedence_.doneBefore(old.writer, next.writer, &claims_);
    if (!pending.empty())
      reportOverwritten(old, next, pending);
    else if (unread(old) || writePending)
      reportWrittenTwice(old, next, writePending);
  }

  void reportOverwritten(const Instance &old, const Instance &next, llvm::ArrayRef<InstructionId> pending) {
    const InstructionId reader = pending.front();
    if (!keepAndConfirm(RuleId::overwritten, next.writer, reader))
      return;
    const bool always = alwaysBefore(next.writer, reader);
    Finding finding = context_.at(RuleId::overwritten, next.writer,
                                  fullNameOf(program_, next.writer) + (always ? " overwrites " : " may overwrite ") +
                                      slotOf(old) + ", which still holds " + valueName(old) + " for " +
                                      nameOf(program_, reader) + ": " + consequence(reader));
    finding.pool = history_.pool;
    finding.related.push_back({reader, "the pending reader: " + fullNameOf(program_, reader)});
    finding.related.push_back({old.writer, "the value was written here"});
    for (const InstructionId other : llvm::drop_begin(pending))
      finding.related.push_back({other, "another pending reader: " + fullNameOf(program_, other)});
    context_.findings.add(std::move(finding));
  }

  [[nodiscard]] std::string consequence(InstructionId reader) const {
    const Instruction &r = program_.at(reader);
    const auto neighbour = [&](int step) { return nameOf(program_, StageId(r.stage.value() + step)); };
    switch (r.opcode) {
    case Opcode::send_gradient:
      return r.stage.value() > 0 ? neighbour(-1) + " gets a corrupted gradient" : "the gradient sent is corrupted";
    case Opcode::send_activation:
      return r.stage.valid() && !program_.isLastStage(r.stage) ? neighbour(1) + " gets a corrupted activation"
                                                               : "the activation sent is corrupted";
    case Opcode::backward:
    case Opcode::backward_input:
    case Opcode::backward_weight:
      return "its gradients are silently wrong";
    default:
      return "it works on another microbatch's data";
    }
  }

  void reportWrittenTwice(const Instance &old, const Instance &next, bool racing) {
    if (!context_.findings.wanted(RuleId::written_twice)) {
      context_.findings.count(RuleId::written_twice);
      context_.findings.anyError = true;
      return;
    }
    Finding finding =
        context_.at(RuleId::written_twice, next.writer,
                    fullNameOf(program_, next.writer) + " overwrites " + slotOf(old) + ", where " + valueName(old) +
                        " was never read" + (racing ? ", and may still be being written" : "") + ": it is lost");
    finding.pool = history_.pool;
    finding.related.push_back({old.writer, "the value that is lost was written here"});
    context_.findings.add(std::move(finding));
  }

  void reportDangling(const DanglingRead &read) {
    if (!context_.findings.wanted(RuleId::read_before_written)) {
      context_.findings.count(RuleId::read_before_written);
      context_.findings.anyError = true;
      return;
    }
    const std::string value = nameOf(program_, read.access->value, program_.at(read.reader).stage);
    std::string message = fullNameOf(program_, read.reader) + " expects " + value + " in " +
                          slotName(program_, *read.access) + ", but nothing writes it there";
    if (read.lastAccess)
      message += "; it finds " + nameOf(program_, read.lastAccess->value, program_.at(read.reader).stage);
    Finding finding = context_.at(RuleId::read_before_written, read.reader, std::move(message));
    finding.pool = history_.pool;
    if (read.lastWriter.valid())
      finding.related.push_back({read.lastWriter, "what it finds was written here"});
    context_.findings.add(std::move(finding));
  }

  void reportLeak(const Instance &instance) {
    Finding finding =
        context_.at(RuleId::leak, instance.writer,
                    slotOf(instance) + " holds " + valueName(instance) + " that " + nameOf(program_, instance.writer) +
                        " writes and nothing ever reads: the memory is never freed");
    finding.severity = Severity::warning;
    finding.pool = history_.pool;
    context_.findings.add(std::move(finding));
  }

  // Is `first` done before `second` begins in every execution, so that the fault is certain?
  [[nodiscard]] bool alwaysBefore(InstructionId first, InstructionId second) const {
    return precedence_.doneBefore(first, second, nullptr);
  }

  // Counts a finding beyond the limit and returns false; otherwise lets Z3 confirm that some execution begins
  // `intruder` before `holder` is done, and returns whether it did.
  bool keepAndConfirm(RuleId rule, InstructionId intruder, InstructionId holder) {
    if (!context_.findings.wanted(rule)) {
      context_.findings.count(rule);
      context_.findings.anyError = true;
      return false;
    }
    const smt::Judgement judged = confirm(intruder, holder);
    if (judged.answer == smt::Answer::yes)
      return true;
    context_.undecided.push_back("slot use of " + fullNameOf(program_, intruder) + ": " + judged.failure);
    return false;
  }

  smt::Judgement confirm(InstructionId intruder, InstructionId holder) {
    const model::EventGraph &graph = context_.graph;
    const model::Event begin = graph.begin(intruder), done = graph.completion(holder);
    if (precedence_.laneOf(intruder) == precedence_.laneOf(holder) &&
        precedence_.positionOf(intruder) < precedence_.positionOf(holder)) {
      ChainClaims certain; // B(intruder) < E(intruder) <= B(holder) < C(holder)
      certain.add({true, false, true}, true);
      return certain.prove(context_.session, "order in the queue");
    }
    if (!context_.order.happens(done)) // the holder hangs and never lets go of the slot
      return {smt::Answer::yes, ""};
    const model::ExtraEdge overlap{begin, done, true};
    const model::Order order = model::orderEvents(graph, overlap);
    if (order.sequence.size() != context_.order.sequence.size())
      return {smt::Answer::no, "the execution that was found does not exist"};
    return proveOrder(graph, order, overlap, context_.session, "counterexample");
  }

  const Context &context_;
  const Program &program_;
  const PoolHistory &history_;
  const RankPrecedence &precedence_;
  ChainClaims &claims_;
};

} // namespace

void checkLiveness(const Context &context, const PoolHistory &history, const RankPrecedence &precedence,
                   ChainClaims &claims) {
  Liveness(context, history, precedence, claims).run();
}

} // namespace plumbline::check
