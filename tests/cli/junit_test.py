"""The JUnit document: what fails in it, its counts, and that it is XML whatever the input says."""

import os
import unittest
import xml.etree.ElementTree as ElementTree

from tests.cli import driving
from tests.cli import validation
from tests.cli.driving import plumbline


class JunitCase(driving.Case):
    """What the tests of the document need."""

    def document(self, *arguments):
        """The exit code and the root of the document, written to a file since names need not be UTF-8."""
        run = plumbline("verify", "--format", "junit", "-o", "out.xml", *arguments)
        self.assertEqual(run.out, "")
        self.assertEqual(validation.junit_faults("out.xml"), [])
        return run, ElementTree.parse("out.xml").getroot()

    def check(self, root):
        """Every count is that of what it counts, and every time the sum of its parts."""
        self.assertEqual(root.tag, "testsuites")
        for suite in root:
            self.assertEqual({case.get("classname") for case in suite}, {suite.get("name")})
            names = [case.get("name") for case in suite]
            self.assertEqual(len(names), len(set(names)))
            self.assertEqual((names[0], names.count("decided")), ("readable", 1))
            self.assertGreater(sum(name.startswith("PL") for name in names), 20)
            for case in suite:
                self.assertLessEqual(sum(child.tag != "system-out" for child in case), 1)
        for part, children in [(root, list(root))] + [(suite, [suite]) for suite in root]:
            for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                if part is root and key == "skipped":
                    continue  # which the schema has for suites only
                self.assertEqual(int(part.get(key)), sum(len(list(child.iter(tag))) for child in children), key)
            self.assertEqual(int(part.get("tests")), len(list(part.iter("testcase"))))
        for suite in root:
            self.assertAlmostEqual(float(suite.get("time")), sum(float(case.get("time")) for case in suite), places=3)
        self.assertAlmostEqual(float(root.get("time")), sum(float(suite.get("time")) for suite in root), places=1)

    def failing(self, suite, tags=("failure", "error")):
        return [case.get("name").split()[0] for case in suite if any(case.find(tag) is not None for tag in tags)]


class Junit(JunitCase):

    def test_verified(self):
        run, root = self.document(driving.FIXED)
        self.assertEqual((run.code, run.err), (0, ""))
        self.check(root)
        (suite,) = root
        self.assertEqual(suite.get("name"), driving.FIXED)
        self.assertEqual(self.failing(suite), [])
        (warned,) = [case for case in suite if case.get("name").startswith("PL502")]
        self.assertIn(driving.FIXED + ":70:1: warning: pool 'inputs'", warned.findtext("system-out"))

    def test_every_rule_has_a_case(self):
        _, root = self.document(self.good())
        rules = [line.replace("  ", " ", 1) for line in plumbline("rules").out.splitlines() if line.startswith("PL")]
        self.assertEqual([c.get("name") for c in root.iter("testcase")], ["readable", *rules, "decided"])

    def test_rejected(self):
        run, root = self.document(driving.NAIVE)
        self.assertEqual((run.code, run.err), (1, ""))
        self.check(root)
        self.assertEqual(self.failing(root[0]), ["PL401", "PL501"])
        (failure,) = [f for f in root.iter("failure") if "overwrites" in f.get("message")]
        self.assertRegex(failure.get("message"), r"overwrites .* \(and 10 more\)$")
        report = plumbline("verify", driving.NAIVE).out
        for line in failure.text.splitlines():
            self.assertIn(line, report)
        self.assertIn(f"{driving.NAIVE}:54:2: error: ", failure.text)
        self.assertIn(f"{driving.NAIVE}:54:31: note: the pending reader", failure.text)

    def test_findings_that_are_not_shown_are_counted(self):
        row = ",".join(f"0F{m},0B{m},0B{m}" for m in range(30))
        _, root = self.document(self.write("many.csv", row + "\n"))
        (failure,) = [f for f in root.iter("failure") if "[PL103]" in f.text]
        self.assertIn("\n10 more not shown\n", failure.text)
        self.assertTrue(failure.get("message").endswith(" (and 29 more)"), failure.get("message"))

    def test_invalid(self):
        run, root = self.document(self.invalid(), "missing.csv")
        self.assertEqual(run.code, 2)
        self.check(root)
        for suite in root:
            self.assertEqual(self.failing(suite), ["readable"])
            self.assertEqual(int(suite.get("skipped")), int(suite.get("tests")) - 1)
        failures = [f for f in root.iter("failure")]
        self.assertTrue(failures[0].get("message").startswith("invalid.csv:1:6: unknown action 'X'"))
        self.assertIn("    1 | 0F0,0X0\n", failures[0].text)
        self.assertTrue(failures[1].get("message").startswith("missing.csv: cannot be opened"))

    def test_undecided(self):
        run, root = self.document("--timeout", "0", self.good())
        self.assertEqual(run.code, 3)
        self.check(root)
        self.assertEqual(self.failing(root[0], ["failure"]), [])
        self.assertEqual(self.failing(root[0]), ["decided"])
        (error,) = root.iter("error")
        self.assertIn("deadlock freedom", error.text)

    def test_one_document_for_all_files(self):
        files = [self.good(), self.rejected(), self.invalid()]
        run = plumbline("verify", "--format", "junit", *files)
        self.assertEqual((run.code, run.err), (2, ""))
        root = ElementTree.fromstring(run.out)
        self.check(root)
        self.assertEqual([suite.get("name") for suite in root], files)

    def test_beside_the_usual_report(self):
        for code, file in ((0, self.good()), (1, self.rejected()), (2, self.invalid())):
            for words in ([], ["--format", "json"], ["--format", "junit"]):
                plain = plumbline("verify", *words, file)
                run = plumbline("verify", *words, file, "--junit", "out.xml")
                self.assertEqual((run.code, run.err), (code, ""))
                self.assertEqual(run.out.count("\n"), plain.out.count("\n"))
                root = ElementTree.parse("out.xml").getroot()
                self.check(root)
                self.assertEqual(bool(self.failing(root[0])), code != 0)
                os.remove("out.xml")
        self.assertEqual(plumbline("verify", "--timeout", "0", self.good(), "--junit", "out.xml").code, 3)
        self.check(ElementTree.parse("out.xml").getroot())

    def test_where_it_cannot_go(self):
        good = self.good()
        for target, says in (("no/such/folder.xml", "cannot be written"), (".", "cannot be written"),
                             (good, "would overwrite the input"), ("-", "--format junit"), ("", "takes a file"),
                             ("same.xml", "the same file")):
            words = ["-o", "same.xml"] if target == "same.xml" else []
            run = plumbline("verify", good, f"--junit={target}", *words)
            self.assertEqual(run.code, 2, target)
            self.assertIn(says, run.err)
        self.assertEqual(plumbline("verify", good).code, 0)
        self.assertEqual(plumbline("buffers", good, "--junit", "out.xml").code, 2)

    def test_hostile_names(self):
        names = {
            'a "b" \'c\' & <d> ]]> &amp;.csv': None,
            "tab\tline\nreturn\r.csv": None,
            "\u00fcber \U0001f600 \u2028.csv": None,
            "bell\x07escape\x1b[31m\x01.csv": "bell\ufffdescape\ufffd[31m\ufffd.csv",
            os.fsdecode(b"bytes \xff\xfe \xc3.csv"): "bytes \ufffd\ufffd \ufffd.csv",
            os.fsdecode(b"surrogate \xed\xa0\x80.csv"): None,
            "nonsense \ufffe \uffff.csv": "nonsense \ufffd \ufffd.csv",
        }
        for content, code in (("0F0,0B0\n", 0), ("0F0,0B0,0B0\n", 1), ("0F0,0X0\n", 2)):
            for name, shown in names.items():
                self.write(name, content)
                run, root = self.document(name)
                self.assertEqual(run.code, code)
                self.check(root)
                if not name.startswith("surrogate"):
                    self.assertEqual(root[0].get("name"), shown or name)
                os.remove(name)

    def test_hostile_messages(self):
        contents = [b"0F0,]]><&\"'\x01\x1b\xff\n", b"0F0,\xed\xa0\x800B0\n", b"\x00\n", b"\xff\xfe0\x00\n",
                    b"<x>&</x>\n",
                    b"plumbline ir 1\nmode fragment\nrank 0 {\n  send_message to 0 label \"]]><&'\xc3\xbc\"\n}\n",
                    b"plumbline ir 1\nmode fragment\nrank 0 {\n  compute label \"\xff\x1b\"\n  ]]>\n}\n"]
        for content in contents:
            run, root = self.document(self.write("input", content))
            self.assertIn(run.code, (1, 2), content)
            self.check(root)
            self.assertNotEqual(self.failing(root[0]), [])
            with open("out.xml", "rb") as file:
                self.assertNotRegex(file.read(), rb"[\x00-\x08\x0b-\x1f]")


class WithAnExpectation(JunitCase):
    """Nothing fails in the document exactly if the exit code is 0."""

    def expect(self, what, *arguments, fails=()):
        run, root = self.document("--expect", what, *arguments)
        self.check(root)
        self.assertEqual({case for suite in root for case in self.failing(suite)}, set(fails), what)
        self.assertEqual(run.code, 1 if fails else 0)
        self.assertEqual(run.err == "", run.code == 0)
        return root

    def test_an_expected_failure_is_a_pass(self):
        for what in ("rejected", "PL401,PL501"):
            root = self.expect(what, driving.NAIVE)
            (case,) = [c for c in root.iter("testcase") if c.get("name").startswith("PL401")]
            said = case.findtext("system-out")
            self.assertTrue(said.startswith("This failure was expected.\n"))
            self.assertIn(f"{driving.NAIVE}:54:2: error: ", said)
        self.expect("invalid", self.invalid())
        self.expect("undecided", "--timeout", "0", self.good())
        self.expect("verified", driving.FIXED)

    def test_a_missing_failure_and_an_unexpected_one(self):
        self.expect("PL401", driving.NAIVE, fails=["PL501", "expected"])
        self.expect("PL401,PL501,PL301", driving.NAIVE, fails=["PL301", "expected"])
        self.expect("PL103", driving.FIXED, fails=["PL103", "expected"])
        self.expect("rejected", driving.FIXED, fails=["expected"])
        self.expect("verified", driving.NAIVE, fails=["PL401", "PL501", "expected"])
        self.expect("undecided", driving.NAIVE, fails=["PL401", "PL501", "decided", "expected"])
        self.expect("invalid", self.good(), fails=["readable", "expected"])
        self.expect("PL401", self.invalid(), fails=["readable", "expected"])
        self.expect("verified", "--timeout", "0", self.good(), fails=["decided", "expected"])

    def test_an_error_with_an_open_question_is_as_expected(self):
        self.expect("rejected", "--timeout", "0", self.rejected())
        self.expect("PL103", "--timeout", "0", self.rejected())

    def test_of_several_files(self):
        root = self.expect("PL103", self.rejected(), self.good(), fails=["PL103", "expected"])
        self.assertEqual([bool(self.failing(suite)) for suite in root], [False, True])

    def test_the_sentence_is_the_last_line_of_the_command(self):
        run, root = self.document("--expect", "PL401", driving.NAIVE)
        self.assertEqual(run.err, "plumbline: expected PL401, got PL401 and PL501\n")
        (case,) = [c for c in root.iter("testcase") if c.get("name") == "expected"]
        self.assertEqual(case.find("failure").get("message"), "expected PL401, got PL401 and PL501")

    def test_options_that_do_not_fit_the_file(self):
        run, root = self.document("--expect", "invalid", "--max-buffers", "none=1", self.good())
        self.assertEqual(run.code, 2)
        self.check(root)
        self.assertEqual(self.failing(root[0]), ["readable", "expected"])


if __name__ == "__main__":
    unittest.main()
