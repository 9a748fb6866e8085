"""`plumbline verify --max-buffers`, `--max-bubble`, `--stages`, ..."""

import unittest

from tests.cli import driving
from tests.cli.driving import plumbline


class Limits(driving.Case):

    def gpipe(self):
        """Four stages, eight microbatches: 3/11 of the step is idle."""
        rows = [",".join(f"{stage}{work}{m}" for work in "FB" for m in range(8)) for stage in range(4)]
        return self.write("gpipe.csv", "\n".join(rows) + "\n")

    def test_bubble(self):
        file = self.gpipe()
        for limit, code in (("0.28", 0), ("0.27", 1), ("27.3%", 0), ("27.2%", 1), ("0.272727272727272728", 0),
                            ("0.272727272727272727", 1), ("1", 0), ("0", 1)):
            run = plumbline("verify", "--comms", "directed", "--max-bubble", limit, file)
            self.assertEqual(run.code, code, limit)
            self.assertEqual(f"more than the {limit} allowed" in run.out, code == 1)
            self.assertEqual("[PL802]" in run.out, code == 1)

    def test_bubble_in_json(self):
        file = self.gpipe()
        _, (report,) = driving.reports("--max-bubble", "100%", file)
        self.assertEqual(report["bubble"]["makespan"], 33)
        self.assertAlmostEqual(report["bubble"]["idle_share"], 3 / 11, places=12)
        _, (report,) = driving.reports(file)
        self.assertNotIn("bubble", report)
        ring = self.write("ring.csv", "0F0,0SEND_F0,0F1,0RECV_B0,0SEND_F1,0B0,0RECV_B1,0B1\n"
                          "1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n")
        code, (report,) = driving.reports("--max-bubble", "0", ring)
        self.assertEqual((code, report["bubble"]), (1, {"idle_share": None, "makespan": None}))
        self.assertNotIn("PL802", {finding["rule"] for finding in report["findings"]})
        code, (report,) = driving.reports("--max-bubble", "0", self.invalid())
        self.assertEqual(code, 2)
        self.assertNotIn("bubble", report)

    def test_buffers(self):
        for words, found in ((["4"], 0), (["inputs=4"], 0), (["inputs=3"], 1), (["inputs=2"], 2),
                             (["inputs=2", "--max-buffers", "outputs=4"], 2)):
            code, (report,) = driving.reports("--max-buffers", *words, driving.FIXED)
            errors = [f for f in report["findings"] if f["severity"] == "error"]
            self.assertEqual((code, len(errors)), (1 if found else 0, found), words)
            for finding in errors:
                self.assertEqual(finding["rule"], "PL801")
                self.assertEqual(finding["location"]["file"], driving.FIXED)
                self.assertTrue(finding["related"])
        self.assertIn("pool 'inputs' of rank 0 declares 4 slots and needs 4 in this order: more than the 3 allowed",
                      plumbline("verify", "--max-buffers", "inputs=3", driving.FIXED).out)

    def test_a_pool_that_is_not_there_is_bad_usage(self):
        says = "has no pool 'input', which --max-buffers names; its pools are 'grad_layer', 'inputs', "
        run = plumbline("verify", "--max-buffers", "input=3", driving.FIXED)
        self.assertEqual(run.code, 2)
        self.assertIn(f"{driving.FIXED}: error: {says}", run.out)
        code, reports = driving.reports("--max-buffers", "grad_layer=1", driving.FIXED, driving.SMALL)
        self.assertEqual((code, [report["verdict"] for report in reports]), (2, ["verified", "invalid"]))

    def test_sizes(self):
        file = self.gpipe()
        dual = self.write("dual.pir", plumbline("gen", "dualpipe", "--ranks=4", "--microbatches=8").out)
        for fits in (file, dual):  # of two replicas, the stages of one and the microbatches of both
            self.assertEqual(plumbline("verify", "--stages=4", "--ranks=4", "--microbatches=8", fits).code, 0, fits)
            for name, found in (("stages", 4), ("ranks", 4), ("microbatches", 8)):
                for expect in ([], ["--expect", "invalid"], ["--expect", "verified"]):
                    run = plumbline("verify", f"--{name}={found - 1}", *expect, fits)
                    self.assertEqual(run.code, 2, (name, expect))
                    self.assertIn(f"error: --{name} says {found - 1}, and the file has {found}", run.out)
        # A rank without work is none, and a fragment has no sizes.
        idle = self.write("idle.csv", "0F0,0B0\n1F0,1B0\n,\n")
        self.assertIn("--ranks says 3, and the file has 2 with instructions", plumbline("verify", "--ranks=3", idle).out)
        part = self.write("part.pir", plumbline("lower", file).out.replace("mode training", "mode fragment"))
        run = plumbline("verify", "--stages=4", part)
        self.assertEqual(run.code, 2)
        self.assertIn("--stages has no meaning for a fragment", run.out)
        for wrong in ("0", "-1", "x", "0x4", ""):
            run = plumbline("verify", "--stages", wrong, file)
            self.assertEqual(run.code, 2)
            self.assertIn("--stages takes a number from 1 on", run.err)

    def test_mode(self):
        file = self.gpipe()
        forward = self.write("forward.csv", plumbline("gen", "forward_only", "--stages=4", "--ranks=2",
                                                      "--microbatches=4", "--emit=csv").out)
        for mode, of, code in (("training", file, 0), ("inference", forward, 0), ("training", forward, 2),
                               ("inference", file, 2), ("fragment", file, 2)):
            self.assertEqual(plumbline("verify", "--mode", mode, of).code, code, (mode, of))
            self.assertEqual(plumbline("verify", "--mode", mode, "--expect=invalid", of).code, 1 if code == 0 else 2)
        self.assertIn("--mode says training, and the file is for inference",
                      plumbline("verify", "--mode=training", forward).out)

    def test_an_open_question_is_no_pass(self):
        run = plumbline("verify", "--timeout", "0", "--max-buffers", "9", "--max-bubble", "0.9", self.good())
        self.assertEqual(run.code, 3)
        self.assertIn("undecided: limit on buffers: the least number of slots is not known for pool ", run.out)

    def test_bad_usage(self):
        good = self.good()
        for option, values in (("--max-buffers", ("", "x", "=1", "a=", "-1", "1.5", "1000000001")),
                               ("--max-bubble", ("", "x", "-0.1", "1.1", "101%", "1e-3"))):
            for value in values:
                run = plumbline("verify", f"{option}={value}", good)
                self.assertEqual((run.code, run.out), (2, ""), value)
                self.assertIn(option, run.err)
            self.assertEqual(plumbline("buffers", option, "1", good).code, 2)
            self.assertIn(option, plumbline("verify", "--help").out)


if __name__ == "__main__":
    unittest.main()
