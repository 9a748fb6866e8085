#include "verifier/cli/model_options.h"

#include "verifier/cli/subcommands.h"

namespace plumbline::cli {

namespace cl = llvm::cl;

ModelOptions::ModelOptions(llvm::ArrayRef<cl::SubCommand *> all, llvm::ArrayRef<cl::SubCommand *> judging)
    : kind_("model", cl::desc("how ranks execute (default: blocking for DeepSpeed lists, else nccl)"),
            cl::values(clEnumValN(model::Kind::blocking, "blocking", "one queue a rank, every instruction blocks"),
                       clEnumValN(model::Kind::nccl, "nccl", "a compute queue, and one per communicator"),
                       clEnumValN(model::Kind::mpi, "mpi", "as nccl, small messages (--room-bytes) are eager")),
            cl::cat(category), OfCommands(all)),
      comms_("comms", cl::desc("communicators of the messages (default single; .pir files name their own)"),
             cl::values(clEnumValN(model::Comms::single, "single", "one for the pipeline"),
                        clEnumValN(model::Comms::pair, "pair", "one for each pair of ranks"),
                        clEnumValN(model::Comms::directed, "directed", "one for each pair and direction")),
             cl::cat(category), OfCommands(all)),
      room_("room", cl::desc("messages that a channel holds before its sends block (default 0)"), cl::value_desc("K"),
            cl::init(0), cl::cat(category), OfCommands(all)),
      roomBytes_("room-bytes",
                 cl::desc("in place of --room: bytes that a channel holds (nccl), or the eager limit (mpi)"),
                 cl::value_desc("N"), cl::init(-1), cl::cat(category), OfCommands(all)),
      grouping_(
          "group", cl::desc("fused launches"),
          cl::values(clEnumValN(model::Grouping::given, "given", "as the input says; members progress independently"),
                     clEnumValN(model::Grouping::none, "none", "taken apart"),
                     clEnumValN(model::Grouping::atomic, "atomic",
                                "nothing moves before all partners are "
                                "there")),
          cl::init(model::Grouping::given), cl::cat(category), OfCommands(all)),
      wait_("wait", cl::desc("what ranks wait for (default use; group where the input has fused launches)"),
            cl::values(clEnumValN(model::Wait::use, "use", "the receive that a computation needs"),
                       clEnumValN(model::Wait::group, "group", "each launch before anything more is issued")),
            cl::cat(category), OfCommands(all)),
      connect_("connect", cl::desc("connections"),
               cl::values(clEnumValN(model::Connect::ready, "ready", "exist before the first step"),
                          clEnumValN(model::Connect::firstUse, "first-use",
                                     "are made by blocking hosts at the first message")),
               cl::init(model::Connect::ready), cl::cat(category), OfCommands(all)),
      plan_("plan", cl::desc("cut launches of more than N operations, as NCCL does (default 0: no cut)"),
            cl::value_desc("N"), cl::init(0), cl::cat(category), OfCommands(all)),
      streams_("streams", cl::desc("queues of one device"),
               cl::values(clEnumValN(model::Streams::independent, "independent", "progress on their own"),
                          clEnumValN(model::Streams::any, "any", "may be run one after another, in any order")),
               cl::init(model::Streams::independent), cl::cat(category), OfCommands(judging)),
      strict_("strict", cl::desc("what only hangs while connections are first made is an error, not a warning"),
              cl::cat(category), OfCommands(judging)) {}

std::string ModelOptions::take(Settings &settings) const {
  constexpr long long most = 1'000'000'000;
  if (room_ < 0 || room_ > most)
    return "--room takes a number of messages from 0 to 1000000000";
  if (plan_ < 0 || plan_ > most)
    return "--plan takes a number of operations from 0 (no cut) to 1000000000";
  if (roomBytes_.getNumOccurrences() > 0 && roomBytes_ < 0)
    return "--room-bytes takes a number of bytes, 0 or more";
  if (room_.getNumOccurrences() > 0 && roomBytes_.getNumOccurrences() > 0)
    return "--room and --room-bytes exclude each other: a channel's room is counted in messages or in bytes";
  if (kind_.getNumOccurrences() > 0)
    settings.kind = kind_;
  if (comms_.getNumOccurrences() > 0)
    settings.comms = comms_;
  if (wait_.getNumOccurrences() > 0)
    settings.wait = wait_;
  settings.room = static_cast<std::int32_t>(room_);
  settings.roomGiven = room_.getNumOccurrences() > 0;
  settings.roomBytes = roomBytes_;
  settings.plan = static_cast<std::int32_t>(plan_);
  settings.grouping = grouping_;
  settings.connect = connect_;
  settings.streams = streams_;
  settings.strict = strict_;
  return "";
}

} // namespace plumbline::cli
