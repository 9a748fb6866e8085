"""The JSON report, a contract with scripts outside this repository: fields may be added, never renamed."""

import os
import unittest

from tests.cli import driving

REPORT = {"schema", "file", "verdict", "program", "model", "findings", "buffers", "solver", "seconds"}
PROGRAM = {"ranks": int, "stages": int, "microbatches": int, "instructions": int}
MODEL = {"name", "comms", "room", "group", "connect", "wait", "streams"}
FINDING = {"rule", "severity", "message", "rank", "stage", "microbatch", "location", "related", "cycle"}
BUFFER = {"rank", "pool", "declared", "least", "least_reordered", "witness"}
LOCATION = {"file": str, "line": int, "column": int}


class JsonReport(driving.Case):

    def one(self, *arguments):
        code, objects = driving.reports(*arguments)
        self.assertEqual(len(objects), 1)
        return code, objects[0]

    def check_location(self, location):
        self.assertLessEqual(LOCATION.keys(), location.keys())
        for key, kind in LOCATION.items():
            self.assertIsInstance(location[key], kind)

    def check(self, report):
        self.assertLessEqual(REPORT, report.keys())
        self.assertEqual(report["schema"], "plumbline.report.v1")
        self.assertLessEqual(PROGRAM.keys(), report["program"].keys())
        for key, kind in PROGRAM.items():
            self.assertIsInstance(report["program"][key], kind)
        self.assertLessEqual(MODEL, report["model"].keys())
        self.assertIsInstance(report["model"]["room"], int)
        self.assertEqual(report["solver"]["name"], "z3")
        self.assertRegex(report["solver"]["version"], r"^\d+\.\d+")
        self.assertIsInstance(report["solver"]["queries"], int)
        for seconds in (report["seconds"], report["solver"]["seconds"]):
            self.assertGreaterEqual(seconds, 0)
        for finding in report["findings"]:
            self.assertLessEqual(FINDING, finding.keys())
            self.assertRegex(finding["rule"], r"^PL\d{3}$")
            self.assertIn(finding["severity"], ("error", "warning", "note"))
            self.assertTrue(finding["message"])
            if finding["location"] is not None:
                self.check_location(finding["location"])
            for place in finding["related"] + finding["cycle"]:
                self.assertTrue(place["message"])
                if place["location"] is not None:
                    self.check_location(place["location"])
        for pool in report["buffers"]:
            self.assertLessEqual(BUFFER, pool.keys())

    def test_verdicts_and_codes(self):
        big = os.path.join(driving.CORPUS, "zero-bubble/zbv-uneven_4rank_8stage_12mb_comms.csv")
        for words, code, verdict in (([driving.FIXED], 0, "verified"), ([driving.NAIVE], 1, "rejected"),
                                     ([self.invalid()], 2, "invalid"), ([big, "--streams", "any"], 3, "undecided")):
            got, report = self.one(*words)
            self.assertEqual((got, report["verdict"]), (code, verdict))
            self.assertEqual(report["file"], words[0])
            if verdict != "invalid":
                self.check(report)

    def test_every_small_file_of_the_corpus(self):
        files = []
        for folder, _, names in os.walk(driving.CORPUS):
            files += [os.path.join(folder, name) for name in names
                      if "2rank" in name and name.endswith((".csv", ".json")) and ".batches." not in name]
        self.assertGreater(len(files), 30)
        files.sort()
        _, objects = driving.reports(*files)
        self.assertEqual([report["file"] for report in objects], files)
        for report in objects:
            self.check(report)

    def test_a_finding_with_its_places(self):
        _, report = self.one(driving.NAIVE)
        self.assertEqual(report["program"]["ranks"], 4)
        self.assertEqual(report["program"]["stages"], 4)
        self.assertEqual(report["program"]["microbatches"], 8)
        self.assertEqual(report["model"]["name"], "blocking")
        finding = next(f for f in report["findings"] if f["rule"] == "PL401" and f["stage"] == 2)
        self.assertEqual((finding["severity"], finding["rank"], finding["microbatch"]), ("error", 2, 2))
        self.assertEqual(finding["location"], {"file": driving.NAIVE, "line": 54, "column": 2})
        self.assertEqual(finding["related"][0]["location"], {"file": driving.NAIVE, "line": 54, "column": 31})
        self.assertEqual(finding["cycle"], [])

    def test_a_cycle(self):
        file = self.write("ring.csv", "0F0,0SEND_F0,0F1,0RECV_B0,0SEND_F1,0B0,0RECV_B1,0B1\n"
                          "1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n")
        code, report = self.one(file)
        self.assertEqual(code, 1)
        self.check(report)
        (finding,) = [f for f in report["findings"] if f["rule"] == "PL301"]
        self.assertGreaterEqual(len(finding["cycle"]), 2)
        self.assertEqual({step["rank"] for step in finding["cycle"]}, {0, 1})

    def test_buffers_with_and_without_a_declaration(self):
        _, report = self.one(driving.NAIVE)
        inputs = {b["rank"]: b for b in report["buffers"] if b["pool"] == "inputs"}
        self.assertEqual([(b["declared"], b["least"]) for _, b in sorted(inputs.items())],
                         [(4, 4), (3, 4), (2, 3), (2, 2)])
        self.assertEqual(len(inputs[2]["witness"]), 3)
        for pool in report["buffers"]:
            self.assertIsNone(pool["least_reordered"])
        _, report = self.one(self.good())
        self.assertTrue(report["buffers"])
        for pool in report["buffers"]:
            self.assertIsNone(pool["declared"])
            self.assertIsNone(pool["least_reordered"])
            self.assertIsInstance(pool["least"], int)

    def test_the_model_is_the_one_that_was_asked_for(self):
        _, report = self.one(driving.SMALL)
        expected = {"name": "nccl", "comms": "single", "room": 0, "group": "given", "connect": "ready", "wait": "use",
                    "streams": "independent"}
        self.assertEqual({key: report["model"][key] for key in MODEL}, expected)
        for option, word in (("--model", "blocking"), ("--model", "mpi"), ("--comms", "pair"), ("--comms", "directed"),
                             ("--group", "none"), ("--group", "atomic"), ("--connect", "first-use"),
                             ("--wait", "group"), ("--streams", "any")):
            _, report = self.one(option, word, driving.SMALL)
            self.assertEqual(report["model"]["name" if option == "--model" else option[2:]], word)
        _, report = self.one("--room", "3", driving.SMALL)
        self.assertEqual(report["model"]["room"], 3)

    def test_the_number_of_threads_changes_nothing(self):
        big = os.path.join(driving.CORPUS, "dualpipe/dualpipe_4rank_8chunks.json")
        for file in (driving.NAIVE, driving.SMALL, big):
            one, many = (self.one("--jobs", jobs, file)[1] for jobs in ("1", "8"))
            for key in ("verdict", "findings", "buffers", "program"):
                self.assertEqual(one[key], many[key], file)

    def test_input_that_cannot_be_read(self):
        for file in (self.invalid(), "missing.csv"):
            code, report = self.one(file)
            self.assertEqual((code, report["verdict"], report["file"]), (2, "invalid", file))
            self.assertEqual((report["program"], report["model"]), (None, None))
            self.assertEqual((report["findings"], report["buffers"]), ([], []))
            self.check_location(report["error"]["location"])
            self.assertTrue(report["error"]["message"])

    def test_an_object_a_line_also_where_one_is_invalid(self):
        code, objects = driving.reports(self.good(), self.invalid(), self.rejected())
        self.assertEqual(code, 2)
        self.assertEqual([r["verdict"] for r in objects], ["verified", "invalid", "rejected"])

    def test_odd_names_and_bytes_stay_json(self):
        name = 'a "quoted"\\ \u00fc\n.csv'
        code, report = self.one(self.write(name, "0F0,0B0\n"))
        self.assertEqual((code, report["file"]), (0, name))
        _, report = self.one(self.write("bytes.csv", b"0F0,\xff\xfe0B0\n"))
        self.assertEqual(report["verdict"], "invalid")


if __name__ == "__main__":
    unittest.main()
