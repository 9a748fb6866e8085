"""The JSON programs of tests/corpus/field, said in `.pir` and judged by the plumbline command."""

import json
import os
import subprocess
import tempfile
import unittest

from tests.field import field_to_pir

PLUMBLINE = "verifier/cli/plumbline"
FIELD = "tests/corpus/field"

# What each column of EXPECT.json means on the command line. The first ones take the operations of a rank one at a time,
# in row order, which is one blocking queue a rank.
COLUMNS = {
    "rendezvous": "--model blocking --group none",
    "buffered:1": "--model blocking --group none --room 1",
    "buffered:2": "--model blocking --group none --room 2",
    "batched": "--model blocking --group given",
    "batched-atomic": "--model blocking --group atomic",
    "independent-streams": "--model nccl",
}


def judge(text, words):
    with tempfile.NamedTemporaryFile("w", suffix=".pir") as file:
        file.write(text)
        file.flush()
        run = subprocess.run([PLUMBLINE, "verify", file.name, "--format", "json", *words.split()],
                             stdout=subprocess.PIPE, check=False)
    report = json.loads(run.stdout)
    families = sorted({f["rule"][:3] for f in report["findings"] if f["severity"] == "error"})
    return report["verdict"], families, report


def entries(form):
    with open(os.path.join(FIELD, "EXPECT.json"), encoding="utf-8") as file:
        return [entry for entry in json.load(file) if entry["format"] == form]


def text_of(entry):
    with open(os.path.join(FIELD, entry["files"]["program"]), encoding="utf-8") as file:
        return field_to_pir.to_pir(json.load(file), entry["id"])


class FieldJson(unittest.TestCase):
    judged = 0

    @classmethod
    def tearDownClass(cls):
        print(f"{cls.judged} judgements of translated programs")

    def expect(self, entry, text, words, verdict):
        """Judges the text and compares; returns the report."""
        FieldJson.judged += 1
        with self.subTest(case=entry["id"], words=words):
            found, families, report = judge(text, words)
            self.assertEqual(found, verdict)
            if verdict == "verified":
                self.assertEqual(families, [])
            else:
                self.assertEqual(families, sorted([entry["rule"][:3], *entry.get("also", [])]))
            return report

    def test_point_to_point_programs_under_every_column(self):
        cases = entries("field-p2p/1")
        self.assertEqual(len(cases), 8)
        for entry in cases:
            text = text_of(entry)
            for column, expected in [*entry["communication"].items(), *entry.get("other_models", {}).items()]:
                verdict = "verified" if expected == "ok" else "rejected"
                self.expect(entry, text, COLUMNS[column], verdict)
                # With queues that only wait for what they use less can hang, and wrong sizes stay wrong.
                if expected in ("ok", "size", "mismatch") and column in ("rendezvous", "batched"):
                    grouping = "--group none" if column == "rendezvous" else "--group given"
                    for model in ("--model nccl", "--model mpi", "--model mpi --room-bytes 65536"):
                        self.expect(entry, text, f"{model} {grouping}", verdict)

    def test_least_room(self):
        for entry in entries("field-p2p/1"):
            if entry["least_room"] is None:
                continue
            text = text_of(entry)
            words = "--model blocking --group none --room "
            self.expect(entry, text, words + str(entry["least_room"]), "verified")
            if entry["least_room"] > 0:
                self.expect(entry, text, words + str(entry["least_room"] - 1), "rejected")

    def test_sizes_that_differ_are_named(self):
        entry = next(e for e in entries("field-p2p/1") if e["id"] == "dp544")
        report = self.expect(entry, text_of(entry), "--model nccl", "rejected")
        self.assertEqual({f["rule"] for f in report["findings"]}, {"PL204"})
        self.assertIn("16 bytes, but 32", report["findings"][0]["message"])

    def test_one_stream_at_a_time(self):
        cases = {entry["id"]: entry for entry in entries("field-p2p/1")}
        faulty, good = cases["nccl1766"], cases["nccl1766_ok"]
        report = self.expect(faulty, text_of(faulty), "--model nccl --streams any", "rejected")
        self.assertEqual({f["rule"] for f in report["findings"]}, {"PL304"})
        # Issued in one order on both ranks, the two still need a stream dependency (NCCL_FACTS.md C1).
        text = text_of(good).replace('label "a"\n  all_reduce via "dp"', 'label "a"\n  all_reduce via "dp" wait %i1')
        text = text.replace("  send_message", "  %i1 = send_message")
        self.assertEqual(text.count("wait %i1"), 2)
        self.expect(good, text, "--model nccl --streams any", "verified")

    def test_threads_that_share_memory(self):
        cases = entries("field-hb/1")
        self.assertEqual(len(cases), 2)
        for entry in cases:
            text = text_of(entry)
            for model in ("--model nccl", "--model mpi", "--model nccl --room 1"):
                self.expect(entry, text, model, "rejected" if entry["faulty"] else "verified")

    def test_threads_with_buffers(self):
        told = []
        for entry in entries("field-threads/1"):
            try:
                text = text_of(entry)
            except field_to_pir.CannotSay as reason:
                self.assertIn("exclusive sections", str(reason))
                told.append(entry["id"])
                print(f"not sayable: {entry['id']}: {reason}")
                continue
            self.expect(entry, text, "--model blocking", "rejected" if entry["faulty"] else "verified")
        self.assertEqual(told, ["ort3823", "ort3823_ok"])

    def test_threads_that_hang_are_the_ones_of_the_report(self):
        entry = next(e for e in entries("field-threads/1") if e["id"] == "tt752")
        report = self.expect(entry, text_of(entry), "--model blocking", "rejected")
        ranks = {step["rank"] for f in report["findings"] for step in f["cycle"]}
        self.assertEqual(ranks, {1, 2})  # receiver and compute; the sender waits, but is not part of the ring

    def test_memory_budgets_and_compiled_modules_wait_for_their_rules(self):
        for form in ("field-alloc/1", "hlo"):
            for entry in entries(form):
                print(f"not yet judged: {entry['id']} ({form}): {entry['rule'] or 'good twin'}")
                if form == "field-alloc/1":
                    with self.assertRaises(field_to_pir.CannotSay):
                        text_of(entry)


class Translation(unittest.TestCase):
    """Buffers on small programs of their own, in both forms."""

    def families(self, threads, **shared):
        case = {"format": "field-threads/1", "threads": threads, **shared}
        return judge(field_to_pir.to_pir(case, "test"), "--model blocking")[:2]

    # Between reserve and push something may block, so that the places are messages of their own.
    FILL = [["reserve", "b"], ["recv", "in"], ["push", "b"]]
    DRAIN = [["wait", "b"], ["send", "out"], ["pop", "b"]]

    def pipeline(self, filled, drained, places):
        return self.families(
            {
                "source": [["send", "in"]] * filled,
                "fill": self.FILL * filled,
                "drain": self.DRAIN * drained,
                "sink": [["recv", "out"]] * drained
            },
            buffers={"b": places},
            channels={"in": 0, "out": 0})

    def test_a_drained_buffer_never_fills_up(self):
        for places in (1, 2, 5):
            self.assertEqual(self.pipeline(5, 5, places), ("verified", []))

    def test_a_buffer_holds_as_many_as_it_has_places(self):
        self.assertEqual(self.pipeline(3, 2, 1), ("verified", []))
        self.assertEqual(self.pipeline(3, 1, 2), ("verified", []))
        self.assertEqual(self.pipeline(3, 1, 1)[0], "rejected")  # the second push is never popped

    def test_waiting_for_more_than_is_pushed_hangs(self):
        self.assertEqual(self.pipeline(1, 2, 4)[0], "rejected")

    def test_several_places_at_once(self):
        fill = [["reserve", "b", 2], ["push", "b", 2]] * 2
        drain = [["wait", "b", 3], ["pop", "b", 3], ["wait", "b"], ["pop", "b"]]
        threads = {"fill": fill, "drain": drain}
        self.assertEqual(self.families(threads, buffers={"b": 4}), ("verified", []))
        # Three places: the second reserve of two waits for a pop, the wait for three waits for the second push.
        self.assertEqual(self.families(threads, buffers={"b": 3}), ("rejected", ["PL3"]))

    def test_events(self):
        first, second = [["record", "e"], ["await", "f"]], [["await", "e"], ["record", "f"], ["await", "e"]]
        self.assertEqual(self.families({"a": first, "b": second}), ("verified", []))
        self.assertEqual(self.families({"a": list(reversed(first)), "b": second}), ("rejected", ["PL3"]))

    def test_what_pir_cannot_say(self):
        def refuse(threads, **shared):
            with self.assertRaises(field_to_pir.CannotSay):
                field_to_pir.to_pir({"format": "field-threads/1", "threads": threads, **shared}, "test")

        refuse({"a": [["lock", "gpu"], ["unlock", "gpu"]]})
        refuse({"a": [["send", "c"]], "b": [["send", "c"]], "d": [["recv", "c"]] * 2}, channels={"c": 0})
        refuse({"a": [["push", "b"]], "b": [["push", "b"]]}, buffers={"b": 1})
        refuse({"a": [["record", "e"], ["record", "e"]]})
        with self.assertRaises(field_to_pir.CannotSay):
            field_to_pir.to_pir({"format": "field-hb/1", "threads": {"a": [["await", "e"]]}}, "test")
        with self.assertRaises(field_to_pir.CannotSay):
            field_to_pir.to_pir({"format": "something else"}, "test")


if __name__ == "__main__":
    unittest.main()
