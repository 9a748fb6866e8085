"""`plumbline gen`: what it lists, what it refuses, and that each format it writes is what the format's reader takes."""

import collections
import importlib.util
import re
import unittest

from tests.cli import driving
from tests.cli.driving import plumbline

# Sizes that each schedule takes, and one with its every chunk and microbatch at work.
SIZES = ["--ranks=2", "--microbatches=4"], ["--ranks=4", "--microbatches=8"]


def names():
    run = plumbline("gen", "--list")
    assert run.code == 0, run.err
    return [line.split()[0] for line in run.out.splitlines()]


def rows_of(csv):
    return [line.split(",") for line in csv.splitlines()]


def actions_of(cell):
    """The actions of a cell as (stage, kind, microbatch or None)."""
    if cell.startswith("("):
        assert cell.endswith(")OVERLAP_F_B"), cell
        return [action for part in cell[1:-len(")OVERLAP_F_B")].split(";") for action in actions_of(part)]
    match = re.fullmatch(r"(\d+)(F|B|I|W|SEND_F|RECV_F|SEND_B|RECV_B|UNSHARD|RESHARD|REDUCE_GRAD)(\d*)", cell)
    assert match, cell
    return [(int(match[1]), match[2], int(match[3]) if match[3] else None)]


class PyTorchReader:
    """What PyTorch's runtime asks of a table with messages, row by row and all ranks together.

    Written from the description of that runtime, apart from Plumbline's own code: a receive is posted before the
    computation that uses it and not twice; neighbouring stages on one rank exchange no messages; every rank comes to the
    end of its row if each action waits for what it needs.
    """

    def __init__(self, rows):
        self.rows = [[action for cell in row if cell for action in actions_of(cell)] for row in rows]
        self.rank_of = {stage: rank for rank, row in enumerate(self.rows) for stage, _, _ in row}
        self.last = max(self.rank_of)

    def local(self, stage, other):
        return self.rank_of[stage] == self.rank_of[other]

    def needs(self, stage, kind):
        """The message that a computation waits for, if any."""
        if kind == "F" and stage > 0 and not self.local(stage, stage - 1):
            return "RECV_F"
        if kind in "BI" and stage < self.last and not self.local(stage, stage + 1):
            return "RECV_B"
        return None

    def check_rows(self):
        for row in self.rows:
            posted = set()
            for stage, kind, m in row:
                if kind.startswith("RECV"):
                    assert (stage, kind, m) not in posted, "received twice"
                    other = stage - 1 if kind == "RECV_F" else stage + 1
                    assert not self.local(stage, other), "a message within a rank"
                    posted.add((stage, kind, m))
                elif kind in ("F", "B", "I") and self.needs(stage, kind):
                    posted.remove((stage, self.needs(stage, kind), m))  # KeyError: never posted
            assert not posted, f"never used: {posted}"

    def run(self):
        """Steps through all rows until nothing moves; messages are sent at once and used when they are there."""
        done, position = set(), [0] * len(self.rows)
        moved = True
        while moved:
            moved = False
            for rank, row in enumerate(self.rows):
                while position[rank] < len(row) and self.ready(done, *row[position[rank]]):
                    done.add(row[position[rank]])
                    position[rank] += 1
                    moved = True
        assert position == [len(row) for row in self.rows], "stuck"
        assert len(done) == sum(map(len, self.rows)), "an action is there twice"

    def ready(self, done, stage, kind, m):
        if kind == "RECV_F":
            return True
        if kind == "F" and stage > 0:
            return (stage - 1, "SEND_F", m) in done or ((stage - 1, "F", m) in done and self.local(stage, stage - 1))
        if kind in ("B", "I"):
            forward = (stage, "F", m) in done
            if stage == self.last:
                return forward
            sent = (stage + 1, "SEND_B", m) in done
            made = (stage + 1, "B", m) in done or (stage + 1, "I", m) in done
            return forward and (sent or (made and self.local(stage, stage + 1)))
        if kind == "W":
            return (stage, "I", m) in done
        if kind == "SEND_F":
            return (stage, "F", m) in done
        if kind == "SEND_B":
            return (stage, "B", m) in done or (stage, "I", m) in done
        return True


class List(driving.Case):

    def test_one_line_a_schedule_with_all_that_is_known(self):
        run = plumbline("gen", "--list")
        self.assertEqual((run.code, run.err), (0, ""))
        lines = run.out.splitlines()
        self.assertGreaterEqual(len(lines), 20)
        for line in lines:
            self.assertRegex(line, r"^\S+ +\S.*; memory .+; bubble .+; options .+; .+$")
        self.assertEqual(names(), sorted(names()))
        self.assertEqual(len(set(names())), len(lines))

    def test_one_schedule_with_its_options(self):
        run = plumbline("gen", "--list", "deepspeed_train")
        self.assertEqual(run.code, 0)
        for word in ("recompute=no|yes (default no)", "version=fixed|old (default fixed)", "from: DeepSpeed"):
            self.assertIn(word, run.out)


class Refusals(driving.Case):

    def test_numbers_are_read_in_base_ten(self):
        self.assertEqual(plumbline("gen", "1f1b", "--stages=010", "--microbatches=8").out,
                         plumbline("gen", "1f1b", "--stages=10", "--microbatches=8").out)

    def test_odd_bytes_do_not_reach_the_terminal(self):
        for arguments in (["1f1b", "--stages=4", "--microbatches=4", "--option", "a\x1b[31m=1"], ["a\x1b[31mb"],
                          ["1f1b", "--stages=\x1b[31m", "--microbatches=4"]):
            run = plumbline("gen", *arguments)
            self.assertEqual(run.code, 2, arguments)
            self.assertNotIn("\x1b", run.err, arguments)

    def test_bad_usage_is_one_sentence_and_2(self):
        size = ["--stages=4", "--microbatches=8"]
        for arguments, expected in (
                ([*size], "takes the name of one schedule"),
                (["1f1b", "gpipe", *size], "takes the name of one schedule"),
                (["no_such", *size], "there is no schedule 'no_such'"),
                (["1f1b", "--stages=4"], "say --microbatches M"),
                (["1f1b", "--microbatches=8"], "needs a number of stages or of ranks"),
                (["1f1b", "--stages=0", "--microbatches=8"], "from 1 on"),
                (["1f1b", "--stages=-4", "--microbatches=8"], "from 1 on"),
                (["1f1b", "--stages=4", "--microbatches=0"], "from 1 on"),
                (["1f1b", "--stages=0x4", "--microbatches=8"], "takes a number from 1 on; got '0x4'"),
                (["no_such"], "there is no schedule 'no_such'"),
                (["1f1b", "--stages=4", "--ranks=2", "--microbatches=8"], "one stage on each rank"),
                (["1f1b", "--stages=2000000", "--microbatches=8"], "at most 1000000"),
                (["1f1b", "--stages=1000000", "--microbatches=1000000"], "is at most 400000"),
                (["interleaved_1f1b", "--stages=7", "--ranks=2", "--microbatches=8"], "divisible by"),
                (["zb_v", "--stages=6", "--ranks=2", "--microbatches=8"], "two stages on each rank; got 6 stages on 2"),
                (["hanayo", "--stages=6", "--ranks=2", "--microbatches=8"], "even number of stages on each rank"),
                (["1f1b", *size, "--option", "colour=red"], "has no option 'colour'"),
                (["1f1b", *size, "--option", "recompute=maybe"], "is one of no, yes"),
                (["1f1b", *size, "--option", "recompute"], "takes NAME=VALUE"),
                (["1f1b", *size, "--option", "recompute=yes", "--option", "recompute=yes"], "is given twice"),
                (["seq1f1b", *size, "--option", "segments=0"], "is a number from 1"),
                (["1f1b", *size, "--emit", "hlo"], "hlo"),
                (["gpipe", *size, "--emit", "deepspeed"], "keeps one loss"),
                (["dualpipe", *size, "--emit", "csv"], "replicas"),
                (["1f1b", *size, "--option", "recompute=yes", "--emit", "csv"], "no cell for recompute"),
                (["1f1b", *size, "-o", "no/such/folder/file"], "cannot be written"),
                (["1f1b", *size, "-o", ""], "-o takes a file"),
                (["1f1b", *size, "--strict"], "see plumbline gen --help"),
                (["--list", "no_such"], "there is no schedule 'no_such'")):
            run = plumbline("gen", *arguments)
            self.assertEqual(run.code, 2, (arguments, run))
            self.assertIn(expected, run.err, arguments)
            self.assertEqual(run.out, "", arguments)


class Formats(driving.Case):

    def each(self):
        for name in names():
            for sizes in SIZES:
                yield name, [name, *sizes]

    def test_every_program_is_verified(self):
        for name, arguments in self.each():
            self.assertEqual(plumbline("gen", *arguments, "-o", f"{name}.pir").code, 0, arguments)
            run = plumbline("verify", f"{name}.pir")
            self.assertEqual(run.code, 0, run.out)
            # Printed again it is the same program, with the places where it stands now.
            again = plumbline("lower", f"{name}.pir").out
            with open(f"{name}.pir", encoding="utf-8") as program:
                self.assertEqual(self.without_places(again), self.without_places(program.read()))

    def without_places(self, pir):
        lines = [line for line in pir.splitlines() if not line.startswith("file ")]
        return [re.sub(r" at \d+:\d+:\d+$", "", line) for line in lines]

    def test_every_table_is_what_pytorch_asks_for(self):
        judged = collections.Counter()
        for name, arguments in self.each():
            compute = plumbline("gen", *arguments, "--emit=csv")
            full = plumbline("gen", *arguments, "--emit=csv-comms")
            self.assertEqual(compute.code, full.code, arguments)
            if compute.code != 0:
                judged[compute.err] += 1
                continue
            self.assertNotIn("SEND", compute.out)
            reader = PyTorchReader(rows_of(full.out))
            reader.check_rows()
            reader.run()
            # Without its messages the full table is the other one.
            stripped = [[cell for cell in row if "SEND" not in cell and "RECV" not in cell]
                        for row in rows_of(full.out)]
            self.assertEqual(stripped, rows_of(compute.out), arguments)
            for table in (compute.out, full.out):
                run = plumbline("verify", "-", stdin=table.encode())
                self.assertEqual(run.code, 0, (arguments, run.out))
            judged["tables"] += 1
        self.assertGreater(judged["tables"], 20, judged)

    def test_pytorchs_own_reader(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("PyTorch is not installed")
        from torch.distributed.pipelining import schedules  # pylint: disable=import-outside-toplevel
        from_str = schedules._Action.from_str  # pylint: disable=protected-access
        # PyTorch 2.8 and older have no cells for overlapped calls.
        knows_overlap = hasattr(schedules._ComputationType, "OVERLAP_F_B")  # pylint: disable=protected-access
        read = 0
        for _, arguments in self.each():
            run = plumbline("gen", *arguments, "--emit=csv-comms")
            for row in rows_of(run.out) if run.code == 0 else []:
                for cell in row:
                    if knows_overlap or not cell.endswith("OVERLAP_F_B"):
                        self.assertEqual(str(from_str(cell)), cell)
                        read += 1
        self.assertGreater(read, 1000)

    def test_deepspeeds_instructions_name_declared_buffers(self):
        lists = plumbline("gen", "deepspeed_train", "--stages=2", "--microbatches=2", "--emit=deepspeed").out
        places = [match.start() for match in re.finditer(r"buffer_id=\d+", lists)]
        self.assertEqual(len(places), 20)  # for each microbatch, five instructions on either stage
        for place in places:
            wrong = lists[:place] + re.sub(r"buffer_id=\d+", "buffer_id=99", lists[place:], count=1)
            run = plumbline("verify", "-", stdin=wrong.encode())
            self.assertEqual(run.code, 1, wrong)
            self.assertIn("[PL503]", run.out, wrong)

    def test_deepspeeds_lists(self):
        for arguments in (["1f1b", "--stages=4", "--microbatches=8"], ["forward_only", "--stages=4", "--ranks=4",
                          "--microbatches=6"], ["deepspeed_train", "--stages=4", "--microbatches=8"],
                          ["deepspeed_inference", "--stages=4", "--microbatches=8"]):
            run = plumbline("gen", *arguments, "--emit=deepspeed")
            self.assertEqual(run.code, 0, run.err)
            self.assertTrue(run.out.startswith("# stage 0 of 4, micro_batches "))
            judged = plumbline("verify", "-", stdin=run.out.encode())
            self.assertEqual(judged.code, 0, judged.out)
        with open(driving.FIXED, encoding="utf-8") as fixed:
            run = plumbline("gen", "deepspeed_train", "--stages=4", "--microbatches=8", "--emit=deepspeed")
            self.assertEqual(run.out, fixed.read())


if __name__ == "__main__":
    unittest.main()
