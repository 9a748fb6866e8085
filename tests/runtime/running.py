"""Starts `plumbline run` as a user would, for the tests beside this file."""

import json
import os
import subprocess

from tests.cli import driving

RUN = os.path.abspath("runtime/cli/plumbline_run")
RUN_MPI = os.path.abspath("runtime/mpi/plumbline_run_mpi")
MY_STAGE = os.path.abspath("tests/runtime/libmy_stage.so")
SMALL_MODEL = ["--stage", "mlp", "--stage-options", "width=16,layers=1,context=8,batch=2"]


def finished(process):
    """Exit code and what was printed."""
    out, err = process.communicate(timeout=driving.SECONDS)
    return driving.Run(process.returncode, out.decode(), err.decode())


def start(*arguments, program=RUN, prefix=()):
    return subprocess.Popen([*prefix, program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(*arguments, **how):
    return finished(start(*arguments, **how))


def losses(output):
    """The loss of each step, from JSON lines."""
    return [line["loss"] for line in map(json.loads, output.splitlines()) if "step" in line]


def mpirun(processes):
    # As root, with more processes than cores, on this machine only.
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_plm_rsh_agent="false",
                      OMPI_MCA_rmaps_base_oversubscribe="1")
    # OpenMPI 4.1 does not give back all of its own at the end, in plugins that are unloaded by then: no suppression
    # fits. What is ours is searched for leaks by run_test, which does the same in one process.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return ["mpirun", "--oversubscribe", "-n", str(processes)]


class Case(driving.Case):
    """A test that makes schedules and their certificates."""

    def certified(self, family, name="x", *, least=True, **sizes):
        """Writes NAME.pir and NAME.cert, and returns the arguments for run."""
        words = [word for key, value in sizes.items() for word in (f"--{key}", str(value))]
        pir = name + ".pir"
        generated = driving.plumbline("gen", family, *words, "-o", "given.pir")
        self.assertEqual(generated.code, 0, generated.err)
        lowered = driving.plumbline("lower", "given.pir", "--slots", "least" if least else "given", "-o", pir)
        self.assertEqual(lowered.code, 0, lowered.err)
        verified = driving.plumbline("verify", pir, "--certificate", name + ".cert")
        self.assertEqual(verified.code, 0, verified.out)
        return [pir, "--certificate", name + ".cert"]
