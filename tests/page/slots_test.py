"""The chart of slots: what shares a slot, what a bar says, and what is not used."""

import unittest

from tests.page.browsing import NAIVE, PageCase

ERROR = [0xb3, 0x20, 0x2a]
NESTED = """plumbline ir 1
mode fragment
rank 0 {
  pool kept declared 1
  pool spare declared 3
  load_microbatch s0 m0 write kept[0]:input(s0, m5)
  forward s0 m0 read kept[0]:input(s0, m5) write kept[0]:output
  forward s0 m1 write kept[0]:stash
  backward s0 m1 read kept[0]:stash
  backward s0 m0 read kept[0]:output
}
"""


class Slots(PageCase):

    def red(self, bar):
        return self.pixels(bar["x"] - 1, bar["y"] - 1, bar["width"] + 2, bar["height"] + 2, ".slots canvas").count(ERROR)

    def test_every_value_that_is_overwritten_has_a_frame(self):
        self.open(NAIVE, fragment="t=0,33")  # at unit costs nothing overlaps
        findings = [f for f in self.data()["findings"] if f["rule"] == "PL401"]
        self.assertEqual(len(findings), 11)
        self.assertEqual({len(f["lives"]) for f in findings}, {2})
        framed = {life for finding in findings for life in finding["lives"]}
        marked = set()
        self.run_script("document.querySelector('.chart.slots').style.height = '3000px'")
        self.run_script("document.querySelector('.chart.slots').style.flex = 'none'")
        self.settle()
        for life in range(self.data()["lives"]):
            if self.red(self.bar(life)) > 12:
                marked.add(life)
        self.assertTrue(framed <= marked)
        self.assertLess(len(marked), self.data()["lives"])

    def test_a_value_within_the_life_of_another_is_drawn(self):
        self.open(self.write_input("nested.pir", NESTED), "--model=blocking")
        outer, inner = self.bar(0), self.bar(1)
        self.assertLess(outer["x"], inner["x"])
        self.assertGreater(outer["x"] + outer["width"], inner["x"] + inner["width"])
        self.assertNotEqual(outer["y"], inner["y"])
        for bar in (outer, inner):
            self.assertGreater(self.red(bar), 20)
            self.point_at(round(bar["x"] + bar["width"] / 2), round(bar["y"] + 3))
            self.assertIn("PL401", self.texts(".tooltip")[0])

    def test_a_bar_has_the_number_of_its_value(self):
        self.open(self.write_input("nested.pir", NESTED), "--model=blocking")
        self.assertEqual([self.bar(life)["microbatch"] for life in (0, 1)], [5, 1])

    def test_what_a_hang_keeps_is_never_freed(self):
        self.open(self.write_input("hang.pir", """plumbline ir 1
mode fragment
rank 0 {
  pool kept declared 1
  forward s0 m0 write kept[0]:output
  %g = receive_gradient s0 m0 from 1
  backward s0 m0 read kept[0]:output wait %g
}
rank 1 {
  forward s1 m0
}
"""))
        bar = self.bar(0)
        self.point_at(round(bar["x"] + bar["width"] / 2), round(bar["y"] + 3))
        self.assertIn("never freed", self.texts(".tooltip")[0])
        self.assertIn(ERROR, self.pixels(bar["x"] + bar["width"] - 4, bar["y"] + 3, 5, 3, ".slots canvas"))

    def test_least_slots_keep_the_names_of_the_program(self):
        self.open(self.write_input("nested.pir", NESTED), "--model=blocking")
        self.press("s")
        said = []
        for life in (0, 1):
            bar = self.bar(life)
            self.point_at(round(bar["x"] + bar["width"] / 2), round(bar["y"] + 3))
            said.append(self.texts(".tooltip")[0])
            self.assertIn("kept[0] of rank 0", said[-1])
        self.assertTrue(any("slot 1 of the least" in text for text in said), said)


if __name__ == "__main__":
    unittest.main()
