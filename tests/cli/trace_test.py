"""The trace of a step: what a viewer needs to draw it, and that it shows what the verifier says."""

import collections
import json
import os
import unittest

from tests.cli import driving
from tests.cli.driving import plumbline

SHORTEST = 10  # microseconds of a bar


class Row:
    """A row as a viewer builds it: events in order of time, of one time in order of the file."""

    def __init__(self):
        self.open = []

    def close(self, now):
        while self.open and self.open[-1]["ts"] + self.open[-1]["dur"] <= now:
            self.open.pop()

    def bar(self, event):
        """Whether it lies within all that are open."""
        self.close(event["ts"])
        fits = not self.open or event["ts"] + event["dur"] <= self.open[-1]["ts"] + self.open[-1]["dur"]
        self.open.append(event)
        return fits

    def innermost(self, now):
        self.close(now)
        return self.open[-1] if self.open else None


class TraceCase(driving.Case):
    """What the tests of the document need."""

    def trace(self, *arguments, code=None):
        """The events by phase, which are checked; arrows as pairs of bars."""
        run = plumbline("verify", "--format", "trace", "-o", "trace.json", *arguments)
        self.assertEqual(run.out, "")
        if code is not None:
            self.assertEqual(run.code, code)
        with open("trace.json", "rb") as file:
            raw = file.read()
        self.assertNotRegex(raw, rb"[\x00-\x09\x0b-\x1f]")
        document = json.loads(raw.decode())
        self.assertEqual(set(document), {"displayTimeUnit", "otherData", "traceEvents"})
        return self.check(document["traceEvents"])

    def check(self, events):
        found = collections.defaultdict(list)
        for event in events:
            found[event["ph"]].append(event)
        self.assertLessEqual(set(found), set("MXsfCi"))
        self.check_names(found)
        rows = collections.defaultdict(Row)
        begins, arrows = {}, {}
        for event in sorted((event for event in events if event["ph"] != "M"), key=lambda event: event["ts"]):
            row = rows[event["pid"], event["tid"]]
            self.assertIsInstance(event["ts"], int)
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], SHORTEST)
                self.assertTrue(row.bar(event), event)
            elif event["ph"] == "s":
                self.assertNotIn(event["id"], begins)
                begins[event["id"]] = row.innermost(event["ts"])
            elif event["ph"] == "f":
                self.assertEqual(event["bp"], "e")
                self.assertNotIn(event["id"], arrows)
                arrows[event["id"]] = (begins[event["id"]], row.innermost(event["ts"]))
        self.assertEqual(set(begins), set(arrows))
        for send, receive in arrows.values():
            self.assertTrue(send["cat"].startswith("send_"), send)
            self.assertTrue(receive["cat"].startswith("receive_"), receive)
        found["arrows"] = list(arrows.values())
        self.check_counters(found["C"])
        return found

    def check_names(self, found):
        processes = {event["pid"] for event in found["M"] if event["name"] == "process_name"}
        rows = {(event["pid"], event["tid"]) for event in found["M"] if event["name"] == "thread_name"}
        self.assertEqual(len(processes), sum(event["name"] == "process_name" for event in found["M"]))
        self.assertNotIn(0, processes)
        for event in found["X"] + found["s"] + found["f"]:
            self.assertIn((event["pid"], event["tid"]), rows)
        for event in found["C"] + found["i"]:
            self.assertIn(event["pid"], processes)

    def check_counters(self, counters):
        last = {}
        for event in counters:
            key = (event["pid"], event["name"])
            (live,) = event["args"].values()
            self.assertGreaterEqual(live, 0)
            if key in last:
                self.assertGreater(event["ts"], last[key][0])
                self.assertNotEqual(live, last[key][1])
            else:
                self.assertEqual(event["ts"], 0)
            last[key] = (event["ts"], live)

    def names(self, found, what):
        return [event["args"]["name"] for event in found["M"] if event["name"] == what]

    def labels(self, found):
        return {event["pid"] - 1: event["args"]["labels"] for event in found["M"] if event["name"] == "process_labels"}


class Trace(TraceCase):

    def test_a_step(self):
        found = self.trace(driving.SMALL, code=0)
        self.assertEqual(self.names(found, "process_name"), ["rank 0", "rank 1"])
        self.assertEqual(self.names(found, "thread_name"), ["computing", "pipeline"] * 2)
        self.assertEqual(len(found["X"]), 38)
        self.assertEqual(len(found["arrows"]), 8)
        self.assertEqual(self.labels(found), {})
        forward = [event for event in found["X"] if event["name"] == "0F1"][0]
        self.assertEqual({key: forward[key] for key in ("cat", "ts", "dur")},
                         {"cat": "forward", "ts": 1000, "dur": 1000})
        self.assertEqual({key: forward["args"][key] for key in ("stage", "microbatch", "line", "begin", "end")},
                         {"stage": 0, "microbatch": 1, "line": 1, "begin": "1", "end": "2"})
        self.assertRegex(forward["args"]["writes"], r"[a-z]+\[\d\]")

    def test_one_lane_where_everything_blocks(self):
        found = self.trace(driving.FIXED, code=0)
        self.assertEqual(self.names(found, "thread_name"), ["everything"] * 4)
        by_place = {(event["pid"], event["args"]["line"], event["name"]): event for event in found["X"]}
        load, forward = by_place[1, 2, "LoadMicroBatch(buffer_id=0)"], by_place[1, 2, "ForwardPass(buffer_id=0)"]
        self.assertEqual((load["ts"], load["dur"], load["args"]["end"]), (0, SHORTEST, "0"))
        self.assertEqual((forward["ts"], forward["ts"] + forward["dur"]), (SHORTEST, 1000))

    def test_costs(self):
        found = self.trace("--cost=F=0.5", "--cost=B=1.25", "--cost=message=0.125", self.write(
            "x.csv", "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"), code=0)
        times = {event["name"]: (event["args"]["begin"], event["args"]["end"]) for event in found["X"]}
        self.assertEqual(times["1RECV_F0"], ("0", "0.625"))
        self.assertEqual(times["1B0"], ("1.125", "2.375"))
        self.assertEqual(times["0B0"], ("2.5", "3.75"))
        receive = [event for event in found["X"] if event["name"] == "1RECV_F0"][0]
        self.assertEqual((receive["ts"], receive["dur"]), (0, 625))

    def test_a_hang(self):
        self.write("x.csv", "0F0,0SEND_F0,0RECV_B0,0B0\n1F0,1RECV_F0,1SEND_B0,1B0\n")
        self.write("hang.csv", "0F0,0RECV_B0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n")
        found = self.trace("hang.csv", code=1)
        stuck = sorted(event["name"] for event in found["X"] if "end" not in event["args"])
        self.assertEqual(stuck, ["0RECV_B0 (never ends)", "1RECV_F0 (never ends)"])
        self.assertEqual(self.labels(found), {0: "2 instructions never begin", 1: "3 instructions never begin"})
        self.assertEqual(found["arrows"], [])
        for event in found["X"]:
            if "end" not in event["args"]:
                self.assertEqual(event["ts"] + event["dur"], 2000)  # a unit more than what ends
        (mark,) = [event for event in found["i"] if event["name"].startswith("PL301 ")]
        self.assertEqual((mark["cat"], mark["s"], mark["args"]["file"]), ("error", "t", "hang.csv"))

    def test_findings_are_marks(self):
        found = self.trace(driving.NAIVE, code=1)
        (report,) = driving.reports(driving.NAIVE)[1]
        self.assertEqual(sorted((mark["name"].split()[0], mark["cat"], mark["args"]["message"]) for mark in found["i"]),
                         sorted((f["rule"], f["severity"], f["message"]) for f in report["findings"]))
        (mark,) = [mark for mark in found["i"] if mark["args"]["line"] == 54]
        (bar,) = [bar for bar in found["X"] if (bar["pid"], bar["args"]["line"]) == (3, 54)
                  and bar["cat"] == "receive_activation"]
        self.assertEqual((mark["s"], mark["pid"], mark["tid"], mark["ts"]), ("t", 3, bar["tid"], bar["ts"]))
        self.assertTrue(all(mark["s"] == "p" for mark in found["i"] if mark["name"].startswith("PL501")))

    def test_what_was_not_judged(self):
        found = self.trace("--timeout", "0", self.good(), code=3)
        self.assertTrue(any("deadlock freedom" in mark["args"]["message"] for mark in found["i"]
                            if (mark["name"], mark["s"]) == ("undecided", "g")))
        found = self.trace(self.write("many.csv", ",".join(f"0F{m},0B{m},0B{m}" for m in range(30)) + "\n"), code=1)
        self.assertIn("10 more findings not shown", [mark["args"]["message"] for mark in found["i"]])
        self.assertEqual(dict(self.trace(self.invalid(), code=2)), {"arrows": [], "M": [], "X": [], "s": [], "f": [],
                                                                    "C": [], "i": []})

    def test_several_files(self):
        files = [driving.SMALL, self.rejected(), self.invalid()]
        found = self.trace(*files, code=2)
        self.assertEqual(self.names(found, "process_name"),
                         [f"rank 0 of {driving.SMALL}", f"rank 1 of {driving.SMALL}", "rank 0 of rejected.csv"])
        self.assertEqual(len(found["X"]), 38 + 3)

    def test_view_writes_the_same(self):
        self.assertEqual(plumbline("view", "--format", "trace", driving.NAIVE),
                         plumbline("verify", "--format", "trace", driving.NAIVE))

    def test_a_second_run_is_equal(self):
        first = plumbline("verify", "--format", "trace", driving.NAIVE, driving.SMALL)
        self.assertEqual(plumbline("verify", "--format", "trace", "--jobs", "3", driving.NAIVE, driving.SMALL), first)

    def test_hostile_names(self):
        for name in (b"a \"b\" 'c' & <d>.csv", b"tab\tline\nreturn\r.csv", b"bell\x07\x1b[31m\x7f.csv",
                     "\u00fcber \U0001f600 \u2028.csv".encode(), b"bytes \xff\xfe \xc3.csv", b"%s {0} \\u0000.csv"):
            self.write(name, "0F0,0B0,0B0\n")
            found = self.trace(os.fsdecode(name), self.good(), code=1)
            (mark,) = [mark for mark in found["i"] if mark["name"].startswith("PL103")]
            self.assertEqual(mark["args"]["file"].encode(errors="replace").count(b".csv"), 1)
            if b"\xff" not in name:
                self.assertEqual(mark["args"]["file"].encode(), name)
            os.remove(name)

    def test_hostile_labels(self):
        for label in ('<b>&{0}%s', "]]>'\u00fc\U0001f600", "u0000"):
            self.write("input.pir", "plumbline ir 1\nmode fragment\nrank 0 {\n  compute label \"" + label + "\"\n}\n")
            found = self.trace("input.pir", code=0)
            self.assertEqual([bar["name"] for bar in found["X"]], [f"compute '{label}'"])


class Corpus(TraceCase):
    """What must hold of every schedule."""

    def files(self):
        for folder, _, names in sorted(os.walk(driving.CORPUS)):
            for name in sorted(names):
                if name.endswith((".csv", ".txt", ".json")) and not name.endswith(".batches.csv"):
                    yield os.path.join(folder, name)

    def test_every_file(self):
        drawn = 0
        for file in self.files():
            batches = file[:-len(".csv")] + ".batches.csv"
            arguments = ["--batches", batches] if file.endswith(".csv") and os.path.exists(batches) else []
            code, (report,) = driving.reports("--max-bubble", "1", *arguments, file)
            if report["verdict"] == "invalid":
                continue
            with self.subTest(file=os.path.relpath(file, driving.CORPUS)):
                found = self.trace(*arguments, file, code=code)
                self.compare(found, report)
                drawn += 1
        self.assertGreater(drawn, 120)

    def compare(self, found, report):
        missing = sum(int(label.split()[0]) for label in self.labels(found).values())
        self.assertEqual(len(found["X"]) + missing, report["program"]["instructions"])
        hangs = any(finding["rule"][:3] == "PL3" and finding["severity"] == "error" for finding in report["findings"])
        self.assertEqual(missing > 0 or any("end" not in bar["args"] for bar in found["X"]), hangs)
        for bar in found["X"]:
            begin = 1000 * float(bar["args"]["begin"])
            self.assertGreaterEqual(bar["ts"], begin)
            self.assertLess(bar["ts"], begin + 500)  # what short bars may put off
        if hangs:
            return
        self.assertEqual(max(float(bar["args"]["end"]) for bar in found["X"]), report["bubble"]["makespan"])
        if report["verdict"] == "verified":
            for send, receive in found["arrows"]:
                self.assertEqual((receive["cat"], receive["args"].get("microbatch")),
                                 (send["cat"].replace("send_", "receive_"), send["args"].get("microbatch")))
        most = collections.Counter()
        for event in found["C"]:
            key = event["pid"] - 1, event["name"]
            most[key] = max(most[key], event["args"]["live"])
        for pool in report["buffers"]:
            if pool["least"] is not None:
                self.assertLessEqual(most[pool["rank"], "slots of " + pool["pool"]], pool["least"])
        self.assertEqual(len(most), len(report["buffers"]))


if __name__ == "__main__":
    unittest.main()
