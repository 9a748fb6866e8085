"""Findings on the page: the list beside the charts, pins on them, and wait-for cycles step by step."""

import unittest

from tests.page.browsing import DEADLOCK, FIXED, Keys, NAIVE, PageCase


class Findings(PageCase):

    def test_list_tells_all_and_goes_there(self):
        self.open(NAIVE)
        self.assertEqual(len(self.texts("button.finding")), 13)
        self.run_script("document.querySelectorAll('button.finding')[5].click()")
        self.settle()
        state = self.state()
        self.assertEqual(state["finding"], {"side": 0, "number": 6})
        self.assertEqual(state["selected"]["name"], "rank 2: RecvActivation(buffer_id=0) of microbatch 2")
        more = self.texts(".more:not([hidden])")
        self.assertEqual(len(more), 1)
        for part in ("54 |", "the pending reader: stage 2: SendGrad(buffer_id=0) of microbatch 0",
                     "the value was written here", "or declare one slot more"):
            self.assertIn(part, more[0])
        self.assertIn("rank 2: RecvActivation(buffer_id=0) of microbatch 2", self.texts(".selection .name")[0])

    def test_related_places_can_be_chosen(self):
        self.open(NAIVE, fragment="f=6")
        self.click(".related button")
        self.assertEqual(self.state()["selected"]["name"], "rank 2: SendGrad(buffer_id=0) of microbatch 0")

    def test_pins_mark_the_instructions(self):
        self.open(NAIVE)
        (k,) = self.find("rank 2 RecvActivation microbatch 2")
        x, y = self.position(k)
        error = [0xb3, 0x20, 0x2a]
        self.assertTrue(error in self.pixels(x - 9, y - 25, 18, 20))
        self.open(FIXED)
        x, y = self.position(k)
        self.assertFalse(error in self.pixels(x - 9, y - 25, 18, 20))

    def test_keys_walk_through_them(self):
        self.open(NAIVE)
        numbers = []
        for key in ("n", "n", "p", "p"):
            self.press(key)
            numbers.append(self.state()["finding"]["number"])
        self.assertEqual(numbers, [1, 2, 1, 13])
        self.run_script("document.querySelector('button.finding').focus()")
        self.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
        self.assertEqual(self.state()["finding"]["number"], 3)
        self.assertEqual(self.run_script("return document.activeElement.getAttribute('aria-expanded')"), "true")

    def test_of_a_pool_shows_its_slots(self):
        self.open(NAIVE, fragment="f=12")
        self.assertIn("declares 3 slots, but this order needs 4", self.texts("button.finding[aria-expanded=true]")[0])
        self.assertIsNone(self.state()["selected"])


    def test_says_what_is_not_shown(self):
        cells = ",".join("0F%d,0F%d" % (m, m) for m in range(40)) + "," + ",".join("0B%d" % m for m in range(40))
        self.open(self.write_input("twice.csv", cells + "\n"))
        dropped = self.data()["dropped"]
        shown = len(self.texts("button.finding"))
        self.assertTrue(dropped)
        self.assertEqual(self.texts(".findings .cut"), ["%d more of %s not shown" % (n, rule) for rule, n in dropped])
        self.assertEqual(self.texts(".findings .count"), ["%d of %d" % (shown, shown + sum(n for _, n in dropped))])

    def test_open_questions_come_first(self):
        rows = [",".join("%dF%d" % (stage, m) for m in range(110)) + "," + ",".join("%dB%d" % (stage, m) for m in range(110))
                for stage in (0, 1)]
        self.open(self.write_input("long.csv", "\n".join(rows) + "\n"), "--streams=any")
        self.assertEqual(self.texts(".verdict"), ["? undecided"])
        said = self.texts(".findings")[0]
        self.assertIn("Questions left open", said)
        self.assertIn("not everything could be decided", said)
        self.assertNotIn("Nothing was found", said)


class Cycle(PageCase):

    def test_step_by_step(self):
        self.open(DEADLOCK)
        self.press("n")
        told = []
        for _ in range(4):
            state = self.state()
            told.append((state["step"], state["selected"]["name"], self.texts(".cycle p")[0]))
            self.click("[data-key=next]")
        self.assertEqual([step for step, _, _ in told], [0, 1, 2, 3])
        self.assertEqual([name for _, name, _ in told], ["rank 0: 0SEND_F1", "rank 1: 1RECV_F1", "rank 1: 1SEND_F0",
                                                         "rank 0: 2RECV_F0"])
        self.assertIn("cannot end before its partner begins", told[0][2])
        self.assertIn("comes after 1SEND_F0 in the queue", told[1][2])
        self.assertEqual(self.state()["step"], 0)  # round again
        self.click("[data-key=previous]")
        self.assertEqual(self.state()["step"], 3)
        self.press(",")
        self.assertEqual(self.state()["step"], 2)

    def test_its_buttons_keep_the_focus(self):
        self.open(DEADLOCK, fragment="f=1")
        focused = lambda: self.run_script("return document.activeElement.dataset.key")
        self.run_script("document.querySelector('[data-key=next]').focus()")
        self.press(Keys.ENTER, Keys.ENTER)
        self.assertEqual((self.state()["step"], focused()), (2, "next"))
        self.run_script("document.querySelector('.jumps [data-key^=After]').focus()")
        key = focused()
        before = self.state()["selected"]
        self.press(Keys.ENTER)
        self.assertNotEqual(self.state()["selected"], before)
        self.assertEqual(focused(), key)

    def test_arrow_of_the_step_is_drawn(self):
        self.open(DEADLOCK, fragment="f=1")
        (a,), (b,) = self.find("rank 0 0SEND_F1"), self.find("rank 1 1RECV_F1")
        (ax, ay), (bx, by) = self.position(a), self.position(b)
        area = (min(ax, bx) - 60, ay + 14, abs(ax - bx) + 60, by - ay - 36)
        error = [0xb3, 0x20, 0x2a]
        first = self.pixels(*area).count(error)
        self.press(".")
        second = self.pixels(*area).count(error)
        self.assertGreater(first, second + 10)


if __name__ == "__main__":
    unittest.main()
