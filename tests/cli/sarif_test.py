"""The SARIF log: valid whatever the input says, the same findings as in JSON and JUnit, and fingerprints that last."""

import json
import os
import re
import shlex
import unittest
import urllib.parse
import xml.etree.ElementTree as ElementTree

from tests.cli import driving
from tests.cli import validation
from tests.cli.driving import plumbline


def unescaped(message):
    """What a viewer shows of a message without arguments."""
    return message["text"].replace("{{", "{").replace("}}", "}")


def path_of(location):
    """The file, as bytes, of an artifactLocation or of a location in one."""
    location = location.get("physicalLocation", location)
    uri = location.get("artifactLocation", location)["uri"]
    return urllib.parse.unquote_to_bytes(uri[len("file://"):] if uri.startswith("file://") else uri)


def target_of(result):
    return path_of(result.get("analysisTarget", result["locations"][0]))


def verdict_of(results):
    """What results say of one file, in the order of exit codes."""
    errors = {result["ruleId"] for result in results if result["level"] == "error"}
    if "invalid" in errors:
        return "invalid"
    if errors - {"undecided"}:
        return "rejected"
    return "undecided" if errors else "verified"


def locations_in(result):
    yield from result["locations"]
    yield from result.get("relatedLocations", [])
    for flow in result.get("codeFlows", []):
        for step in flow["threadFlows"][0]["locations"]:
            yield step["location"]


class SarifCase(driving.Case):
    """What the tests of the log need."""

    def log(self, *arguments):
        """The exit code and the one run of the log, which is checked."""
        run = plumbline("verify", "--format", "sarif", "-o", "out.sarif", *arguments)
        self.assertEqual(run.out, "")
        with open("out.sarif", "rb") as file:
            raw = file.read()
        self.assertNotRegex(raw, rb"[\x00-\x09\x0b-\x1f\x7f]")
        log = json.loads(raw.decode())
        self.assertEqual(validation.sarif_faults(log), [])
        (sarif_run,) = log["runs"]
        self.check(sarif_run)
        return run.code, sarif_run

    def check(self, run):
        """What no schema says."""
        rules = run["tool"]["driver"]["rules"]
        for key in ("id", "name"):
            self.assertEqual(len({rule[key] for rule in rules}), len(rules))
        (invocation,) = run["invocations"]
        for notification in invocation["toolExecutionNotifications"]:
            if "associatedRule" in notification:
                self.assertEqual(rules[notification["associatedRule"]["index"]]["id"],
                                 notification["associatedRule"]["id"])
        targets = {path_of(artifact["location"]): artifact["properties"]["verdict"] for artifact in run["artifacts"]}
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertIn(target_of(result), targets)
            for location in locations_in(result):
                self.check_region(location["physicalLocation"])
        unjudged = [result for result in run["results"] if result["ruleId"] in ("invalid", "undecided")]
        self.assertEqual(invocation["executionSuccessful"], not unjudged)
        errors = [n for n in invocation["toolExecutionNotifications"] if n["level"] == "error"]
        self.assertEqual([n["message"] for n in errors], [result["message"] for result in unjudged])
        for target, verdict in targets.items():
            self.assertEqual(verdict_of([r for r in run["results"] if target_of(r) == target]), verdict, target)

    def check_region(self, physical):
        region = physical.get("region", {})
        if "startColumn" not in region:
            return
        self.assertGreaterEqual(region["endColumn"], region["startColumn"])
        if "snippet" not in region or not os.path.exists(path_of(physical)):
            return
        with open(path_of(physical), "rb") as file:
            text = file.read().decode(errors="replace")
        line = text.removeprefix("\ufeff").split("\n")[region["startLine"] - 1]
        if "\ufffd" not in line:
            units = line.encode("utf-16-le")[2 * region["startColumn"] - 2:2 * region["endColumn"] - 2]
            self.assertEqual(units.decode("utf-16-le"), region["snippet"]["text"])

    def fingerprints(self, *arguments):
        """Of the results of a log, by rule."""
        _, run = self.log(*arguments)
        found = [(r["ruleId"], r["partialFingerprints"]["faultIdentity/v1"]) for r in run["results"]]
        self.assertEqual(len(set(found)), len(found))
        return found


class Sarif(SarifCase):

    def test_rejected(self):
        code, run = self.log(driving.NAIVE)
        self.assertEqual(code, 1)
        (result,) = [r for r in run["results"] if r["ruleId"] == "PL401"
                     and r["locations"][0]["physicalLocation"]["region"]["startLine"] == 54]
        self.assertEqual(result["level"], "error")
        self.assertIn("overwrites inputs[0]", result["message"]["text"])
        self.assertEqual(path_of(result["locations"][0]), os.fsencode(driving.NAIVE))
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"],
                         {"startLine": 54, "startColumn": 2, "endColumn": 29,
                          "snippet": {"text": "RecvActivation(buffer_id=0)"}})
        self.assertEqual(result["locations"][0]["logicalLocations"],
                         [{"name": "stage 2", "fullyQualifiedName": "rank 2/stage 2", "kind": "stage"}])
        reader, writer = result["relatedLocations"]
        self.assertTrue(reader["message"]["text"].startswith("the pending reader: "))
        self.assertEqual(reader["physicalLocation"]["region"]["startColumn"], 31)
        self.assertEqual(writer["physicalLocation"]["region"]["startLine"], 53)
        self.assertEqual(result["properties"], {"rank": 2, "stage": 2, "microbatch": 2,
                                                "instruction": "RecvActivation(buffer_id=0)"})

    def test_every_rule_is_described(self):
        _, run = self.log(self.good())
        rules = run["tool"]["driver"]["rules"]
        listed = [line.split("  ")[0] for line in plumbline("rules").out.splitlines() if line.startswith("PL")]
        self.assertEqual([rule["id"] for rule in rules], listed + ["invalid", "undecided"])
        for rule in rules[:-2]:
            explained = plumbline("rules", rule["id"]).out
            self.assertIn(rule["fullDescription"]["text"].split(".")[0][:40], " ".join(explained.split()))
            for example in (rule["help"]["text"].split("\nBreaks it:\n")[1].split("\nKeeps it:\n")):
                self.assertIn("```\n" + example + "```\n", rule["help"]["markdown"])

    def test_examples_of_the_rules(self):
        """Among them are all severities, wait-for cycles and messages that quote labels."""
        _, run = self.log(self.good())
        cycles = 0
        for rule in run["tool"]["driver"]["rules"][:-2]:
            text = rule["help"]["text"]
            arguments = re.search(r"^Judged with: plumbline verify (.*)$", text, re.MULTILINE)
            arguments = shlex.split(arguments.group(1)) if arguments else []
            failing, passing = text.split("\nBreaks it:\n")[1].split("\nKeeps it:\n")
            self.write("failing", failing)
            self.write("passing", passing)
            _, found = self.log(*arguments, "failing")
            mine = [result for result in found["results"] if result["ruleId"] == rule["id"]]
            self.assertTrue(mine, rule["id"])
            if "--strict" not in arguments:
                self.assertEqual({result["level"] for result in mine}, {rule["defaultConfiguration"]["level"]},
                                 rule["id"])
            cycles += sum("codeFlows" in result for result in mine)
            _, found = self.log(*arguments, "passing")
            self.assertNotIn(rule["id"], [result["ruleId"] for result in found["results"]])
        self.assertGreater(cycles, 1)

    def test_verified(self):
        code, run = self.log(self.good())
        self.assertEqual((code, run["results"]), (0, []))
        self.assertEqual(run["artifacts"], [{"location": {"uri": "good.csv"}, "roles": ["analysisTarget"],
                                             "properties": {"verdict": "verified"}}])

    def test_invalid(self):
        code, run = self.log(self.invalid(), "missing.csv")
        self.assertEqual(code, 2)
        unread, missing = run["results"]
        self.assertEqual({result["ruleId"] for result in run["results"]}, {"invalid"})
        self.assertTrue(unread["message"]["text"].startswith("unknown action 'X'"))
        self.assertEqual(unread["locations"][0]["physicalLocation"],
                         {"artifactLocation": {"uri": "invalid.csv"},
                          "region": {"startLine": 1, "startColumn": 6, "endColumn": 8, "snippet": {"text": "X0"}}})
        self.assertEqual(missing["locations"], [{"physicalLocation": {"artifactLocation": {"uri": "missing.csv"}}}])

    def test_invalid_for_another_files_sake(self):
        self.write("batches.csv", "0F0;\n")
        code, run = self.log("--batches", "batches.csv", self.good())
        self.assertEqual(code, 2)
        (result,) = run["results"]
        self.assertEqual(path_of(result["locations"][0]), b"batches.csv")
        self.assertEqual(target_of(result), b"good.csv")

    def test_undecided(self):
        code, run = self.log("--timeout", "0", self.good())
        self.assertEqual(code, 3)
        self.assertEqual({(r["ruleId"], r["level"]) for r in run["results"]}, {("undecided", "error")})
        self.assertTrue(any("deadlock freedom" in r["message"]["text"] for r in run["results"]))
        code, run = self.log("--timeout", "0", self.rejected())
        self.assertEqual(code, 1)
        self.assertLess({"undecided"}, {r["ruleId"] for r in run["results"]})

    def test_findings_that_are_not_shown_are_counted(self):
        _, run = self.log(self.write("many.csv", ",".join(f"0F{m},0B{m},0B{m}" for m in range(30)) + "\n"))
        self.assertEqual(sum(r["ruleId"] == "PL103" for r in run["results"]), 20)
        (notification,) = run["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual(notification["message"]["text"], "10 more findings of PL103 not shown")
        self.assertEqual((notification["level"], notification["associatedRule"]["id"]), ("note", "PL103"))

    def test_a_byte_order_mark_counts_nothing(self):
        _, run = self.log(self.write("bom.csv", b"\xef\xbb\xbf0F0,0B0,0B0\r\n"))
        (result,) = [r for r in run["results"] if r["ruleId"] == "PL103"]
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"],
                         {"startLine": 1, "startColumn": 9, "endColumn": 12, "snippet": {"text": "0B0"}})

    def test_standard_input(self):
        run = plumbline("verify", "--format", "sarif", "-", stdin=b"0F0,0B0,0B0\n")
        log = json.loads(run.out)
        self.assertEqual(validation.sarif_faults(log), [])
        self.check(log["runs"][0])
        self.assertEqual(path_of(log["runs"][0]["artifacts"][0]["location"]), b"<stdin>")

    def test_one_log_for_all_files(self):
        files = [self.good(), self.rejected(), self.invalid()]
        code, run = self.log(*files)
        self.assertEqual(code, 2)
        self.assertEqual([os.fsdecode(path_of(a["location"])) for a in run["artifacts"]], files)
        self.assertEqual([a["properties"]["verdict"] for a in run["artifacts"]], ["verified", "rejected", "invalid"])

    def test_beside_the_usual_report(self):
        for file in (self.good(), self.rejected(), self.invalid()):
            alone = plumbline("verify", "--format", "sarif", file)
            both = plumbline("verify", file, "--sarif", "both.sarif")
            self.assertEqual(both.code, alone.code)
            with open("both.sarif", encoding="utf-8") as written:
                self.assertEqual(written.read(), alone.out)


class Hostile(SarifCase):

    NAMES = [b"a \"b\" 'c' & <d> ]]> &amp;.csv", b"tab\tline\nreturn\r.csv", b"bell\x07escape\x1b[31m\x01\x7f.csv",
             "\u00fcber \U0001f600 \u2028.csv".encode(), b"bytes \xff\xfe \xc3.csv", b"surrogate \xed\xa0\x80.csv",
             b"100%.csv", b"%41.csv", b"a?b#c.csv", b"javascript:alert(1).csv", b"c:\\x\\y.csv", b"[x](http:.csv",
             b"{0}.csv", b"~.csv", b" .csv", b"-dash.csv"]

    def test_names(self):
        for content, verdict in (("0F0,0B0\n", "verified"), ("0F0,0B0,0B0\n", "rejected"), ("0F0,0X0\n", "invalid")):
            for name in self.NAMES:
                self.write(name, content)
                _, run = self.log("--", os.fsdecode(name))
                self.assertEqual([path_of(a["location"]) for a in run["artifacts"]], [name])
                self.assertEqual(run["artifacts"][0]["properties"]["verdict"], verdict)
                os.remove(name)

    def test_all_names_in_one_run(self):
        for name in self.NAMES:
            self.write(name, "0F0,0B0,0B0\n")
        _, run = self.log("--", *map(os.fsdecode, self.NAMES))
        self.assertEqual([path_of(a["location"]) for a in run["artifacts"]], self.NAMES)
        fingerprints = [r["partialFingerprints"]["faultIdentity/v1"] for r in run["results"]]
        self.assertEqual(len(set(fingerprints)), len(fingerprints))

    def test_names_that_mean_the_same(self):
        os.mkdir("sub")
        self.write("sub/x.csv", "0F0,0B0,0B0\n")
        plain = self.fingerprints("sub/x.csv")
        self.assertEqual(self.fingerprints("./sub//x.csv"), plain)

    def test_contents(self):
        contents = [b"0F0,]]><&\"'\x01\x1b\xff\n", b"0F0,\xed\xa0\x800B0\n", b"\x00\n", b"\xff\xfe0\x00\n",
                    b"<x>&</x>\n", b"0F0,{0}\n", b"0F0,[a](http://b)\n", b"", b"\xef\xbb\xbf", b"\n\n\n", b"{", b"}}"]
        for content in contents:
            code, run = self.log(self.write("input", content))
            self.assertIn(code, (1, 2), content)
            self.assertNotEqual(run["results"], [])

    def test_labels(self):
        for label in ("[click](http://evil) {0} <b>", "]]><&'\u00fc{{", "}", "\U0001f600](x"):
            self.write("input.pir", "plumbline ir 1\nmode fragment\nrank 0 {\n  send_message to 1 label \"" + label +
                       "\"\n}\nrank 1 {\n  compute label \"x\"\n}\n")
            code, run = self.log("input.pir")
            self.assertEqual(code, 1)
            (report,) = driving.reports("input.pir")[1]
            self.assertEqual([unescaped(r["message"]).replace("] (", "](") for r in run["results"]],
                             [f["message"] for f in report["findings"]])
            self.assertIn(label, " ".join(f["message"] for f in report["findings"]))

    def test_bytes_in_labels(self):
        self.write("input.pir", b"plumbline ir 1\nmode fragment\nrank 0 {\n  send_message to 1 label \"\xff\x1b\"\n}\n"
                   b"rank 1 {\n  compute label \"x\"\n}\n")
        code, run = self.log("input.pir")
        self.assertIn(code, (1, 2))
        self.assertNotEqual(run["results"], [])


class Fingerprints(SarifCase):
    """Of the same fault the same, of another one another."""

    PIR = ("plumbline ir 1\nmode fragment\nrank 0 {\n  send_message to 1 label \"a\"\n  send_message to 1 label \"b\"\n"
           "}\nrank 1 {\n  receive_message from 0 label \"b\"\n  receive_message from 0 label \"a\"\n}\n")

    def test_lines_before_and_comments(self):
        before = self.fingerprints(self.write("x.pir", self.PIR))
        self.assertTrue(before)
        commented = self.PIR.replace("rank 0 {\n", "; about rank 0\n\nrank 0 {\n  ; and what it sends\n    ")
        self.assertEqual(self.fingerprints(self.write("x.pir", commented)), before)

    def test_other_rows_and_more_microbatches(self):
        def file(microbatches, second_row):
            rows = [",".join(f"0F{m}" for m in range(microbatches)) + ",0B0,0B0," +
                    ",".join(f"0B{m}" for m in range(1, microbatches)),
                    ",".join(second_row.format(m=m) for m in range(microbatches))]
            return self.write("x.csv", "\n".join(rows) + "\n")
        alone = self.fingerprints(file(2, "1F{m},1B{m}"))
        self.assertEqual([rule for rule, _ in alone], ["PL103"])
        for microbatches, second_row in ((2, "1F{m},,,1B{m}"), (3, "1F{m},1B{m}"), (8, "1F{m},1B{m}")):
            self.assertEqual(self.fingerprints(file(microbatches, second_row)), alone)

    def test_a_new_fault_beside_an_old_one(self):
        old = self.fingerprints(self.write("x.csv", "0F0,0F1,0B0,0B1,0B1\n"))
        both = self.fingerprints(self.write("x.csv", "0F0,0F1,0B0,0B0,0B1,0B1\n"))
        self.assertLess(set(old), set(both))
        self.assertEqual(len(both), 2)

    def test_other_faults(self):
        contents = ["0F0,0B0,0B0\n", "0F0,0F0,0B0\n", "0F0,0F1,0B0,0B1,0B1\n", "0F0\n1F0,1B0\n", "0F0,0B0\n1F0\n"]
        seen = [set(self.fingerprints(self.write("x.csv", content))) for content in contents]
        self.assertEqual(len(set().union(*seen)), sum(map(len, seen)))

    def test_another_path(self):
        self.write("x.csv", "0F0,0B0,0B0\n")
        os.mkdir("sub")
        self.write("sub/x.csv", "0F0,0B0,0B0\n")
        self.assertFalse(set(self.fingerprints("x.csv")) & set(self.fingerprints("sub/x.csv")))

    def test_what_was_not_judged(self):
        unread = self.fingerprints(self.invalid())
        self.assertEqual(self.fingerprints(self.write("invalid.csv", "0F0\n0B0,0Y7\n")), unread)
        first, again = (self.fingerprints("--timeout", "0", self.good()) for _ in range(2))
        self.assertEqual(first, again)


class Corpus(SarifCase):
    """Every schedule of the corpus: three formats, one set of findings."""

    def test_json_and_junit_say_the_same(self):
        code, run = self.log(driving.CORPUS)
        self.assertEqual(code, 2)
        _, reports = driving.reports(driving.CORPUS)
        self.assertEqual([os.fsdecode(path_of(a["location"])) for a in run["artifacts"]], [r["file"] for r in reports])
        self.assertGreater(len(reports), 150)
        plumbline("verify", "--format", "junit", "-o", "out.xml", driving.CORPUS)
        self.assertEqual(validation.junit_faults("out.xml"), [])
        suites = {suite.get("name"): suite for suite in ElementTree.parse("out.xml").getroot()}
        by_file = {report["file"]: [] for report in reports}
        for result in run["results"]:
            by_file[os.fsdecode(target_of(result))].append(result)
        for report in reports:
            self.compare(report, by_file[report["file"]], suites[report["file"]])

    def compare(self, report, results, suite):
        self.assertEqual(verdict_of(results), report["verdict"], report["file"])
        failing = {case.get("name").split()[0] for case in suite if case.find("failure") is not None}
        errors = {result["ruleId"] for result in results if result["level"] == "error"}
        if report["verdict"] == "invalid":
            self.assertEqual((failing, errors), ({"readable"}, {"invalid"}))
            self.assertEqual(unescaped(results[0]["message"]), report["error"]["message"])
            return
        self.assertEqual(failing, errors - {"undecided"})
        findings = [result for result in results if result["ruleId"] != "undecided"]
        self.assertEqual(len(findings), len(report["findings"]))
        for result, finding in zip(findings, report["findings"]):
            self.compare_finding(result, finding)
        self.assertEqual([unescaped(r["message"]) for r in results if r["ruleId"] == "undecided"], report["undecided"])

    def compare_finding(self, result, finding):
        self.assertEqual((result["ruleId"], result["level"], unescaped(result["message"])),
                         (finding["rule"], finding["severity"], finding["message"]))
        for key in ("rank", "stage", "microbatch", "instruction"):
            self.assertEqual(result["properties"].get(key), finding[key])
        self.compare_place(result["locations"][0], finding)
        steps = [step["location"] for flow in result.get("codeFlows", []) for step in
                 flow["threadFlows"][0]["locations"]]
        for locations, others in ((result.get("relatedLocations", []), finding["related"]), (steps, finding["cycle"])):
            self.assertEqual([unescaped(location["message"]) for location in locations],
                             [other["message"] for other in others])
            for location, other in zip(locations, others):
                self.compare_place(location, other)

    def compare_place(self, location, other):
        place = other["location"]
        if place and place["line"] > 0:
            self.assertEqual(os.fsdecode(path_of(location)), place["file"])
            region = location["physicalLocation"]["region"]
            self.assertEqual((region["startLine"], region["startColumn"]), (place["line"], place["column"]))

    def test_a_second_run_is_equal(self):
        first = plumbline("verify", "--format", "sarif", driving.CORPUS)
        for jobs in ("1", "3"):
            self.assertEqual(plumbline("verify", "--format", "sarif", "--jobs", jobs, driving.CORPUS), first)


if __name__ == "__main__":
    unittest.main()
