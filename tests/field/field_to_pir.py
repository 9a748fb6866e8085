"""Says the JSON programs of tests/corpus/field as `.pir` text, which `plumbline verify` reads.

    field_to_pir.py FILE.json > FILE.pir

Programs come out as fragments: messages, groups and buffers are judged, completeness is not. What `.pir` cannot say is
refused with the reason.

field-p2p/1: a rank's list becomes that rank's instructions, in order. A computation waits for the receives since the
last one, which bring its input, and a send waits for the computation before it, which made what it sends. That changes
nothing under --model blocking, where each rank keeps its order anyway, and leaves the communicators of a rank
independent under --model nccl.

field-hb/1: the threads of one rank share memory, so they become lanes of one rank: the first thread computes, each
other one has a communicator of its own. There a read is a send that reads the slot and a write is a receive that writes
it; a second rank holds the other ends, in the same order, so that it never stands in the way. `await` makes the next
instruction of its thread wait for the last one before the matching `record`. Freeing a buffer hands its memory to
somebody else: a computation writes another value there, and a further one reads that. Judge it with --model nccl, whose
lanes are ordered by waits alone, as threads are.

field-threads/1: threads share buffers and channels only, so each becomes a rank of its own. Judge it with --model
blocking, where a rank goes on when its instruction is done, as a thread does. A channel is a communicator of its own
with the channel's room. An event is a message with room to each thread that awaits it: recording never blocks, and
awaiting ends once it was recorded.

A buffer of c places has one thread that fills it and one that drains it. Its `reserve` of n waits until n places hold
nothing that was pushed and not popped, its `wait` of n until n pushes are not popped. It takes one of two forms.
* If each `reserve` of one place is followed by its `push`, and each `wait` by its `pop`, with nothing between that can
  block: a communicator with room for c messages. Reserve and push are a send, which with room for c ends when the
  message c before it has been received; wait and pop are that receive. The send stands for its thread at the reserve,
  so that data would be there before the push; as nothing blocks between the two, every such execution continues to the
  push.
* Else reserving and pushing have to be told apart. A push is a message with room, and the wait that first needs it is
  the receive. A pop gives back places: a message with room the other way. The first c places are there from the
  start; a reserve that needs the n-th pop receives the n-th such message. A pop that no reserve needs, and a push that
  no wait needs, are no messages, as nobody ever waits for them.
The second form says of a place that never comes free that its message is never sent (PL202). The first says that a send
waits for room for ever (PL302), which is nearer to the truth, hence the two.
"""

import json
import sys

TYPES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "f8": 1, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "bool": 1}

# More messages than any of these programs sends: a send that never waits for room.
ENOUGH_ROOM = 1000000


class CannotSay(Exception):
    """`.pir` has no words for this program."""


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Writer:
    """Collects the lines of a `.pir` file, rank by rank."""

    def __init__(self, name):
        self.head = ["plumbline ir 1", f"name {quoted(name)}", "mode fragment"]
        self.communicators = []
        self.ranks = []
        self.count = 0

    def communicator(self, name, room=None, members=None):
        line = f"communicator {quoted(name)}"
        if members is not None:
            line += " members " + " ".join(map(str, members))
        if room is not None:
            line += f" room {room}"
        if line not in self.communicators:
            self.communicators.append(line)

    def rank(self, lines):
        self.ranks.append([f"rank {len(self.ranks)} {{", *("  " + line for line in lines), "}"])

    def name(self):
        self.count += 1
        return f"%i{self.count}"

    def text(self):
        return "\n".join(self.head + self.communicators + sum(self.ranks, [])) + "\n"


# --- field-p2p/1


def message(item, writer):
    """A send or receive, without its waits."""
    if "send" in item:
        line = f"send_message to {item['send']}"
    else:
        line = f"receive_message from {item['recv']}"
    communicator = item.get("comm", "pipeline")
    writer.communicator(communicator)
    line += f" via {quoted(communicator)} label {quoted(item['msg'])}"
    if "numel" in item:
        line += f" bytes {item['numel'] * TYPES[item['dtype']]} type {item['dtype']}"
    return line


def p2p_rank(program, writer):
    lines = []
    received = []  # since the last computation
    computed = []  # the last computation

    def waits(names):
        return " wait " + ", ".join(names) if names else ""

    def put(item, indent=""):
        if "send" in item:
            lines.append(indent + message(item, writer) + waits(computed))
        elif "recv" in item:
            received.append(writer.name())
            lines.append(f"{indent}{received[-1]} = {message(item, writer)}")
        elif "coll" in item:
            writer.communicator(item["coll"], members=item["members"])
            lines.append(f"{indent}all_reduce via {quoted(item['coll'])}")
        elif "compute" in item:
            name = writer.name()
            lines.append(f"{name} = compute label {quoted(item['compute'])}" + waits(received))
            computed[:] = [name]
            received.clear()
        else:
            raise CannotSay(f"unknown item {item}")

    for item in program:
        if "group" in item:
            lines.append("group {")
            for member in item["group"]:
                if "send" not in member and "recv" not in member:
                    raise CannotSay(f"a group of messages with {member} in it")
                put(member, "  ")
            lines.append("}")
        else:
            put(item)
    return lines


def p2p_to_pir(case, name):
    writer = Writer(name)
    for program in case["programs"]:
        writer.rank(p2p_rank(program, writer))
    return writer.text()


# --- field-hb/1


def execution(threads):
    """An order of all steps that keeps each thread's own and records events before they are awaited.

    The first thread goes last, so that the others read what it has written so far, and not what it will write.
    """
    place = dict.fromkeys(threads, 0)
    recorded = set()
    order = []
    while True:
        ready = [t for t in threads if place[t] < len(threads[t]) and
                 (threads[t][place[t]][0] != "await" or threads[t][place[t]][1] in recorded)]
        if not ready:
            break
        thread = ready[-1]
        step = threads[thread][place[thread]]
        place[thread] += 1
        if step[0] == "record":
            recorded.add(step[1])
        order.append((thread, step))
    if any(place[t] < len(threads[t]) for t in threads):
        raise CannotSay("its events wait for each other, and a wait in `.pir` names an instruction that stands above")
    return order


def hb_to_pir(case, name):
    threads = case["threads"]
    writer = Writer(name)
    compute = next(iter(threads))
    lanes = [t for t in threads if t != compute]
    for lane in lanes:
        writer.communicator(lane)
    buffers = sorted({step[1] for steps in threads.values() for step in steps if step[0] in ("read", "write", "free")})
    value = dict.fromkeys(buffers, 0)  # a number for each value that a buffer holds in turn
    here = ["pool buffers"]
    there = []
    last = dict.fromkeys(threads, "")  # the thread's last instruction
    due = {t: [] for t in threads}  # what its next instruction waits for
    recorded = {}

    def put(thread, opcode, what, buffer, access):
        held = f"buffers[{buffers.index(buffer)}]:other(-, m{value[buffer]})"
        line = f"{opcode} label {quoted(what + ' ' + buffer)} {access} {held}"
        if due[thread]:
            line += " wait " + ", ".join(due[thread])
        due[thread].clear()
        last[thread] = writer.name()
        here.append(f"{last[thread]} = {line}")

    for thread, step in execution(threads):
        kind, what = step[0], step[1]
        if kind == "record":
            recorded[what] = [last[thread]] if last[thread] else list(due[thread])
        elif kind == "await":
            due[thread] += [name for name in recorded[what] if name not in due[thread]]
        elif thread == compute:
            if kind == "free":
                value[what] += 1
                put(thread, "compute", "free", what, "write")
                put(thread, "compute", "next use of the memory of", what, "read")
            else:
                put(thread, "compute", kind, what, kind)
        elif kind in ("read", "write"):
            sends = kind == "read"
            put(thread, f"{'send_message to' if sends else 'receive_message from'} 1 via {quoted(thread)}", kind, what,
                kind)
            other = "receive_message from" if sends else "send_message to"
            there.append(f"{other} 0 via {quoted(thread)} label {quoted(kind + ' ' + what)}")
        else:
            raise CannotSay(f"{kind} on a thread that communicates")
    writer.rank(here)
    writer.rank(there)
    return writer.text()


# --- field-threads/1

# What can keep a thread from going on.
BLOCKING = {"reserve", "wait", "send", "recv", "await", "lock"}


def count_of(step):
    return step[2] if len(step) > 2 else 1


def only_thread(threads, kinds, what):
    """The rank of the thread that does this; nothing if none does."""
    ranks = {rank for rank, steps in enumerate(threads) for step in steps if step[0] in kinds and step[1] == what}
    if len(ranks) > 1:
        raise CannotSay(f"several threads use one end of '{what}', and a message has one sender and one receiver")
    return ranks.pop() if ranks else None


def always_pairs(threads, first, second, buffer):
    """Is each `first` of one place followed by its `second`, with nothing between that can block?"""
    for steps in threads:
        inside = False
        for step in steps:
            if step[0] in (first, second) and step[1] == buffer:
                if count_of(step) != 1 or inside == (step[0] == first):
                    return False
                inside = not inside
            elif inside and step[0] in BLOCKING:
                return False
        if inside:
            return False
    return True


class Buffer:
    """Translates the steps on one buffer; see the top of this file."""

    def __init__(self, name, places, threads, writer):
        self.name = name
        self.places = places
        filler = only_thread(threads, ("reserve", "push"), name)
        drainer = only_thread(threads, ("wait", "pop"), name)
        # Where one end has no thread, the other one waits for messages that nobody sends.
        self.filler = drainer if filler is None else filler
        self.drainer = filler if drainer is None else drainer
        self.one_message = always_pairs(threads, "reserve", "push", name) and always_pairs(threads, "wait", "pop", name)
        self.needed = self.highest_needs(threads)
        self.done = {"push": 0, "pop": 0}  # sent so far
        self.got = {"push": 0, "pop": 0}  # received so far
        if self.one_message:
            writer.communicator(name, room=places)
        else:
            writer.communicator(f"{name} push", room=ENOUGH_ROOM)
            writer.communicator(f"{name} pop", room=ENOUGH_ROOM)

    def need(self, step, done):
        """How many pushes a wait needs, or how many pops a reserve does, in all so far."""
        if step[0] == "wait":
            return done["pop"] + count_of(step)
        return done["push"] + count_of(step) - self.places

    def highest_needs(self, threads):
        needed = {"push": 0, "pop": 0}
        done = {"push": 0, "pop": 0}
        for step in (step for steps in threads for step in steps if step[1] == self.name):
            if step[0] in ("push", "pop"):
                done[step[0]] += count_of(step)
            elif step[0] in ("wait", "reserve"):
                what = "push" if step[0] == "wait" else "pop"
                needed[what] = max(needed[what], self.need(step, done))
        return needed

    def lines(self, step):
        if self.one_message:
            return {"reserve": [f"send_message to {self.drainer} via {quoted(self.name)}"],
                    "wait": [f"receive_message from {self.filler} via {quoted(self.name)}"]}.get(step[0], [])
        if step[0] in ("push", "pop"):
            first = self.done[step[0]]
            self.done[step[0]] += count_of(step)
            peer = self.drainer if step[0] == "push" else self.filler
            sends = min(self.done[step[0]], self.needed[step[0]]) - first
            return [f"send_message to {peer} via {quoted(self.name + ' ' + step[0])}"] * sends
        what, peer = ("push", self.filler) if step[0] == "wait" else ("pop", self.drainer)
        receives = self.need(step, self.done) - self.got[what]
        self.got[what] += max(0, receives)
        return [f"receive_message from {peer} via {quoted(self.name + ' ' + what)}"] * receives


class Threads:
    def __init__(self, case, writer):
        self.threads = list(case["threads"].values())
        self.writer = writer
        steps = [step for steps in self.threads for step in steps]
        if any(step[0] in ("lock", "unlock") for step in steps):
            raise CannotSay("`.pir` has no exclusive sections (lock, unlock)")
        if any(step[0] == "record" and steps.count(step) > 1 for step in steps):
            raise CannotSay("an event recorded twice")
        for name, room in case.get("channels", {}).items():
            writer.communicator(name, room=room)
        self.buffers = {name: Buffer(name, places, self.threads, writer)
                        for name, places in case.get("buffers", {}).items()}

    def record(self, event):
        self.writer.communicator(event, room=ENOUGH_ROOM)
        return [f"send_message to {rank} via {quoted(event)}" for rank, steps in enumerate(self.threads)
                if ["await", event] in steps]

    def lines(self, rank, step, seen):
        kind, what = step[0], step[1]
        if kind == "compute":
            return [f"compute label {quoted(what)}"]
        if kind in ("send", "recv"):
            other = only_thread(self.threads, ("recv" if kind == "send" else "send",), what)
            peer = rank if other is None else other
            return [f"{'send_message to' if kind == 'send' else 'receive_message from'} {peer} via {quoted(what)}"]
        if kind == "record":
            return self.record(what)
        if kind == "await":
            if what in seen:
                return []
            seen.add(what)
            self.writer.communicator(what, room=ENOUGH_ROOM)
            other = only_thread(self.threads, ("record",), what)
            return [f"receive_message from {rank if other is None else other} via {quoted(what)}"]
        if kind in ("reserve", "push", "wait", "pop"):
            return self.buffers[what].lines(step)
        raise CannotSay(f"unknown step {step}")

    def write(self):
        for rank, steps in enumerate(self.threads):
            seen = set()  # events awaited before
            self.writer.rank([line for step in steps for line in self.lines(rank, step, seen)])


def threads_to_pir(case, name):
    writer = Writer(name)
    Threads(case, writer).write()
    return writer.text()


# --- all of them

TRANSLATIONS = {"field-p2p/1": p2p_to_pir, "field-hb/1": hb_to_pir, "field-threads/1": threads_to_pir}
REFUSALS = {
    "field-alloc/1": "a memory budget is no part of a `.pir` program; rule PL8xx will take it as a limit",
    "field-meta/1": "limits for the schedule beside it, not a program",
}


def to_pir(case, name):
    """The text for one parsed JSON program; raises CannotSay with the reason."""
    form = case.get("format")
    if form in REFUSALS:
        raise CannotSay(REFUSALS[form])
    if form not in TRANSLATIONS:
        raise CannotSay(f"unknown format {form!r}")
    return TRANSLATIONS[form](case, name)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: field_to_pir.py FILE.json > FILE.pir")
    with open(sys.argv[1], encoding="utf-8") as file:
        case = json.load(file)
    try:
        sys.stdout.write(to_pir(case, sys.argv[1]))
    except CannotSay as reason:
        sys.exit(f"{sys.argv[1]}: cannot be said in .pir: {reason}")


if __name__ == "__main__":
    main()
