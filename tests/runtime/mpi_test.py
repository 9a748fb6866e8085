"""Ranks as processes: the same curve as on the host's threads, and clean ends."""

import json
import os
import signal
import subprocess
import time
import unittest

from tests.cli import driving
from tests.runtime import running
from tests.runtime.running import SMALL_MODEL, run


def over_mpi(processes, *arguments):
    return run(*arguments, program=running.RUN_MPI, prefix=running.mpirun(processes))


def children_named(name):
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                if name.encode() in file.read().split(b"\0")[0]:
                    found.append(int(entry))
        except OSError:
            pass
    return found


class Mpi(running.Case):
    def same_as_host(self, processes, arguments, *how):
        host, mpi = run(*arguments, *how), over_mpi(processes, *arguments, *how)
        self.assertEqual((host.code, mpi.code), (0, 0), mpi.err)
        self.assertEqual(running.losses(mpi.out), running.losses(host.out))  # to the last bit
        return running.losses(mpi.out)

    def test_the_character_model_for_200_steps(self):
        losses = self.same_as_host(4, self.certified("1f1b", ranks=4, microbatches=4), "--steps", "200",
                                   "--learning-rate", "0.003", "--stage", "transformer", "--stage-options",
                                   "width=16,layers=1,heads=2,context=16,batch=2")
        self.assertLess(losses[-1], 0.7 * losses[0])

    def test_several_families_and_sizes(self):
        for family, ranks in (("zb_v", 2), ("dualpipe", 4), ("deepspeed_train", 4), ("hanayo", 2), ("pipedream_2bw", 4),
                              ("interleaved_1f1b", 8), ("forward_only", 2)):
            with self.subTest(family=family, ranks=ranks):
                self.same_as_host(ranks, self.certified(family, ranks=ranks, microbatches=8), "--steps", "3", "--check",
                                  *SMALL_MODEL)

    def test_processes_that_differ_are_refused(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        for more in (["--learning-rate", "0.0010000001"], ["--seed", "5"], ["--steps", "7"], ["--checkpoint", "saved"]):
            with self.subTest(more=more):
                second = [":", "-n", "1", running.RUN_MPI, *arguments, *SMALL_MODEL, *more]
                ran = over_mpi(1, *arguments, *SMALL_MODEL, *second)
                self.assertNotEqual(ran.code, 0)
                self.assertIn("process 1 has another program, text or other arguments than process 0", ran.err)

    def test_the_host_backend_is_one_process(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        ran = running.finished(running.start(*arguments, *SMALL_MODEL, prefix=running.mpirun(2)))
        self.assertNotEqual(ran.code, 0)
        self.assertIn("each would train by itself; --backend mpi", ran.err)

    def test_copies(self):
        self.same_as_host(4, self.certified("zb_h1", ranks=2, microbatches=4), "--dp", "2", "--steps", "4", *SMALL_MODEL)

    def test_summary_knows_all_ranks(self):
        ran = over_mpi(2, *self.certified("1f1b", ranks=2, microbatches=4), "--steps", "2", *SMALL_MODEL,
                       "--trace", "trace.json")
        summary = json.loads(ran.out.splitlines()[-1])["summary"]
        for rank in summary["ranks"]:
            self.assertGreater(rank["reserved_bytes"], 0)
            for pool in rank["pools"]:
                self.assertGreaterEqual(pool["peak"], 1)
                self.assertLessEqual(pool["peak"], pool["least"])
        with open("trace.json") as file:
            events = json.load(file)["traceEvents"]
        names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        self.assertEqual({names[event["pid"]] for event in events if event["ph"] == "X"}, {"rank 0", "rank 1"})

    def test_checkpoint_and_resume(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        expected = running.losses(run(*arguments, "--steps", "6", *SMALL_MODEL).out)
        how = ["--checkpoint", "saved", *SMALL_MODEL]
        self.assertEqual(over_mpi(2, *arguments, *how, "--steps", "3").code, 0)
        resumed = over_mpi(2, *arguments, *how, "--steps", "6", "--resume")
        self.assertEqual(running.losses(resumed.out), expected[3:], resumed.err)
        # What processes saved, threads go on with.
        self.assertEqual(run(*arguments, *how, "--steps", "7", "--resume").code, 0)

    def test_every_copy_goes_on_from_a_checkpoint(self):
        arguments = [*self.certified("1f1b", ranks=2, microbatches=4), "--dp", "2", "--learning-rate", "0.01", *SMALL_MODEL]
        expected = running.losses(run(*arguments, "--steps", "6").out)
        self.assertEqual(run(*arguments, "--steps", "3", "--checkpoint", "saved").code, 0)
        resumed = over_mpi(4, *arguments, "--steps", "6", "--checkpoint", "saved", "--resume")
        self.assertEqual(running.losses(resumed.out), expected[3:], resumed.err)

    def test_one_process_that_refuses_ends_all(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        begin = time.monotonic()
        refused = run(*arguments, ":", "-n", "1", running.RUN_MPI, "missing.pir", *arguments[1:],
                      program=running.RUN_MPI, prefix=running.mpirun(1))
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(refused.code, 2)
        self.assertIn("missing.pir", refused.err)
        self.assertIn("process 1 refuses to run", refused.err)

    def test_wrong_number_of_processes(self):
        refused = over_mpi(3, *self.certified("1f1b", ranks=2, microbatches=4))
        self.assertNotEqual(refused.code, 0)
        self.assertIn("needs 2 processes", refused.err)

    def test_room_is_refused(self):
        program, *_ = self.certified("1f1b", ranks=2, microbatches=4)
        self.assertEqual(driving.plumbline("verify", program, "--room", "1", "--certificate", "room.cert").code, 0)
        refused = over_mpi(2, program, "--certificate", "room.cert")
        self.assertEqual(refused.code, 2)
        self.assertIn("synchronously", refused.err)

    def test_a_failing_stage_ends_all(self):
        begin = time.monotonic()
        failed = over_mpi(2, *self.certified("1f1b", ranks=2, microbatches=4), "--stage",
                          running.MY_STAGE + ":my_stage", "--stage-options", "fail=2")
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(failed.code, 1)
        self.assertIn("1F2", failed.err)
        self.assertIn("does not like microbatch 2", failed.err)

    def test_a_killed_rank_ends_the_others(self):
        process = running.start(*self.certified("1f1b", ranks=4, microbatches=4), "--steps", "100000", *SMALL_MODEL,
                                program=running.RUN_MPI, prefix=running.mpirun(4))
        process.stdout.readline()
        victims = children_named("plumbline_run_mpi")
        self.assertEqual(len(victims), 4)
        begin = time.monotonic()
        os.kill(victims[2], signal.SIGKILL)
        ended = running.finished(process)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertNotEqual(ended.code, 0)
        self.assertIn("signal 9", ended.err)
        deadline = time.monotonic() + 5
        while children_named("plumbline_run_mpi") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(children_named("plumbline_run_mpi"), [])


if __name__ == "__main__":
    unittest.main()
