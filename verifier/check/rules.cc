#include "verifier/check/rule.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {
namespace {

constexpr const char *goodPair = "0F0,0SEND_F0,0RECV_B0,0B0\n"
                                 "1RECV_F0,1F0,1B0,1SEND_B0\n";

constexpr Rule table[] = {
    {RuleId::missing_forward, "a forward pass is missing",
     "Every stage runs one forward pass of every microbatch. Without it there are no activations to train on, and the "
     "stages behind wait for a message that never comes.",
     "Add the forward pass, or correct the number of the one that stands in its place.",
     "0F0,0F1,0B0,0B1\n1F0,1B0,1B1\n", "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n", ""},
    {RuleId::missing_backward, "a backward pass, or half of one, is missing",
     "In training every forward pass has its backward pass: B, or both halves I and W. Without it the microbatch's "
     "gradient is left out of the update, and its activations are never freed.",
     "Add the backward pass (B), or the missing half (I: input gradient, W: weight gradient).",
     "0F0,0F1,0B0\n1F0,1F1,1B0,1B1\n", "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n", ""},
    {RuleId::duplicate, "an instruction is there twice",
     "The same work, or the same message, appears twice for one stage and microbatch. A repeated backward pass counts "
     "a gradient twice; a repeated message shifts every later one on its channel.",
     "Remove the second one, or correct its microbatch.", "0F0,0B0,0B0\n", "0F0,0B0\n", ""},
    {RuleId::data_flow_order, "a consumer comes before its producer",
     "A rank issues its row from left to right. An instruction that needs what a later one makes runs on stale or "
     "missing data, or is an error at run time.",
     "Move the producer (the receive, forward pass or input half) before the instruction that needs it.",
     "0F0,0W0,0I0\n", "0F0,0I0,0W0\n", ""},
    {RuleId::microbatch_range, "a microbatch that does not exist",
     "Microbatches count from 0, and every stage sees the same ones. A stage that counts 1 to M where the others count "
     "0 to M-1 forwards data that nobody sends, and never forwards microbatch 0.",
     "Number the microbatches of this stage as the other stages do.", "0F0,0F1,0B0,0B1\n1F1,1B0,1F2,1B1\n",
     "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", ""},
    {RuleId::missing_message, "a message that is needed is never sent or received here",
     "Stages on different ranks exchange one activation and, in training, one gradient for each microbatch. If one "
     "side leaves it out, the other one hangs, or takes the next message for it.",
     "Add the send or receive next to the computation that makes or needs the value.",
     "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0\n", goodPair, ""},
    {RuleId::optimizer_order, "the optimizer step is missing, doubled or not last",
     "The optimizer applies the step's gradients. What comes after it is not in the update, or works with the weights "
     "of the next step.",
     "Let each rank end its step with exactly one optimizer step.",
     "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n"
     "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n[OptimizerStep(), BackwardPass(buffer_id=0)]\n",
     "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n"
     "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n[BackwardPass(buffer_id=0), OptimizerStep()]\n",
     ""},
    {RuleId::mixed_backward, "a full backward pass and one of its halves",
     "B computes both gradients, I and W one each. B together with I or W counts gradients twice.",
     "Use B alone, or I and W.", "0F0,0B0,0W0\n", "0F0,0I0,0W0\n", ""},
    {RuleId::placement, "a stage works on two ranks",
     "A stage's weights live on one rank. Work of the stage on another rank uses weights that are not there.",
     "Put all work of a stage in one row.", "0F0,0B0\n0F1,0B1\n", "0F0,0B0,0F1,0B1\n", ""},
    {RuleId::unmatched_send, "a send without a receive",
     "Every send needs one receive of the peer on the same communicator. Without it the sender hangs, or, if messages "
     "are buffered, the next receive takes the wrong message.",
     "Add the receive on the peer, or remove the send.", "0F0,0SEND_F0,0RECV_B0,0B0\n1F0,1B0,1SEND_B0\n", goodPair, ""},
    {RuleId::unmatched_receive, "a receive without a send",
     "A receive whose message is never sent never ends: the rank hangs, and then all ranks that wait for it.",
     "Add the send on the peer, or remove the receive.", "0F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n", goodPair, ""},
    {RuleId::crossed_messages, "messages change places",
     "Messages between two ranks on one communicator pair by position, not by name: the n-th send meets the n-th "
     "receive (NCCL has no tags). Where the two sides list them in different orders, each receive gets another "
     "tensor of the same size, nothing is reported, and the model trains on wrong data. With two ranks the previous "
     "and the next rank are the same, so activations and gradients can change places too.",
     "List the messages in the same order on both ranks, or send activations on one communicator and gradients on "
     "another.",
     "0F0,0F1,0SEND_F1,0SEND_F0,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n",
     "0F0,0F1,0SEND_F0,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n", ""},
    {RuleId::size_mismatch, "the two ends of a message differ in size or type",
     "NCCL does not check sizes: a receive that is smaller than the message loses the rest, a larger one never ends "
     "(NVIDIA/nccl issues 1938 and 1417). With another element type the values are misread.",
     "Give both ends the same number of bytes and the same element type.",
     "plumbline ir 1\nmode fragment\nrank 0 {\n  send_message to 1 label \"x\" bytes 64 type f32\n}\n"
     "rank 1 {\n  receive_message from 0 label \"x\" bytes 128 type f32\n}\n",
     "plumbline ir 1\nmode fragment\nrank 0 {\n  send_message to 1 label \"x\" bytes 64 type f32\n}\n"
     "rank 1 {\n  receive_message from 0 label \"x\" bytes 64 type f32\n}\n",
     ""},
    {RuleId::collective_mismatch, "ranks disagree about a collective",
     "The n-th collective of a communicator must be the same operation, with the same root and size, on each of its "
     "ranks. A rank that never joins hangs all others.",
     "Issue the same collectives in the same order on every rank of the communicator.",
     "plumbline ir 1\nmode fragment\ncommunicator dp members 0 1\nrank 0 {\n  all_reduce via dp\n}\nrank 1 {\n}\n",
     "plumbline ir 1\nmode fragment\ncommunicator dp members 0 1\nrank 0 {\n  all_reduce via dp\n}\n"
     "rank 1 {\n  all_reduce via dp\n}\n",
     ""},
    {RuleId::not_a_member, "a rank uses a communicator that it is not in",
     "Only the members of a communicator can send, receive or join a collective on it. On a cluster this is an error, "
     "or a hang of the other ranks.",
     "Add the rank to the communicator, or use another one.",
     "plumbline ir 1\nmode fragment\ncommunicator c members 0 1\nrank 0 {\n  send_message to 2 via c label \"x\"\n}\n"
     "rank 1 {\n}\nrank 2 {\n  receive_message from 0 via c label \"x\"\n}\n",
     "plumbline ir 1\nmode fragment\ncommunicator c members 0 2\nrank 0 {\n  send_message to 2 via c label \"x\"\n}\n"
     "rank 1 {\n}\nrank 2 {\n  receive_message from 0 via c label \"x\"\n}\n",
     ""},
    {RuleId::wait_cycle, "ranks wait for each other: a deadlock",
     "Each instruction of the cycle can only end, or begin, after the next one, and the last waits for the first. On a "
     "cluster all ranks stand still until a watchdog kills the job. The verdict depends on the communication model: "
     "what may hang under one communicator can be fine with one for each direction, or in one fused launch.",
     "Break the cycle: issue the messages of each pair of ranks in one common order, fuse the launches that need each "
     "other into one group, or use one communicator for activations and one for gradients.",
     "0F0,0SEND_F0,0F1,0RECV_B0,0SEND_F1,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n",
     "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n", ""},
    {RuleId::no_room, "a buffered send waits for room for ever",
     "With room for k messages a send ends once an earlier message has been received. If that receive is never issued, "
     "the sender hangs as soon as the channel is full.",
     "Add the receives that drain the channel.",
     "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1F0,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n",
     "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n",
     "--room 1"},
    {RuleId::first_use, "hangs when connections are made on first use",
     "The first message between two ranks on a communicator also connects them, on the hosts, and a host that waits "
     "there issues nothing more (NVIDIA/nccl issue 783, Megatron-LM issue 5240). If pairs of ranks are met in "
     "different orders on different ranks, the hosts wait in a ring. A warning; an error with --strict or --connect "
     "first-use.",
     "Create all connections before the first step (a small exchange for each pair, in one global order), or use a "
     "communicator that exists already.",
     "0F0,3RECV_F0,0SEND_F0,3F0,3SEND_F0,3RECV_B0,3B0,3SEND_B0,0RECV_B0,0B0\n"
     "1RECV_F0,1F0,1SEND_F0,4RECV_F0,4F0,4SEND_F0,4RECV_B0,4B0,4SEND_B0,1RECV_B0,1B0,1SEND_B0\n"
     "2RECV_F0,2F0,2SEND_F0,5RECV_F0,5F0,5B0,5SEND_B0,2RECV_B0,2B0,2SEND_B0\n",
     "0F0,0SEND_F0,3RECV_F0,3F0,3SEND_F0,3RECV_B0,3B0,3SEND_B0,0RECV_B0,0B0\n"
     "1RECV_F0,1F0,1SEND_F0,4RECV_F0,4F0,4SEND_F0,4RECV_B0,4B0,4SEND_B0,1RECV_B0,1B0,1SEND_B0\n"
     "2RECV_F0,2F0,2SEND_F0,5RECV_F0,5F0,5B0,5SEND_B0,2RECV_B0,2B0,2SEND_B0\n",
     "--comms pair --strict", Severity::warning},
    {RuleId::any_stream, "some order of a device's streams hangs",
     "CUDA does not promise that streams progress independently. If a device first runs a receive whose message "
     "depends on other work of the same device, nothing moves any more (NVIDIA/nccl issues 781 and 783). Asked for "
     "with --streams any; receives posted early often fail it.",
     "Post receives where their data is needed, or add a stream dependency that fixes the order.",
     "0F0,0SEND_F0,0RECV_B0,0F1,0SEND_F1,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n",
     "plumbline ir 1\nmode fragment\nrank 0 {\n  %made = compute\n  send_message to 1 label \"x\" wait %made\n}\n"
     "rank 1 {\n  %got = receive_message from 0 label \"x\"\n  compute wait %got\n}\n",
     "--comms directed --streams any"},
    {RuleId::overwritten, "a slot is overwritten while its value is still needed",
     "A write into a slot may begin before a pending reader of the old value is done. If the reader is a SendGrad, the "
     "neighbour gets another microbatch's gradient and training is silently corrupted: this is what lowering "
     "DeepSpeed's buffer count by one did (DeepSpeed issue 2800).",
     "Read (send) the value before the slot is written again, or declare one slot more.",
     "plumbline ir 1\nmode fragment\nexecution blocking\nrank 0 {\n  pool inputs declared 1\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  load_microbatch s0 m1 write inputs[0]:input\n"
     "  forward s0 m0 read inputs[0]:input\n  forward s0 m1 read inputs[0]:input\n}\n",
     "plumbline ir 1\nmode fragment\nexecution blocking\nrank 0 {\n  pool inputs declared 1\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  forward s0 m0 read inputs[0]:input\n"
     "  load_microbatch s0 m1 write inputs[0]:input\n  forward s0 m1 read inputs[0]:input\n}\n",
     ""},
    {RuleId::read_before_written, "a slot is read before its value is there",
     "The reader may begin before the write is done, or nothing writes that value there: it works on what an earlier "
     "microbatch left behind.",
     "Write the value first, wait for it, or correct the slot.",
     "plumbline ir 1\nmode fragment\nrank 0 {\n  pool inputs\n"
     "  load_microbatch s0 m0 write inputs[1]:input\n  forward s0 m0 read inputs[0]:input\n}\n",
     "plumbline ir 1\nmode fragment\nrank 0 {\n  pool inputs\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  forward s0 m0 read inputs[0]:input\n}\n",
     ""},
    {RuleId::written_twice, "a value is overwritten before anything read it",
     "Two writes of a slot without a read between them: the first value is lost.",
     "Use another slot, or read the value first.",
     "plumbline ir 1\nmode fragment\nexecution blocking\nrank 0 {\n  pool inputs declared 1\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  load_microbatch s0 m1 write inputs[0]:input\n"
     "  forward s0 m1 read inputs[0]:input\n}\n",
     "plumbline ir 1\nmode fragment\nexecution blocking\nrank 0 {\n  pool inputs declared 1\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  forward s0 m0 read inputs[0]:input\n"
     "  load_microbatch s0 m1 write inputs[0]:input\n  forward s0 m1 read inputs[0]:input\n}\n",
     ""},
    {RuleId::leak, "a value is never read",
     "A slot still holds a value at the end that nothing ever reads: memory that is never freed. A warning.",
     "Remove the write, or add the instruction that uses the value.",
     "plumbline ir 1\nmode fragment\nrank 0 {\n  pool inputs declared 1\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n}\n",
     "plumbline ir 1\nmode fragment\nrank 0 {\n  pool inputs declared 1\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  forward s0 m0 read inputs[0]:input\n}\n",
     "", Severity::warning},
    {RuleId::too_few_slots, "fewer slots are declared than the order needs",
     "At some point of some execution more values are live than there are slots; whatever the assignment, one is "
     "overwritten. The values that live together are listed.",
     "Declare as many slots as needed, or reorder: sending before receiving often saves one.",
     "plumbline ir 1\nmode fragment\nexecution blocking\nrank 0 {\n  pool inputs declared 1\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  load_microbatch s0 m1 write inputs[1]:input\n"
     "  forward s0 m0 read inputs[0]:input\n  forward s0 m1 read inputs[1]:input\n}\n",
     "plumbline ir 1\nmode fragment\nexecution blocking\nrank 0 {\n  pool inputs declared 2\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  load_microbatch s0 m1 write inputs[1]:input\n"
     "  forward s0 m0 read inputs[0]:input\n  forward s0 m1 read inputs[1]:input\n}\n",
     ""},
    {RuleId::too_many_slots, "more slots are declared than the order needs",
     "No execution has that many values live at once: the memory of the spare slots is wasted on every step. A "
     "warning.",
     "Declare the smaller number, but only for this order: another order may need them.",
     "# stage 0 of 1, micro_batches 1, num_pipe_buffers 2\n"
     "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n[BackwardPass(buffer_id=0), OptimizerStep()]\n",
     "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n"
     "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n[BackwardPass(buffer_id=0), OptimizerStep()]\n",
     "", Severity::warning},
    {RuleId::slot_out_of_range, "a slot outside its pool",
     "The instruction names a slot that the declared number does not include: an index error, or memory of another "
     "buffer.",
     "Use a slot below the declared number, or declare more.",
     "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n"
     "[LoadMicroBatch(buffer_id=1), ForwardPass(buffer_id=1)]\n[BackwardPass(buffer_id=1), OptimizerStep()]\n",
     "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n"
     "[LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)]\n[BackwardPass(buffer_id=0), OptimizerStep()]\n",
     ""},
    {RuleId::slots_over_limit, "more buffers than allowed",
     "A pool needs, or declares, more slots than --max-buffers allows: the step does not fit the memory that was set "
     "aside for it. Only judged where a limit is given.",
     "Raise the limit, or run backward passes earlier, so that fewer microbatches are in flight.",
     "plumbline ir 1\nmode fragment\nexecution blocking\nrank 0 {\n  pool inputs\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  load_microbatch s0 m1 write inputs[1]:input\n"
     "  forward s0 m0 read inputs[0]:input\n  forward s0 m1 read inputs[1]:input\n}\n",
     "plumbline ir 1\nmode fragment\nexecution blocking\nrank 0 {\n  pool inputs\n"
     "  load_microbatch s0 m0 write inputs[0]:input\n  forward s0 m0 read inputs[0]:input\n"
     "  load_microbatch s0 m1 write inputs[1]:input\n  forward s0 m1 read inputs[1]:input\n}\n",
     "--max-buffers inputs=1"},
    {RuleId::bubble_over_limit, "a larger bubble than allowed",
     "The ranks idle for a larger share of the step than --max-bubble allows, also if everything happens as early as "
     "the communication model lets it. A forward pass counts 1, a full backward pass 2, each half of a split one 1, a "
     "recomputation 1, and messages nothing. Only judged where a limit is given.",
     "Use more microbatches, or an order with a smaller bubble (interleaved, zero bubble); or raise the limit.",
     "0F0,0B0\n1F0,1B0\n", "0F0,0F1,0F2,0B0,0B1,0B2\n1F0,1F1,1F2,1B0,1B1,1B2\n", "--max-bubble 25%"},
};

} // namespace

llvm::ArrayRef<Rule> rules() { return table; }

const Rule *findRule(unsigned number) {
  const auto *found = llvm::find_if(table, [&](const Rule &rule) { return static_cast<unsigned>(rule.id) == number; });
  return found == std::end(table) ? nullptr : found;
}

const Rule *findRuleNamed(llvm::StringRef name) {
  unsigned number = 0;
  name.consume_front_insensitive("PL");
  return name.getAsInteger(10, number) ? nullptr : findRule(number);
}

} // namespace plumbline::check
