"""`plumbline view --diff`: two schedules on one page."""

import os
import unittest

from tests.page.browsing import DEADLOCK, FIXED, NAIVE, PageCase


class Difference(PageCase):

    def test_both_on_one_time_scale(self):
        self.open("--diff", NAIVE, FIXED)
        self.assertEqual(self.texts(".pane h2 .verdict"), ["✕ rejected", "✓ verified"])
        self.assertEqual(self.texts(".pane .which"), ["base", "new"])
        (k,) = self.find("rank 3 F 0")
        (twin,) = self.find("rank 3 F 0", side=1)
        offset = self.run_script("const [a, b] = [...document.querySelectorAll('.lanes canvas')].map("
                                 "e => e.getBoundingClientRect().left); return b - a")
        self.assertAlmostEqual(self.position(twin, side=1)[0] - self.position(k)[0], offset, delta=2)
        self.press("+", "+")
        self.assertAlmostEqual(self.position(twin, side=1)[0] - self.position(k)[0], offset, delta=2)

    def test_selection_shows_in_both(self):
        self.open("--diff", NAIVE, FIXED)
        (k,) = self.find("rank 3 F 0")
        (twin,) = self.find("rank 3 F 0", side=1)
        self.click_at(*self.position(k))
        self.point_at(60, 5)
        self.assertEqual(self.state()["selected"]["side"], 0)
        accent = [0x1f, 0x5f, 0xbf]
        x, y = self.position(twin, side=1)
        second = ".pane:nth-child(2) .lanes canvas"
        self.assertTrue(accent in self.pixels(x - 12, y - 20, 24, 40, second))

    def test_findings_are_new_or_fixed(self):
        self.open("--diff", NAIVE, FIXED)
        self.assertTrue(any("Fixed (13)" in text for text in self.texts(".findings h3")))
        self.assertEqual(len(self.texts("ol.fixed button.finding")), 13)
        self.assertEqual(len(self.texts("ol.new button.finding")), 1)
        self.assertTrue(self.texts(".summary")[0])
        self.click("ol.fixed button.finding")
        self.assertEqual(self.state()["finding"], {"side": 0, "number": 1})
        self.until(lambda: "side=base" in self.browser.current_url)
        address = self.browser.current_url
        self.browser.get("about:blank")
        self.browser.get(address)
        self.until(lambda: self.state()["frames"] > 0)
        self.assertEqual(self.state()["finding"], {"side": 0, "number": 1})

    def test_address_of_a_finding_and_an_instruction_of_different_sides(self):
        self.open("--diff", NAIVE, FIXED, fragment="side=base&f=9")
        (k,) = self.find("rank 3 F 0", side=1)
        self.click_at(*self.position(k, side=1))
        chosen = (self.state()["finding"], self.state()["selected"])
        self.assertEqual((chosen[0]["side"], chosen[1]["side"]), (0, 1))
        self.until(lambda: "i=new:" in self.browser.current_url)
        address = self.browser.current_url
        self.browser.get("about:blank")
        self.browser.get(address)
        self.until(lambda: self.state()["frames"] > 0)
        self.assertEqual((self.state()["finding"], self.state()["selected"]), chosen)

    def test_what_stays_unfolds_from_either_side(self):
        self.open("--diff", NAIVE, NAIVE, fragment="side=base&f=3")
        self.assertEqual(self.state()["finding"], {"side": 0, "number": 3})
        (unfolded,) = self.texts("button.finding[aria-expanded=true]")
        self.assertTrue(unfolded.startswith("3"), unfolded)
        self.assertEqual(len(self.texts(".more:not([hidden])")), 1)
        self.press("n")
        self.assertEqual(self.state()["finding"], {"side": 1, "number": 4})
        self.press("p", "p")
        self.assertEqual(self.state()["finding"], {"side": 1, "number": 2})
        self.assertEqual(len(self.texts(".more:not([hidden])")), 1)

    def test_summary_says_a_word_once_and_shows_whole_lines(self):
        self.open("--diff", FIXED, NAIVE)
        lines = self.texts(".summary span")
        self.assertTrue(lines[0].startswith("worse: "), lines)
        self.assertEqual(sum(line.startswith("worse: ") for line in lines), 1)
        height = self.run_script("return document.querySelector('.summary').clientHeight")
        self.assertEqual(height % 19, 0)
        hidden, more = self.run_script("const box = document.querySelector('.summary');"
                                       "return [document.querySelector('.cue').hidden, box.scrollHeight > box.clientHeight + 2]")
        self.assertEqual(hidden, not more)

    def test_what_only_one_has_is_marked(self):
        paths = []
        for name, row in (("base.csv", "0F0,0F1,0B0,0B1"), ("next.csv", "0F0,0F1,0F2,0B0,0B1,0B2")):
            paths.append(os.path.join(self.folder, name))
            with open(paths[-1], "w", encoding="ascii") as file:
                file.write(row + "\n")
        self.open("--diff", *paths)
        only = [0x7a, 0x2f, 0xb5]
        second = ".pane:nth-child(2) .lanes canvas"
        for query, marked in (("F 2", True), ("F 1", False)):
            (k,) = self.find(query, side=1)
            x, y = self.position(k, side=1)
            self.point_at(x, y)
            self.assertEqual(only in self.pixels(x - 6, y - 20, 12, 40, second), marked, query)
            self.assertEqual("in the new schedule" in self.texts(".tooltip")[0], marked)

    def test_an_unreadable_one_leaves_the_other(self):
        path = os.path.join(self.folder, "bad.csv")
        with open(path, "w", encoding="ascii") as file:
            file.write("0F0,0X0\n")
        self.open("--diff", DEADLOCK, path)
        self.assertIn("unknown action 'X'", self.texts(".unreadable")[0])
        self.assertEqual(len(self.texts(".chart.lanes")), 1)
        self.press("]", "n")
        self.assertIsNotNone(self.state()["selected"])

    def test_stacked(self):
        self.open("--diff", NAIVE, FIXED)
        tops = lambda: self.run_script("return [...document.querySelectorAll('.pane')].map(e => e.offsetTop)")
        self.assertEqual(len(set(tops())), 1)
        self.press("o")
        self.assertEqual(len(set(tops())), 2)


if __name__ == "__main__":
    unittest.main()
