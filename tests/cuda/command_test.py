"""`plumbline run --backend cuda` on the stand-in, which lives in one process."""

import json
import os
import socket
import unittest

from tests.runtime import running

STANDIN = os.path.abspath("runtime/cuda/plumbline_run_standin")
WITHOUT_CUDA = os.path.abspath("runtime/cuda/plumbline_run_cuda")


def on_devices(devices, *arguments):
    return running.finished(start(devices, *arguments))


def start(devices, *arguments, **environment):
    os.environ.update(environment, PLUMBLINE_STANDIN_DEVICES=str(devices))
    process = running.start("--backend", "cuda", *arguments, program=STANDIN)
    for name in environment:
        del os.environ[name]
    return process


def free_port():
    with socket.socket() as listening:
        listening.bind(("localhost", 0))
        return str(listening.getsockname()[1])


class Command(running.Case):
    def assert_close(self, losses, others):
        self.assertEqual(len(losses), len(others))
        for loss, other in zip(losses, others):
            self.assertAlmostEqual(loss, other, delta=1e-5 * abs(other))

    def test_same_losses_as_on_the_host(self):
        for family, ranks, more in (("1f1b", 4, []), ("zb_v", 2, []), ("dualpipe", 4, []), ("zb_h1", 2, ["--dp", "2"])):
            arguments = [*self.certified(family, ranks=ranks, microbatches=8), "--steps", "3", *more,
                         *running.SMALL_MODEL]
            host = running.run(*arguments)
            for devices in (1, 4):  # shared, and one for each rank over NCCL
                with self.subTest(family=family, devices=devices):
                    ran = on_devices(devices, *arguments)
                    self.assertEqual((host.code, ran.code), (0, 0), ran.err)
                    self.assert_close(running.losses(ran.out), running.losses(host.out))

    def test_summary_and_trace(self):
        ran = on_devices(2, *self.certified("1f1b", ranks=2, microbatches=4), "--steps", "2", *running.SMALL_MODEL,
                         "--trace", "trace.json")
        self.assertEqual(ran.code, 0, ran.err)
        summary = json.loads(ran.out.splitlines()[-1])["summary"]
        for rank in summary["ranks"]:
            self.assertGreater(rank["reserved_bytes"], 0)
        with open("trace.json", encoding="utf-8") as file:
            self.assertGreater(len(json.load(file)["traceEvents"]), 20)

    def test_resumes(self):
        arguments = [*self.certified("1f1b", ranks=2, microbatches=4), *running.SMALL_MODEL, "--dp", "2"]
        whole = on_devices(4, *arguments, "--steps", "4")
        first = on_devices(4, *arguments, "--steps", "2", "--checkpoint", "saved")
        rest = on_devices(4, *arguments, "--steps", "4", "--checkpoint", "saved", "--resume")
        self.assertEqual((whole.code, first.code, rest.code), (0, 0, 0), rest.err)
        self.assertEqual(running.losses(first.out) + running.losses(rest.out), running.losses(whole.out))

    def test_wants_both_verdicts(self):
        pir, option, certificate = self.certified("1f1b", ranks=2, microbatches=4)
        with open(certificate, encoding="utf-8") as file:
            without_room = file.readline()
        with open("one.cert", "w", encoding="utf-8") as file:
            file.write(without_room)
        refused = on_devices(1, pir, option, "one.cert", *running.SMALL_MODEL)
        self.assertEqual(refused.code, 2)
        self.assertIn("refused: it would run under", refused.err)

    def test_blocking_programs_run_too(self):
        ran = on_devices(4, *self.certified("deepspeed_train", ranks=4, microbatches=8), *running.SMALL_MODEL)
        self.assertEqual(ran.code, 0, ran.err)

    def test_refusals(self):
        arguments = [*self.certified("1f1b", ranks=2, microbatches=4), *running.SMALL_MODEL]
        for devices, more, why in ((0, [], "no CUDA device: no CUDA-capable device is detected"),
                                   (1, ["--check"], "--check needs memory that the host can look into"),
                                   (1, ["--stage", "nothing"], "nothing"),
                                   (1, ["--group", "atomic"], "on devices a program runs under"),
                                   (1, ["--stage", running.MY_STAGE + ":my_stage", "--stage-options", ""],
                                    "this stage computes on the host")):
            with self.subTest(why=why):
                ran = on_devices(devices, *arguments, *more)
                self.assertEqual((ran.code, ran.out), (2, ""), ran.err)
                self.assertIn(why, ran.err)

    def test_a_process_that_refuses_ends_all(self):
        arguments = [*self.certified("1f1b", ranks=2, microbatches=4), *running.SMALL_MODEL]
        group = {"WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "PLUMBLINE_PORT": free_port()}
        fine = start(2, *arguments, RANK="0", **group)
        refusing = start(2, *arguments, "--stage", "nothing", RANK="1", **group)
        fine, refusing = running.finished(fine), running.finished(refusing)
        self.assertEqual((fine.code, refusing.code), (2, 2), fine.err)
        self.assertIn("process 1 refuses to run", fine.err)

    def test_processes_that_differ(self):
        one = self.certified("1f1b", name="one", ranks=2, microbatches=4)
        other = self.certified("1f1b", name="other", ranks=2, microbatches=8)
        text = self.write("text", "another text")
        for arguments in (other, [*one, "--learning-rate", "0.0010000001"], [*one, "--steps", "11"], [*one, "--data", text]):
            group = {"WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "PLUMBLINE_PORT": free_port()}
            started = [start(2, *words, *running.SMALL_MODEL, RANK=rank, LOCAL_RANK=rank, **group)
                       for rank, words in (("0", one), ("1", arguments))]
            for process in map(running.finished, started):
                self.assertEqual(process.code, 2)
                self.assertIn("process 1 has another program, text or other arguments than process 0", process.err)

    def test_bad_environment(self):
        ran = running.finished(start(1, "x.pir", RANK="5", WORLD_SIZE="2"))
        self.assertEqual(ran.code, 2)
        self.assertIn("RANK is '5'; it has to be a number from 0 to 1", ran.err)
        ran = running.finished(start(1, "x.pir", RANK="0", WORLD_SIZE="0"))
        self.assertIn("WORLD_SIZE is '0'; it has to be a number from 1 to", ran.err)

    def test_a_character_beyond_the_vocabulary_ends_the_run(self):
        text = self.write("text", "abc" * 100)
        ran = on_devices(1, *self.certified("1f1b", ranks=2, microbatches=4), "--stage", "mlp", "--stage-options",
                         "width=8,layers=1,context=4,batch=2,vocabulary=98", "--data", text, "--checkpoint", "saved")
        self.assertEqual(ran.code, 1)
        self.assertIn("the loss of step 0 is no finite number; nothing is saved", ran.err)
        self.assertFalse(os.path.exists("saved/latest"))

    def test_a_build_without_cuda_says_so(self):
        ran = running.run(*self.certified("1f1b", ranks=2, microbatches=4), program=WITHOUT_CUDA)
        self.assertEqual(ran.code, 2)
        self.assertRegex(ran.err, "built without CUDA|no CUDA device")
        usage = running.run("--help", program=WITHOUT_CUDA)
        self.assertEqual(usage.code, 0)


if __name__ == "__main__":
    unittest.main()
