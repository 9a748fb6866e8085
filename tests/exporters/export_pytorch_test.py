"""tools/export_pytorch.py, against tables that the real PyTorch made (tests/corpus/pytorch)."""

import os
import re
import sys
import unittest

from tests.exporters import exporting
from tests.exporters.exporting import corpus

PIPELINING = "torch.distributed.pipelining"
SMALL = ["--stages", "2", "--microbatches", "4"]
SIZE = re.compile(r"_(\d+)rank_(\d+)stage_(\d+)mb")

# For modules of users: actions from cells, with today's enum.
ACTIONS = f"""\
import re
from {PIPELINING} import *
from {PIPELINING}.schedules import *
from {PIPELINING}.schedules import _Action, _ComputationType

def member(letters):
    return _ComputationType(letters)

def action(cell):
    if not cell:
        return None
    if cell.startswith("("):
        inner, letters = cell[1:].split(")")
        return _Action(-1, member(letters), None, tuple(action(part) for part in inner.split(";")))
    stage, letters, microbatch = re.fullmatch("([0-9]+)([A-Z_]+)([0-9]*)", cell).groups()
    return _Action(int(stage), member(letters), int(microbatch) if microbatch else None)

def table(text):
    return dict(enumerate([action(cell) for cell in row.split(",")] for row in text.splitlines()))
"""

# A class whose table, with messages, is that of a file.
REPLAY = ACTIONS + """
class Replay(PipelineScheduleMulti):
    def __init__(self, stages, n_microbatches, loss_fn=None, *, file, lowered=True):
        super().__init__(stages, n_microbatches, loss_fn)
        self.pipeline_order = {rank: [] for rank in range(self.pp_group_size)}
        with open(file) as text:
            setattr(self, "pipeline_order_with_comms" if lowered else "pipeline_order", table(text.read()))
"""

# What PyTorch up to 2.5 has in place of that enum, and what it had between 2.5 and 2.6.
UP_TO_2_5 = """
import enum
class OldType(enum.Enum):
    FORWARD = 1
    BACKWARD = 2
    WEIGHT = 3
    def __str__(self):
        return {1: "F", 2: "B", 3: "W"}[self.value]
MEMBERS = {"F": OldType.FORWARD, "B": OldType.BACKWARD, "I": OldType.BACKWARD, "W": OldType.WEIGHT}
def member(letters):
    return MEMBERS[letters]
"""
BEFORE_2_6 = """
import enum
class OldType(enum.Enum):
    FORWARD = 1
    BACKWARD = 2
    WEIGHT = 3
    FULL_BACKWARD = 10
    def __str__(self):
        return {1: "F", 2: "B", 3: "W", 10: "BW"}[self.value]
MEMBERS = {"F": OldType.FORWARD, "B": OldType.FULL_BACKWARD, "I": OldType.BACKWARD, "W": OldType.WEIGHT}
def member(letters):
    return MEMBERS[letters]
"""


def tables(*kinds):
    """(name, size on the command line) of each table of the corpus of these kinds."""
    for name in sorted(os.listdir(os.path.join(exporting.CORPUS, "pytorch"))):
        if name.endswith(tuple(f"_{kind}.csv" for kind in kinds)):
            yield "pytorch/" + name, "x".join(SIZE.search(name).groups())


class ExportPytorch(exporting.Case):
    program = "export_pytorch.py"

    def made(self, body, *arguments, ranks=1, stages=1, microbatches=1):
        """The run on a function whose body is given."""
        text = ACTIONS + "\ndef make(stages, ranks, microbatches, **more):\n"
        self.write("mine.py", text + "".join(f"    {line}\n" for line in body.split("\n")))
        return self.export("mine.py:make", "--ranks", str(ranks), "--stages", str(stages), "--microbatches",
                           str(microbatches), *arguments)

    def refuse_made(self, body, says, *arguments, **size):
        done = self.made(body, *arguments, **size)
        self.assertEqual((done.code, done.out), (2, ""), done.err)
        self.assertNotIn("Traceback", done.err)
        self.assertRegex(done.err.splitlines()[-1], "^export_pytorch.py: .*" + says)

    def test_classes_of_the_framework(self):
        for name, size in tables("compute"):
            target = {"loopedbfs": "ScheduleLoopedBFS", "gpipe": "ScheduleGPipe",
                      "1f1b": PIPELINING + ":Schedule1F1B"}.get(name.split("/")[1].split("_")[0])
            if target is None:
                continue
            with self.subTest(name):
                ranks, stages, microbatches = size.split("x")
                done = self.export(target, "--ranks", ranks, "--stages", stages, "--microbatches", microbatches,
                                   "-o", "mine.csv")
                self.assertEqual((done.code, done.out), (0, ""), done.err)
                self.assertEqual(self.read("mine.csv"), corpus(name))
                self.judge("mine.csv")
                self.assertEqual("runs a step loop and no table" in done.err, target != "ScheduleLoopedBFS")
        # More microbatches than there are stages ahead, or fewer.
        self.assertEqual(self.exported("ScheduleGPipe", "--stages", "3", "--microbatches", "1"),
                         "0F0,0B0\n1F0,1B0\n2F0,2B0\n")
        self.assertEqual(self.exported("Schedule1F1B", "--stages", "2", "--microbatches", "2"),
                         "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n")

    def test_every_cell_of_the_corpus(self):
        """Tables with every kind of action; today's letters, whatever the actions' own text is."""
        self.write("replay.py", REPLAY)
        files = list(tables("compute", "comms"))
        self.assertGreater(len(files), 20)
        for name, size in files:
            with self.subTest(name):
                path = os.path.join(exporting.CORPUS, name)
                self.exported("replay.py:Replay", "--sizes", size, "--argument", f"file={path!r}", "-o", "mine.csv")
                self.assertEqual(self.read("mine.csv"), corpus(name))
        self.judge("mine.csv")

    def test_older_notations(self):
        for old in (UP_TO_2_5, BEFORE_2_6):
            self.write("replay.py", REPLAY + old)
            for name, size in tables("compute"):
                if "dualpipev" not in name:
                    with self.subTest(name):
                        file = os.path.join(exporting.CORPUS, name)
                        self.assertEqual(self.exported("replay.py:Replay", "--sizes", size, "--argument",
                                                       f"file={file!r}", "--argument", "lowered=False"), corpus(name))

    def test_several_sizes(self):
        self.exported("ScheduleLoopedBFS", "--sizes", "2x4x4,4x8x8", "--output-dir", "tables")
        names = ["ScheduleLoopedBFS_2rank_4stage_4mb.csv", "ScheduleLoopedBFS_4rank_8stage_8mb.csv"]
        self.assertEqual(sorted(os.listdir("tables")), names)
        for name in names:
            self.assertEqual(self.read("tables/" + name),
                             corpus(f"pytorch/{name[:-4]}_compute.csv".replace("ScheduleLoopedBFS", "loopedbfs")))
        self.judge(*("tables/" + name for name in names))
        self.refuse("ScheduleLoopedBFS", "--sizes", "2x4", says="expected sizes as RANKSxSTAGESxMICROBATCHES,")
        self.refuse("ScheduleLoopedBFS", "--sizes", "2x4x4,2x0x4", says="--sizes: expected a whole number .*found '0'")
        self.refuse("ScheduleLoopedBFS", "--sizes", "2x4x4", "--ranks", "2", says="--sizes takes the place")
        self.refuse("ScheduleLoopedBFS", "--sizes", "2x4x4,4x6x8", "--output-dir", "none",
                    says="4 ranks, 6 stages, 8 microbatches: .*expected stages to be a multiple of ranks")
        self.refuse("ScheduleGPipe", "--sizes", "2x4x4", says="one stage a rank; expected as many ranks as stages")
        self.assertFalse(os.path.exists("none"))

    def test_the_command_line(self):
        self.check_command_line(f"{PIPELINING}:ScheduleLoopedBFS", ".csv")
        self.check_targets(f"from {PIPELINING} import ScheduleLoopedBFS as Mine\n")

    def test_rude_modules(self):
        self.check_rude_modules(f"from {PIPELINING} import ScheduleLoopedBFS as Mine\n")

    def test_a_copy_of_a_class_with_a_loop(self):
        self.write("vendored.py", ACTIONS + """
class Schedule1F1B:
    def __init__(self, stage, n_microbatches):
        self.pipeline_order = table("0F0,0B0\\n1F0,1B0")
""")
        done = self.export("vendored.py:Schedule1F1B", "--stages", "2", "--microbatches", "1")
        self.assertEqual((done.code, done.out), (0, "0F0,0B0\n1F0,1B0\n"), done.err)
        self.assertIn("if it is a copy of that class the table may not be what its loop runs", done.err)

    def test_subclasses_of_the_two_with_a_loop(self):
        self.write("mine.py", ACTIONS + """
class Bare(Schedule1F1B):
    def _step_microbatches(self, *args):
        pass
class Overriding(ScheduleGPipe):
    def _get_pipeline_order(self):
        return table("0F0,0B0,0F1,0B1\\n1F0,1B0,1F1,1B1")
class Setting(ScheduleGPipe):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.pipeline_order = table("0F0,0B0,0F1,0B1\\n1F0,1B0,1F1,1B1")
class Lowered(Bare):
    pipeline_order_with_comms = table("0F0,0B0,0F1,0B1\\n1F0,1B0,1F1,1B1")
""")
        size = ["--stages", "2", "--microbatches", "2"]
        self.refuse("mine.py:Bare", *size, says="2 ranks, 2 stages, 2 microbatches: Bare is a subclass of "
                    "Schedule1F1B, which runs a step loop that cannot be exported, and has no table of its own")
        for name in ("Overriding", "Setting", "Lowered"):
            done = self.export("mine.py:" + name, *size)
            self.assertEqual((done.code, done.out), (0, "0F0,0B0,0F1,0B1\n1F0,1B0,1F1,1B1\n"), done.err)
            self.assertRegex(done.err, f"{name} is a Schedule.*; its table was written, and whether")

    def test_how_classes_are_called(self):
        self.write("mine.py", ACTIONS + """
class Mine(PipelineScheduleMulti):
    def __init__(self, stages, n_microbatches, loss_fn, flag=1):
        assert [stage.stage_index for stage in stages] == [0, 2, 4]
        assert [stage.is_first for stage in stages] == [True, False, False]
        assert not stages[2].is_last and not stages[0].has_backward and stages[0].submod is None
        assert (stages[1].num_stages, stages[1].group_size, stages[1].group_rank) == (6, 2, 0)
        assert n_microbatches == 5 and callable(loss_fn) and flag in (1, [2])
        self.pipeline_order = {0: [], 1: [None, action("5F4"), action("1UNSHARD") if flag == 1 else None]}
class Whatever(Mine):
    def __init__(self, **everything):
        super().__init__(**everything)
class ScheduleZBVZeroBubble(PipelineScheduleMulti):
    def __init__(self, stages, n_microbatches):
        super().__init__(stages, n_microbatches)
        assert [stage.stage_index for stage in stages] == [0, 3] and stages[1].is_last
        self.pipeline_order = {1: [], 0: [action("3F3")]}
class WantsMore(PipelineScheduleMulti):
    def __init__(self, stages, n_microbatches):
        super().__init__(stages, n_microbatches)
        module = stages[0].submod or stages[0].module
        self.pipeline_order = {rank: [action(f"{stages[0].num_stages - 1}F{size + 3}") for size in module.parameters()]
                               for rank in range(self.pp_group_size)}
class LooksInside(PipelineScheduleMulti):
    def __init__(self, stages, n_microbatches):
        super().__init__(stages, n_microbatches)
        list(stages[0].submod.parameters())
        self.pipeline_order = {rank: [action("3F0")] for rank in range(self.pp_group_size)}
class WantsTooMuch(PipelineScheduleMulti):
    def __init__(self, stages, n_microbatches):
        stages[0].wishes
class NeedsScale(Mine):
    def __init__(self, stages, n_microbatches, scale):
        raise ValueError(f"scale {scale} needs\\n\\na GPU")
class NoTable(PipelineScheduleMulti):
    pass
""")
        size = ["--ranks", "2", "--stages", "6", "--microbatches", "5"]
        self.assertEqual(self.exported("mine.py:Mine", *size), "\n,5F4,1UNSHARD\n")
        self.assertEqual(self.exported("mine.py:Whatever", *size), "\n,5F4,1UNSHARD\n")
        self.assertEqual(self.exported("mine.py:Mine", *size, "--argument", "flag=[2]"), "\n,5F4,\n")
        self.assertEqual(self.exported("mine.py:ScheduleZBVZeroBubble", "--sizes", "2x4x4"), "3F3\n\n")
        # A class that asks more of a stage than its place gets a real one, for each size again.
        self.exported("mine.py:WantsMore", "--sizes", "2x4x8,3x6x8", "--output-dir", "real")
        self.assertEqual(self.read("real/WantsMore_3rank_6stage_8mb.csv"), 3 * "5F7,5F7\n")
        self.assertEqual(self.exported("mine.py:LooksInside", "--sizes", "2x4x1"), 2 * "3F0\n")
        self.assertEqual(self.exported("ScheduleLoopedBFS", "--sizes", "2x4x4", "--real-stages"),
                         corpus("pytorch/loopedbfs_2rank_4stage_4mb_compute.csv"))

        for target, arguments, says in [
                ("mine.py:NeedsScale", [], r"2 ranks, 6 stages, 5 microbatches: NeedsScale\(stages=..., "
                 r"n_microbatches=...\) raised TypeError: .*'scale'"),
                ("mine.py:NeedsScale", ["--argument", "scale=3"], r"raised ValueError: scale 3 needs a GPU "
                 r"\(.*mine.py:\d+\)"),
                ("mine.py:Mine", ["--argument", "n_microbatches=3"], "passes this one itself"),
                ("mine.py:NoTable", [], "NoTable gave a NoTable, which has no table; expected a dict from rank"),
                ("mine.py:WantsTooMuch", [], "raised AttributeError: 'PipelineStage' object has no attribute 'wishes'"),
                ("mine.py:Mine", ["--real-stages"], "raised AttributeError: 'PipelineStage' object has no .*is_first"),
        ]:
            with self.subTest(says):
                self.refuse(target, *size, *arguments, says=says)
        self.refuse("Schedule1F1B", "--stages", "4", "--microbatches", "2",
                    says="raised ValueError: 2 microbatches are fewer than 4 stages")

    def test_what_functions_return(self):
        for body in ["return table('0F0,,0B0')",
                     "return {0: (action('0F0'), None, action('0B0'))}",
                     "return type('Own', (), {'pipeline_order': table('0F0,,0B0')})()",
                     "return type('Own', (), {'pipeline_order': 0, 'pipeline_order_with_comms': table('0F0,,0B0')})()",
                     "return type('Own', (), {'pipeline_order': table('0F0,,0B0'), 'pipeline_order_with_comms': {}})()",
                     "print('made')\nassert (stages, ranks, microbatches) == (1, 1, 1)\nreturn table('0F0,,0B0')"]:
            done = self.made(body)
            self.assertEqual((done.code, done.out), (0, "0F0,,0B0\n"), done.err)
        done = self.made("return type('Own', (), {'pipeline_order': table('0F0'), "
                         "'pipeline_order_with_comms': table('0B0')})()", "--compute-only")
        self.assertEqual(done.out, "0F0\n")
        self.assertEqual(self.made("return more['a'] or table('0F0')", "--argument", "a=0").out, "0F0\n")
        # A schedule object of the framework, made by the user's function.
        stage = "type('Stage', (), {'num_stages': 2, 'group_size': 2, 'group_rank': 0})()"
        done = self.made(f"return Schedule1F1B({stage}, 4)", ranks=2, stages=2, microbatches=4)
        self.assertEqual(done.out, corpus("pytorch/1f1b_2rank_2stage_4mb_compute.csv"))
        self.assertIn("runs a step loop", done.err)
        self.refuse_made(f"return Schedule1F1B({stage}, 3)", "make gave a schedule of 3 microbatches, and 4 were asked",
                         ranks=2, stages=2, microbatches=4)
        self.refuse_made(f"return Schedule1F1B({stage}, 4)", "make gave a schedule of 2 stages, and 4 were asked",
                         ranks=2, stages=4, microbatches=4)
        for body, says in [
                ("return None", "make gave a NoneType, which has no table; expected a dict from rank to actions"),
                ("return [[]]", "make gave a list, which has no table"),
                ("return {}", "a table of the ranks , and 1 ranks were asked for"),
                ("return {1: []}", "a table of the ranks 1, and 1 ranks were asked for"),
                ("return {'0': []}", "a table of the ranks '0', and 1 ranks"),
                ("return table('0F0\\n1F0')", "a table of the ranks 0, 1, and 1 ranks were asked for"),
                ("return table('0F0,1F0,1B0,0B0')", "a table of 2 stages, and 1 were asked for"),
                ("return table('0F0,0F1,0B0,0B1')", "a table of 2 microbatches, and 1 were asked for"),
                ("return {0: []}", "a table of 0 stages, and 1 were asked for"),
                ("return {0: None}", "make, rank 0: its actions raised TypeError"),
                ("raise KeyError('plan')", r"1 ranks, 1 stages, 1 microbatches: make\(stages=1, ranks=1, "
                 r"microbatches=1\) raised KeyError: 'plan' \(.*mine.py:\d+\)"),
        ]:
            with self.subTest(says):
                self.refuse_made(body, says)
        self.write("few.py", "def make():\n    return {}\n")
        self.refuse("few.py:make", *SMALL, says=r"raised TypeError: make\(\) got an unexpected keyword argument")

    def test_faulty_actions(self):
        for body, says in [
                ("'0F0'", "make, rank 0, action 1: a str is no action; expected the fields stage_index"),
                ("(0, _ComputationType.FORWARD, 0)", "a tuple is no action"),
                ("_Action(0, 'F', 0)", "a _Action is no action"),
                ("_Action(-1, _ComputationType.FORWARD, 0)", "FORWARD has the stage_index -1; expected a number"),
                ("_Action(0, _ComputationType.SEND_F)", "SEND_F has the microbatch_index None; expected a number"),
                ("_Action(0, _ComputationType.FORWARD, True)", "microbatch_index True"),
                ("_Action(0, _ComputationType.NEW_IDEA, 0)", "unknown action NEW_IDEA; Plumbline knows FORWARD, .*and "
                 r"OVERLAP_F_B \(--skip-unknown"),
                ("_Action(-1, _ComputationType.OVERLAP_F_B)", "expected OVERLAP_F_B to have forward and backward"),
                ("_Action(-1, _ComputationType.OVERLAP_F_B, None, ())", "expected OVERLAP_F_B to have"),
                ("action('(0F0;0SEND_F0)OVERLAP_F_B')", "expected OVERLAP_F_B to have"),
        ]:
            with self.subTest(body):
                self.refuse_made(f"return {{0: [None, {body}]}}", says)
        done = self.made("return {0: [action('0F0'), _Action(0, _ComputationType.NEW_IDEA), action('0B0')]}",
                         "--skip-unknown")
        self.assertEqual((done.code, done.out), (0, "0F0,0B0\n"))
        self.assertIn("1 ranks, 1 stages, 1 microbatches: left out 1 NEW_IDEA", done.err)

    def test_waits(self):
        """Newer PyTorch spells out where a rank waits for its sends. Left out where that can hold nothing up."""
        size = dict(ranks=2, stages=2, microbatches=1)
        harmless = ("return table('0F0,0SEND_F0,0RECV_B0,0B0,0WAIT_SEND_F0,0REDUCE_GRAD,0WAIT_REDUCE_GRAD,0RESHARD\\n"
                    "1RECV_F0,(1F0;1B0)OVERLAP_F_B,1SEND_B0,,1WAIT_SEND_B0,')")
        done = self.made(harmless, **size)
        self.assertEqual((done.code, done.out),
                         (0, "0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n"
                          "1RECV_F0,(1F0;1B0)OVERLAP_F_B,1SEND_B0,,\n"), done.err)
        self.assertIn("left out 1 WAIT_REDUCE_GRAD, 1 WAIT_SEND_B, 1 WAIT_SEND_F\n", done.err)
        for row, place in [("0F0,0SEND_F0,0WAIT_SEND_F0,0RECV_B0,0B0", "action 2: WAIT_SEND_F of stage 0, micro"),
                           ("0W0,0F0,0SEND_F0,0WAIT_SEND_F0,0B0", "action 3: WAIT_SEND_F"),
                           ("0B0,0SEND_B0,0WAIT_SEND_B0,0F0", "action 2: WAIT_SEND_B")]:
            body = f"return table('{row}\\n1F0,1B0')"
            self.refuse_made(body, f"make, rank 0, {place}.* may hold up what follows it", **size)
            done = self.made(body, "--skip-unknown", **size)
            self.assertEqual((done.code, "WAIT" in done.out), (0, False))

    def test_a_program_of_bazel(self):
        done = exporting.run([os.path.join(exporting.TOOLS, "export_pytorch"), "ScheduleGPipe", *SMALL])
        self.assertEqual((done.code, done.out), (0, corpus("pytorch/gpipe_2rank_2stage_4mb_compute.csv")))

    def test_a_copy(self):
        self.check_a_copy(f"from {PIPELINING} import ScheduleLoopedBFS as Mine\n")


class RealPytorch(exporting.Case):
    program = "export_pytorch.py"

    @classmethod
    def setUpClass(cls):
        reason = exporting.why_absent(PIPELINING)
        if reason:
            raise unittest.SkipTest(reason)

    def test_its_schedules(self):
        for prefix, name in [("gpipe", "ScheduleGPipe"), ("1f1b", "Schedule1F1B"),
                             ("interleaved1f1b", "ScheduleInterleaved1F1B"), ("loopedbfs", "ScheduleLoopedBFS"),
                             ("interleavedzerobubble", "ScheduleInterleavedZeroBubble"),
                             ("zbvzerobubble", "ScheduleZBVZeroBubble"), ("dualpipev", "ScheduleDualPipeV")]:
            sizes = [(table, size) for table, size in tables("compute") if table.startswith(f"pytorch/{prefix}_")]
            arguments = [name, "--sizes", ",".join(size for _, size in sizes)]
            with self.subTest(name):
                done = self.export(*arguments, "--compute-only", "--output-dir", "compute", real=True)
                if done.code == 2 and f"found no '{name}'" in done.err:
                    print(f"this PyTorch has no {name}", file=sys.stderr)
                    continue
                self.assertEqual((done.code, done.out), (0, ""), done.err)
                self.exported(*arguments, "--output-dir", "whole", real=True)
                for table, size in sizes:
                    file = "/{}_{}rank_{}stage_{}mb.csv".format(name, *size.split("x"))
                    self.assertEqual(self.read("compute" + file), corpus(table))
                    self.judge("compute" + file, "whole" + file)


if __name__ == "__main__":
    sys.exit(unittest.main())
