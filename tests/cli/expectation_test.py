"""`plumbline verify --expect`: exit codes and the last line."""

import json
import unittest

from tests.cli import driving
from tests.cli.driving import plumbline


class Expectation(driving.Case):

    def last(self, *arguments):
        run = plumbline("verify", *arguments)
        self.assertEqual(run.err, "")
        return run.code, run.out.rstrip("\n").split("\n")[-1]

    def test_what_comes_as_expected(self):
        for what, words in (("verified", [self.good()]), ("rejected", [self.rejected()]), ("PL103", [self.rejected()]),
                            ("PL501,PL401", [driving.NAIVE]), ("invalid", [self.invalid()]), ("invalid", ["none.csv"]),
                            ("undecided", ["--timeout", "0", self.good()]),
                            ("rejected", [self.rejected(), driving.NAIVE])):
            plain = plumbline("verify", *words)
            run = plumbline("verify", "--expect", what, *words)
            self.assertEqual((run.code, run.err), (0, ""), what)
            self.assertEqual(run.out.count("\n"), plain.out.count("\n"))  # nothing is said beyond the report

    def test_what_does_not(self):
        for what, words, line in (
                ("PL401", [driving.NAIVE], "expected PL401, got PL401 and PL501"),
                ("PL401,PL301", [driving.NAIVE], "expected PL301 and PL401, got PL401 and PL501"),
                ("verified", [driving.NAIVE], "expected verified, got rejected (PL401 and PL501)"),
                ("rejected", [self.good()], "expected rejected, got verified"),
                ("verified", [self.invalid()], "expected verified, got invalid"),
                ("undecided", [self.good()], "expected undecided, got verified"),
                ("PL103", [self.rejected(), self.good()], "expected PL103, got verified for good.csv"),
                ("PL103", [self.good(), self.rejected(), self.invalid()],
                 "expected PL103, got verified for good.csv; 2 of 3 files are not as expected")):
            self.assertEqual(self.last("--expect", what, *words), (1, "plumbline: " + line))

    def test_the_line_keeps_out_of_documents(self):
        for form in ("json", "junit"):
            run = plumbline("verify", "--format", form, "--expect", "PL401", driving.NAIVE)
            self.assertEqual((run.code, run.err), (1, "plumbline: expected PL401, got PL401 and PL501\n"))
            self.assertNotIn("plumbline: ", run.out)
        json.loads(plumbline("verify", "--format", "json", "--expect", "verified", self.rejected()).out)
        run = plumbline("verify", "--expect", "PL401", "-o", "report.txt", driving.NAIVE)
        self.assertEqual((run.code, run.out), (1, "plumbline: expected PL401, got PL401 and PL501\n"))

    def test_bad_usage_stays_bad_usage(self):
        good = self.good()
        for what in ("", "good", "PL999", "PL401,,PL501", "verified,PL401"):
            run = plumbline("verify", f"--expect={what}", good)
            self.assertEqual((run.code, run.out), (2, ""), what)
            self.assertIn("--expect", run.err)
        self.assertEqual(plumbline("buffers", "--expect", "verified", good).code, 2)
        self.assertEqual(plumbline("verify", "--expect", "invalid").code, 2)
        self.assertEqual(plumbline("verify", "--expect", "verified", good, "-o", "no/such/folder").code, 2)
        self.assertEqual(plumbline("verify", "--expect", "invalid", "--max-buffers", "none=1", good).code, 2)


if __name__ == "__main__":
    unittest.main()
