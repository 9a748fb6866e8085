"""tools/export_deepspeed.py, against lists that the real DeepSpeed printed (tests/corpus/deepspeed)."""

import os
import sys
import unittest

from tests.exporters import exporting
from tests.exporters.exporting import corpus

SCHEDULE = "deepspeed.runtime.pipe.schedule"
SIZES = [(2, 4), (4, 2), (4, 8), (8, 32)]
SMALL = ["--stages", "2", "--microbatches", "4"]

OLD = f"""\
from {SCHEDULE} import TrainSchedule

class OldTrainSchedule(TrainSchedule):
    surplus = 1

    def messages(self, step):
        return reversed(super().messages(step))
"""

# A schedule of one stage whose steps are given.
STEPS = f"""\
from {SCHEDULE} import *

class Mine(PipeSchedule):
    def num_pipe_buffers(self):
        return 1

    def steps(self):
"""


def steps(body, more=""):
    return STEPS + "".join(f"        {line}\n" for line in body.split("\n")) + more


class ExportDeepspeed(exporting.Case):
    program = "export_deepspeed.py"

    def one_stage(self, text, *arguments):
        """The lines of a schedule with one stage and one microbatch, without the header."""
        self.write("mine.py", text)
        header, *lines = self.exported("mine.py:Mine", "--stages", "1", "--microbatches", "1", *arguments).splitlines()
        self.assertEqual(header, "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1")
        return lines

    def refuse_one_stage(self, text, says, *arguments):
        self.write("mine.py", text)
        self.refuse("mine.py:Mine", "--stages", "1", "--microbatches", "1", *arguments, says=says)

    def test_the_lists_of_released_schedules(self):
        self.write("old.py", OLD)
        for stages, microbatches in SIZES:
            for target, folder, name in [("TrainSchedule", "fixed", "TrainSchedule"),
                                         ("InferenceSchedule", "fixed", "InferenceSchedule"),
                                         ("old.py:OldTrainSchedule", "old", "TrainSchedule")]:
                with self.subTest(target, stages=stages, microbatches=microbatches):
                    self.exported(target, "--stages", str(stages), "--microbatches", str(microbatches),
                                  "-o", "mine.txt")
                    self.assertEqual(self.read("mine.txt"),
                                     corpus(f"deepspeed/{folder}/{name}_{stages}stage_{microbatches}mb.txt"))
                    self.judge("mine.txt")

    def test_several_sizes(self):
        self.exported("--sizes", "4x8,2x4,4x8", "--output-dir", "lists")
        names = ["TrainSchedule_2stage_4mb.txt", "TrainSchedule_4stage_8mb.txt"]
        self.assertEqual(sorted(os.listdir("lists")), names)
        for name in names:
            self.assertEqual(self.read("lists/" + name), corpus("deepspeed/fixed/" + name))
        self.assertEqual(self.exported("--sizes", "2x4"), corpus("deepspeed/fixed/" + names[0]))
        self.refuse("--sizes", "2x4,4x8", says="several --sizes need --output-dir")
        self.refuse("--sizes", "2x4", "--stages", "2", says="--sizes takes the place")
        self.refuse("--sizes", "2x4x4", says="expected sizes as STAGESxMICROBATCHES,")
        # If one size fails, none is written.
        self.write("mine.py", STEPS + "        assert self.stages < 4\n        yield []\n")
        self.refuse("mine.py:Mine", "--sizes", "2x4,4x8", "--output-dir", "none",
                    says=r"stage 0 of 4, step 0: Mine raised AssertionError \(.*mine.py:8\)")
        self.assertFalse(os.path.exists("none"))

    def test_the_command_line(self):
        self.check_command_line(f"{SCHEDULE}:TrainSchedule", ".txt")
        self.check_targets(f"from {SCHEDULE} import InferenceSchedule as Mine\n")

    def test_rude_modules(self):
        self.check_rude_modules(f"from {SCHEDULE} import InferenceSchedule as Mine\n")

    def test_as_many_microbatches_as_plumbline_takes_on_a_stage(self):
        steps_of_it = 2 * 500_000
        text = self.exported("TrainSchedule", "--stages", "1", "--microbatches", "500000")
        self.assertEqual(text.count("\n"), 1 + steps_of_it)

    def test_what_is_logged_goes_to_standard_error(self):
        done = self.export(*SMALL)
        self.assertEqual(done.out, corpus("deepspeed/fixed/TrainSchedule_2stage_4mb.txt"))
        for line in ["[INFO] [stub] setting", "written past sys.stdout", "from a child process", "still in a buffer"]:
            self.assertIn(line, done.err)
        lines = self.one_stage(steps("print('a step')\nyield [ForwardPass(0)]", "import atexit, os\n"
                                     "atexit.register(os.write, 1, b'at the end')\n"))
        self.assertEqual(lines, ["[ForwardPass(buffer_id=0)]"])

    def test_steps_of_every_form(self):
        self.assertEqual(
            self.one_stage(steps("yield None\n"
                                 "yield ForwardPass(0)\n"
                                 "yield (BackwardPass(buffer_id=0), ReduceGrads())\n"
                                 "yield iter([OptimizerStep()])\n"
                                 "yield []")),
            ["[]", "[ForwardPass(buffer_id=0)]", "[BackwardPass(buffer_id=0), ReduceGrads()]", "[OptimizerStep()]",
             "[]"])
        # A class with steps() alone, one that can only be iterated, and a function that makes a schedule.
        for text in ["class Mine:\n    def steps(self):\n        yield ForwardPass(0)\n",
                     "class Mine:\n    def __iter__(self):\n        return iter([ForwardPass(0)])\n",
                     "class Yours(PipeSchedule):\n    def steps(self):\n        yield ForwardPass(0)\n"
                     "def Mine(**sizes):\n    return Yours(**sizes)\n"]:
            for member in ["    def __init__(self, micro_batches, stages, stage_id):\n        pass\n",
                           "    def num_pipe_buffers(self):\n        return 1\n"] if "class Mine" in text else []:
                text += member
            with self.subTest(text):
                self.assertEqual(self.one_stage(f"from {SCHEDULE} import *\n" + text), ["[ForwardPass(buffer_id=0)]"])

    def test_instructions_are_printed_by_what_they_are(self):
        more = ("\nclass Loud(ForwardPass):\n    def __repr__(self):\n        return '] # \\n['\n"
                "class Tr\u00e4ge(Loud):\n    pass\n"
                "class Bare:\n    pass\n"
                "class SendGrad(Bare):\n    buffer_id = 2\n"
                "class Index:\n    def __index__(self):\n        return 3\n")
        self.assertEqual(self.one_stage(steps("yield [Loud(0), Tr\u00e4ge(1), SendGrad(), BackwardPass(Index())]",
                                              more)),
                         ["[ForwardPass(buffer_id=0), ForwardPass(buffer_id=1), SendGrad(buffer_id=2), "
                          "BackwardPass(buffer_id=3)]"])
        for value in ["None", "-1", "True", "1.0", "'0'"]:
            self.refuse_one_stage(steps(f"yield [ForwardPass({value})]"),
                                  rf"stage 0 of 1, step 0: ForwardPass has the buffer_id {value}; expected a number")

    def test_unknown_instructions(self):
        text = steps("yield [ForwardPass(0)]\nyield [CommitP2P(), Pr\u00fcfen(), CommitP2P()]",
                     "\nclass Pr\u00fcfen(PipeInstruction):\n    pass\n")
        self.refuse_one_stage(text, r"stage 0 of 1, step 1: unknown instruction CommitP2P "
                              r"\(deepspeed.runtime.pipe.schedule.CommitP2P\); Plumbline knows LoadMicroBatch, "
                              r"ForwardPass, .*, OptimizerStep and their subclasses \(--skip-unknown")
        self.assertEqual(self.one_stage(text, "--skip-unknown"), ["[ForwardPass(buffer_id=0)]", "[]"])
        done = self.export("mine.py:Mine", "--stages", "2", "--microbatches", "1", "--skip-unknown")
        self.assertIn("2 stages, 1 microbatches: left out 4 x deepspeed.runtime.pipe.schedule.CommitP2P, first at "
                      "stage 0 of 2, step 1\n", done.err)
        self.assertIn(" 2 x exported_mine.Pr\u00fcfen,", done.err)
        for step, name in [("'ForwardPass'", "str"), ("3", "int"), ("[None]", "NoneType"), ("[[]]", "list")]:
            self.refuse_one_stage(steps(f"yield {step}"), f"stage 0 of 1, step 0: unknown instruction {name} ")

    def test_arguments_that_cannot_be_expressed(self):
        text = steps("yield [ForwardPass(0, phase=1), ReduceGrads(phase=0)]")
        self.refuse_one_stage(text, "stage 0 of 1, step 0: ForwardPass has the argument phase, which the lists that "
                              "Plumbline reads cannot express")
        self.assertEqual(self.one_stage(text, "--ignore-argument", "phase"),
                         ["[ForwardPass(buffer_id=0), ReduceGrads()]"])
        # Also if the subclass keeps it to itself.
        text = ("from {0} import ForwardPass\nclass ChunkForward(ForwardPass):\n    def __init__(self, buffer, chunk):\n"
                "        super().__init__(buffer)\n        self.chunk = chunk\n").format(SCHEDULE) + steps(
                    "yield [ChunkForward(0, 1)]")
        self.refuse_one_stage(text, "ChunkForward has the argument chunk, which the lists")

    def test_further_arguments_of_the_class(self):
        text = steps("yield [ForwardPass(self.depth)] * len(self.mode)",
                     "    def __init__(self, *, depth, mode, **sizes):\n"
                     "        super().__init__(**sizes)\n        self.depth, self.mode = depth, mode\n")
        self.assertEqual(self.one_stage(text, "--argument", "depth=2", "--argument", "mode='=a'"),
                         ["[ForwardPass(buffer_id=2), ForwardPass(buffer_id=2)]"])
        self.refuse("mine.py:Mine", *SMALL, says=r"stage 0 of 2: Mine\(micro_batches=4, stages=2, stage_id=0\) raised "
                    "TypeError: .*missing 2 required")
        self.refuse("mine.py:Mine", *SMALL, "--argument", "stages=3", says="passes this one itself")

    def test_faulty_schedules(self):
        for text, says in [
                ("class Mine:\n    def __init__(self, **sizes):\n        raise ValueError('needs 3 GPUs')\n",
                 r"stage 0 of 1: Mine\(.*\) raised ValueError: needs 3 GPUs \(.*mine.py:3\)"),
                ("class Mine:\n    def __init__(self, **sizes):\n        pass\n",
                 r"stage 0 of 1: Mine has no method num_pipe_buffers\(\)"),
                ("class Mine:\n    num_pipe_buffers = lambda self: 1\n    def __init__(self, **sizes):\n        pass\n",
                 r"Mine can neither be iterated nor has it a method steps\(\)"),
                ("def Mine(**sizes):\n    return None\n", "no method num_pipe_buffers"),
                (STEPS.replace("return 1", "return 'two'") + "        yield []\n", "returned 'two', not a number"),
                (STEPS.replace("return 1", "return self.two") + "        yield []\n",
                 r"stage 0 of 1: num_pipe_buffers\(\) of Mine raised AttributeError: .*'two'"),
                (steps("yield []\nraise RuntimeError('lost')"), "stage 0 of 1, step 1: Mine raised RuntimeError: lost"),
                (steps("return None"), "stage 0 of 1: iterating Mine raised TypeError"),
                (steps("yield (1 // 0 for _ in 'a')"), "stage 0 of 1, step 0: its list raised ZeroDivisionError"),
                (steps("import itertools\nyield itertools.repeat(None)"),
                 "stage 0 of 1, step 0: its list has more than 1000000 entries"),
                (steps("while True:\n    yield None"), "stage 0 of 1: Mine has more than 1000000 steps"),
        ]:
            with self.subTest(says):
                self.refuse_one_stage(text, says)

    def test_a_program_of_bazel(self):
        done = exporting.run([os.path.join(exporting.TOOLS, "export_deepspeed"), "InferenceSchedule", *SMALL])
        self.assertEqual((done.code, done.out), (0, corpus("deepspeed/fixed/InferenceSchedule_2stage_4mb.txt")))

    def test_a_copy(self):
        self.check_a_copy(f"from {SCHEDULE} import TrainSchedule as Mine\n")


class RealDeepspeed(exporting.Case):
    program = "export_deepspeed.py"

    @classmethod
    def setUpClass(cls):
        reason = exporting.why_absent(SCHEDULE)
        if reason:
            raise unittest.SkipTest(reason)

    def test_its_schedules(self):
        for name in ("TrainSchedule", "InferenceSchedule"):
            self.exported(name, "--sizes", "2x4,4x8,8x32", "--output-dir", "lists", real=True)
        for name in sorted(os.listdir("lists")):
            with self.subTest(name):
                self.assertEqual(self.read("lists/" + name), corpus("deepspeed/fixed/" + name))
                self.judge("lists/" + name)


if __name__ == "__main__":
    sys.exit(unittest.main())
