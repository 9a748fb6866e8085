#include "verifier/frontend/dualpipe_json.h"

#include "verifier/frontend/json_reader.h"
#include "verifier/frontend/schedule_size.h"
#include "verifier/ir/limits.h"
#include "verifier/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace plumbline::frontend {
namespace {

using Place = JsonReader::Place;

constexpr std::int32_t maxValue = static_cast<std::int32_t>(maxNumber);

// The fields of one operation as they stand in the text; -1 and empty: not there.
struct Operation {
  Place place;
  llvm::StringRef op;
  std::int32_t direction = -1;
  std::int32_t microbatch = -1;
  std::int32_t peer = -1;
  Place peerPlace;
};

std::optional<Opcode> computeOpcode(llvm::StringRef op) {
  return llvm::StringSwitch<std::optional<Opcode>>(op)
      .Case("F", Opcode::forward)
      .Case("B", Opcode::backward)
      .Case("I", Opcode::backward_input)
      .Case("W", Opcode::backward_weight)
      .Default(std::nullopt);
}

std::optional<Opcode> messageOpcode(llvm::StringRef op) {
  return llvm::StringSwitch<std::optional<Opcode>>(op)
      .Case("SEND_F", Opcode::send_activation)
      .Case("RECV_F", Opcode::receive_activation)
      .Case("SEND_B", Opcode::send_gradient)
      .Case("RECV_B", Opcode::receive_gradient)
      .Default(std::nullopt);
}

class Reader {
public:
  explicit Reader(const Source &file) : file_(file), json_(file) {}

  Result<Schedule> run() {
    if (!readFile() || !json_.end() || !finish())
      return *json_.error();
    return std::move(schedule_);
  }

private:
  // Each of these returns false after it has told json_ what is wrong.
  bool readFile() {
    return json_.object([this](llvm::StringRef key, Place place) {
      if (key == "rank_programs")
        return readPrograms(place);
      if (key == "ranks")
        return json_.integer(ranks_, maxValue);
      if (key == "chunks") {
        chunksPlace_ = place;
        return json_.integer(chunks_, 2 * maxValue);
      }
      if (key == "chunks_per_dir")
        return json_.integer(chunksPerDirection_, maxValue);
      if (key == "forward_only")
        return json_.boolean(forwardOnly_);
      return json_.skip();
    });
  }

  bool readPrograms(Place place) {
    if (programsPlace_)
      return json_.fail(place, "'rank_programs' is there twice");
    programsPlace_ = place;
    return json_.array([this] {
      if (static_cast<std::int64_t>(schedule_.ranks.size()) == maxNumber)
        return json_.fail(json_.place(), "more than " + std::to_string(maxNumber) + " ranks");
      schedule_.ranks.emplace_back();
      return json_.array([this] { return readOperation(); });
    });
  }

  bool readOperation() {
    Operation operation;
    llvm::SmallVector<Operation, 4> members; // of COMMIT, or f and b of FB
    operation.place = json_.place();
    std::optional<Operation> forward, backward;
    const bool read = json_.object([&](llvm::StringRef key, Place) {
      if (key == "ops")
        return json_.array([&] { return readPlain(members.emplace_back()); });
      if (key == "f")
        return readPlain(forward.emplace());
      if (key == "b")
        return readPlain(backward.emplace());
      return readField(key, operation);
    });
    if (!read)
      return false;
    if (operation.op == "COMMIT")
      return addCommit(members);
    if (operation.op == "FB")
      return addOverlap(operation, forward, backward);
    const std::optional<Opcode> opcode = computeOpcode(operation.op);
    if (!opcode)
      return json_.fail(operation.place, (operation.op.empty() ? std::string("the operation has no \"op\"")
                                                               : "unknown operation " + inQuotes(operation.op)) +
                                             "; expected F, B, I, W, FB or COMMIT");
    return add(*opcode, operation, GroupId());
  }

  // An operation without members.
  bool readPlain(Operation &operation) {
    operation.place = json_.place();
    return json_.object([&](llvm::StringRef key, Place) { return readField(key, operation); });
  }

  bool readField(llvm::StringRef key, Operation &operation) {
    if (key == "op")
      return json_.string(operation.op);
    if (key == "dir")
      return json_.integer(operation.direction, 1);
    if (key == "mb")
      return json_.integer(operation.microbatch, maxValue - 1);
    if (key == "peer") {
      operation.peerPlace = json_.place();
      return json_.integer(operation.peer, maxValue - 1);
    }
    return json_.skip();
  }

  bool addCommit(llvm::ArrayRef<Operation> members) {
    const GroupId group = members.empty() ? GroupId() : GroupId(schedule_.groupCount++);
    return llvm::all_of(members, [&](const Operation &member) {
      const std::optional<Opcode> opcode = messageOpcode(member.op);
      if (!opcode)
        return json_.fail(member.place, "expected SEND_F, RECV_F, SEND_B or RECV_B within a COMMIT");
      if (member.peer < 0)
        return json_.fail(member.place, "the message has no \"peer\"");
      highestPeer_ = member.peer > highestPeer_.peer ? member : highestPeer_;
      return add(*opcode, member, group);
    });
  }

  bool addOverlap(const Operation &whole, const std::optional<Operation> &forward,
                  const std::optional<Operation> &backward) {
    if (!forward || !backward)
      return json_.fail(whole.place, "expected \"f\" and \"b\" in an FB operation");
    const GroupId group(schedule_.groupCount++);
    return add(Opcode::forward, *forward, group) && add(Opcode::backward, *backward, group);
  }

  bool add(Opcode opcode, const Operation &operation, GroupId group) {
    if (operation.direction < 0 || operation.microbatch < 0)
      return json_.fail(operation.place, "expected \"dir\" and \"mb\" in the operation");
    if (++count_ > maxInstructions)
      return json_.fail(operation.place, "more than " + std::to_string(maxInstructions) + " operations");
    Action action;
    action.opcode = opcode;
    action.stage = StageId(operation.direction); // made a stage by finish(), which knows the number of ranks
    action.microbatch = MicrobatchId(operation.microbatch);
    action.peer = RankId(isPointToPoint(opcode) ? operation.peer : -1);
    action.group = group;
    action.location = {FileId(0), operation.place.line, operation.place.column};
    schedule_.hasCommunication |= isPointToPoint(opcode);
    schedule_.ranks.back().push_back(action);
    return true;
  }

  bool finish() {
    const Place whole{1, 1};
    if (!programsPlace_)
      return json_.fail(whole, "expected \"rank_programs\" in the object");
    const std::int32_t ranks = static_cast<std::int32_t>(schedule_.ranks.size());
    if (count_ == 0)
      return json_.fail(*programsPlace_, "expected at least one operation");
    if (ranks_ >= 0 && ranks_ != ranks)
      return json_.fail(*programsPlace_, "\"ranks\" is " + std::to_string(ranks_) + ", but there are " +
                                             std::to_string(ranks) + " programs");
    if (chunks_ >= 0 && (chunks_ % 2 != 0 || (chunksPerDirection_ >= 0 && chunksPerDirection_ != chunks_ / 2)))
      return json_.fail(chunksPlace_,
                        "expected \"chunks\" to be twice the chunks of each direction, not " + std::to_string(chunks_));
    if (highestPeer_.peer >= ranks)
      return json_.fail(highestPeer_.peerPlace,
                        "there is no rank " + std::to_string(highestPeer_.peer) + " to exchange a message with");
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      for (Action &action : schedule_.ranks[static_cast<std::size_t>(rank)])
        action.stage = StageId(action.stage.value() == 0 ? rank : ranks + (ranks - 1 - rank));
    return describe(ranks, whole);
  }

  bool describe(std::int32_t ranks, Place whole) {
    schedule_.name = file_.name;
    schedule_.files = {file_.name};
    schedule_.waitsForGroups = true;
    schedule_.replicas = 2;
    schedule_.stagesPerReplica = ranks;
    schedule_.microbatches = chunksPerDirection_ >= 0 ? chunksPerDirection_
                             : chunks_ >= 0           ? chunks_ / 2
                                                      : countMicrobatches(schedule_);
    schedule_.mode = forwardOnly_ ? Mode::inference : modeOf(schedule_);
    return 2 * std::int64_t(ranks) * schedule_.microbatches <= maxPairs ||
           json_.fail(whole, "stages times microbatches is more than " + std::to_string(maxPairs));
  }

  const Source &file_;
  JsonReader json_;
  Schedule schedule_;
  std::int32_t ranks_ = -1, chunks_ = -1, chunksPerDirection_ = -1;
  bool forwardOnly_ = false;
  std::int64_t count_ = 0;
  Operation highestPeer_;
  std::optional<Place> programsPlace_;
  Place chunksPlace_;
};

} // namespace

Result<Schedule> readDualPipeJson(const Source &file) { return Reader(file).run(); }

} // namespace plumbline::frontend
