"""The page of a schedule: it shows, answers to the pointer, to keys, to searches and to addresses."""

import os
import time
import unittest

from tests.page.browsing import CORPUS, DEADLOCK, FIXED, Keys, NAIVE, PageCase, view


def name_of(state, key="selected"):
    return state[key] and state[key]["name"]


class Rendering(PageCase):

    def test_tells_verdict_sizes_and_model(self):
        self.open(FIXED)
        self.assertEqual(self.texts(".verdict"), ["✓ verified"])
        self.assertIn("4 ranks, 4 stages, 8 microbatches · 33 units", self.texts(".sizes")[0])
        about = self.texts(".about")[0]
        for said in ("line 1 is a '# stage' header", "blocking, room 0", "188 instructions", "27.3%",
                     "forward 1, backward 2"):
            self.assertIn(said, about)

    def test_boxes_have_the_colours_of_kind_and_microbatch(self):
        self.open(FIXED)
        colors = {}
        for query in ("rank 1 F 0", "rank 1 F 1", "rank 1 F 4", "rank 1 B 0", "rank 1 B 1"):
            (k,) = self.find(query)
            x, y = self.position(k)
            colors[query] = tuple(self.pixels(x, y - 9, 1, 1)[0])
        self.assertEqual(colors["rank 1 F 0"], (0x00, 0x48, 0x85))
        self.assertEqual(colors["rank 1 F 4"], colors["rank 1 F 0"])  # four steps of lightness
        self.assertEqual(len({colors[q] for q in ("rank 1 F 0", "rank 1 F 1", "rank 1 B 0", "rank 1 B 1")}), 4)
        grey = {q: sum(w * c for w, c in zip((0.3, 0.59, 0.11), rgb)) for q, rgb in colors.items()}
        for query, value in grey.items():  # told apart without colours too
            self.assertEqual(value > 130, " B " in query, query)

    def test_hung_instructions_differ_by_whether_they_have_begun(self):
        self.open(DEADLOCK)
        (stuck,) = self.find("rank 0 SEND_F 1")[:1]
        (never,) = self.find("rank 0 2F0")
        (ended,) = self.find("rank 0 0F0")
        boxes = {}
        for k in (stuck, never, ended):
            x, y = self.position(k)
            boxes[k] = tuple(self.pixels(x - 20, y - 4, 1, 1)[0])
        self.assertEqual(len(set(boxes.values())), 3)
        for k, words in ((stuck, "and never ends"), (never, "never begins"), (ended, "0 to 1 (1)")):
            self.point_at(*self.position(k))
            self.assertIn(words, self.texts(".tooltip")[0])
        self.assertIn("cannot finish", self.texts(".sizes")[0])

    def test_slots_as_declared_and_least(self):
        self.open(NAIVE)
        self.assertEqual(self.state()["slots"], "declared")
        before = self.pixels(120, 520, 400, 90, ".slots canvas")
        self.press("s")
        self.assertEqual(self.state()["slots"], "least")
        self.assertTrue(self.pixels(120, 520, 400, 90, ".slots canvas") != before)
        witness = [0x5b, 0x2a, 0x86]
        self.assertGreater(before.count(witness), 1000)

    def test_a_rank_without_instructions_has_a_row(self):
        self.open(self.write_input("idle.pir", "plumbline ir 1\nmode fragment\nrank 0 {\n}\nrank 1 {\n"
                                   "  forward s0 m0\n}\nrank 2 {\n}\n"))
        self.assertIn("3 ranks, 1 stage, 1 microbatch · 1 unit", self.texts(".sizes")[0])
        (k,) = self.find("F 0")
        height = self.run_script("return document.querySelector('.lanes canvas').getBoundingClientRect().top")
        self.assertGreater(self.position(k)[1] - height, 45)  # below rank 0
        self.press("]")
        self.assertEqual(self.state()["selected"]["name"], "rank 1: 0F0")

    def test_without_costs_there_is_no_time_but_0(self):
        ticks = lambda: self.run_script("return plumbline.ticks(0)")
        self.open(FIXED)
        self.assertIn(10, ticks())
        self.open(FIXED, "--cost=F=0", "--cost=B=0")
        self.assertEqual(ticks(), [0])

    def test_overlapped_computations_are_one_unit(self):
        self.open(os.path.join(CORPUS, "dualpipe/dualpipe_4rank_8chunks.json"))
        self.assertTrue(any("overlap" in text for text in self.texts(".legend span")))
        group, opcode = (self.run_script("return plumbline.column(0, arguments[0])", key) for key in ("group", "opcode"))
        names = self.data()["opcodes"]
        k = next(k for k, name in enumerate(opcode) if names[name] == "forward" and group[k] >= 0 and
                 names[opcode[k + 1]].startswith("backward") and group[k + 1] == group[k])
        self.point_at(*self.position(k))
        self.assertIn("overlaps with", self.texts(".tooltip")[0])
        self.open(FIXED)
        self.assertFalse(any("overlap" in text for text in self.texts(".legend span")))

    def test_says_so_where_streams_may_hold_each_other_up(self):
        said = "lanes that progress on their own"
        self.open(DEADLOCK, "--streams=any")
        self.assertIn(said, self.texts(".about")[0])
        self.open(DEADLOCK)
        self.assertNotIn(said, self.texts(".about")[0])

    def test_light_and_dark(self):
        self.open(FIXED)
        self.assertEqual(self.state()["theme"], "light")
        background = lambda: self.run_script("return getComputedStyle(document.body).backgroundColor")
        light = background()
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        self.until(lambda: self.state()["theme"] == "dark")
        self.assertNotEqual(background(), light)
        self.press("t")
        self.assertEqual((self.state()["theme"], background()), ("light", light))

    def test_prints(self):
        self.open(NAIVE)
        pdf = self.browser.execute_cdp_cmd("Page.printToPDF", {"landscape": True})["data"]
        self.assertGreater(len(pdf), 20000)
        self.assertEqual(self.state()["theme"], "light")

    def test_paper_has_all_that_can_be_unfolded(self):
        self.open(DEADLOCK)
        self.press("t")
        shown = lambda: self.run_script("return document.querySelector('.panel').innerText")
        before = shown()
        self.run_script("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.state()["theme"], "light")
        for part in ("0SEND_F1 cannot end", "1RECV_F1 comes after 1SEND_F0", "1SEND_F0 cannot end",
                     "2RECV_F0 comes after 0SEND_F1", "Break the cycle", "2 ranks, 4 stages, 2 microbatches"):
            self.assertIn(part, shown())
            self.assertNotIn(part, before)
        self.run_script("dispatchEvent(new Event('afterprint'))")
        self.assertEqual((self.state()["theme"], shown()), ("dark", before))

    def test_after_printing_all_is_where_it_was(self):
        large = os.path.join(CORPUS, "deepspeed/naive/TrainSchedule_8stage_32mb.txt")
        self.open(large, fragment="f=26")
        where = lambda: self.run_script(
            "return [plumbline.barOf(0, 0).y, document.querySelector('.scroller').scrollTop,"
            " document.querySelectorAll('details[open]').length, document.querySelectorAll('.more:not([hidden])').length]")
        before = where()
        self.assertLess(before[0], 0)
        self.assertGreater(before[1], 0)
        for events in (("beforeprint", "afterprint"), ("beforeprint", "beforeprint", "afterprint")):
            for event in events:
                self.run_script("dispatchEvent(new Event(arguments[0]))", event)
            self.settle()
            self.assertEqual(where(), before, events)
        self.browser.execute_cdp_cmd("Page.printToPDF", {"landscape": True})
        self.settle()
        self.assertEqual(where(), before)

    def test_half_a_character_in_the_search(self):
        self.open(FIXED)
        self.run_script("const box = document.querySelector('header input'); box.value = '\\ud800x';"
                        "box.dispatchEvent(new Event('input'))")
        self.until(lambda: self.state()["query"] == "\ufffdx")
        self.until(lambda: "q=" in self.browser.current_url)

    def test_unreadable_file_says_why(self):
        path = os.path.join(self.folder, "bad.csv")
        with open(path, "w", encoding="ascii") as file:
            file.write("0F0,0X0\n")
        self.assertEqual(view(path, "-o", os.path.join(self.folder, "x.html")), 2)
        self.open(path)
        said = self.texts(".unreadable")[0]
        for part in (path + ":1:6", "unknown action 'X'", "0F0,0X0"):
            self.assertIn(part, said)
        self.assertEqual(self.texts(".verdict"), ["! invalid"])

    def test_equal_reports_give_equal_pages(self):
        first = self.page_of(NAIVE)
        second = os.path.join(self.folder, "again.html")
        view(NAIVE, "-o", second)
        with open(first, "rb") as a, open(second, "rb") as b:
            self.assertEqual(a.read(), b.read())


class Pointer(PageCase):

    def test_hover_shows_facts_and_the_message(self):
        self.open(NAIVE)
        (send,) = self.find("rank 1 SendActivation microbatch 2")
        (receive,) = self.find("rank 2 RecvActivation microbatch 2")
        (sx, sy), (rx, ry) = self.position(send), self.position(receive)
        left, width = min(sx, rx) - 60, abs(sx - rx) + 80
        between = lambda: self.pixels(left, sy + 30, width, 4)
        before = between()
        self.point_at(sx, sy)
        tooltip = self.texts(".tooltip")[0]
        for part in ("rank 1: SendActivation(buffer_id=2) of microbatch 2", "send activation, rank 1, stage 1",
                     "4 to 8 (4)", "rank 2: RecvActivation(buffer_id=0) of microbatch 2",
                     "outputs[2]: the output activation of microbatch 2", "TrainSchedule_4stage_8mb.txt:"):
            self.assertIn(part, tooltip)
        ink = [0x1b, 0x20, 0x26]
        self.assertFalse(ink in before)
        self.assertTrue(ink in between())  # the arrow crosses from rank 1 to rank 2
        self.point_at(60, 5)
        self.assertTrue(between() == before)
        self.assertTrue(self.run_script("return document.querySelector('.tooltip').hidden"))

    def test_hover_over_a_slot(self):
        self.open(NAIVE)
        canvas = self.run_script("const r = document.querySelector('.slots canvas').getBoundingClientRect();"
                                 "return [r.left, r.top]")
        self.point_at(round(canvas[0] + 180), round(canvas[1] + 22 + 19 + 6))
        tooltip = self.texts(".tooltip")[0]
        for part in ("inputs[0] of rank 0", "the input activation of microbatch 0", "written by", "make the least"):
            self.assertIn(part, tooltip)

    def test_click_selects_and_tells(self):
        self.open(FIXED)
        (k,) = self.find("rank 2 B 3")
        self.click_at(*self.position(k))
        self.assertEqual(self.state()["selected"]["k"], k)
        self.assertIn("BackwardPass", self.texts(".selection .name")[0])
        self.assertIn("Selected rank 2: BackwardPass", self.texts("[role=status].unseen")[0])

    def test_drag_pans_and_wheel_zooms(self):
        self.open(FIXED)
        self.press("+", "+", "+")
        before = self.state()
        self.drag(700, 200, 500, 200)
        panned = self.state()
        self.assertGreater(panned["from"], before["from"])
        self.assertAlmostEqual(panned["to"] - panned["from"], before["to"] - before["from"], places=6)
        self.run_script("""document.querySelector('.lanes canvas').dispatchEvent(
            new WheelEvent('wheel', {deltaY: -200, ctrlKey: true, bubbles: true, cancelable: true}))""")
        self.settle()
        zoomed = self.state()
        self.assertLess(zoomed["to"] - zoomed["from"], panned["to"] - panned["from"])
        self.assertIsNone(zoomed["selected"])  # a drag is no click


class Keyboard(PageCase):

    def test_moves_and_zooms(self):
        self.open(FIXED)
        start = self.state()
        self.press("+")
        near = self.state()
        self.assertLess(near["to"] - near["from"], start["to"] - start["from"])
        self.press(Keys.ARROW_RIGHT)
        self.assertGreater(self.state()["from"], near["from"])
        self.press(Keys.ARROW_LEFT, "-", "0")
        self.assertAlmostEqual(self.state()["from"], start["from"])
        self.assertAlmostEqual(self.state()["to"], start["to"])

    def test_walks_along_a_lane(self):
        self.open(FIXED)
        self.press("]")
        self.assertEqual(self.state()["selected"]["k"], 0)
        self.press("]", "]", "[")
        self.assertEqual(self.state()["selected"]["k"], 1)
        before = self.state()
        self.press(Keys.ENTER)
        self.assertLess(self.state()["to"] - self.state()["from"], before["to"] - before["from"])
        self.press(Keys.ESCAPE)
        self.assertIsNone(self.state()["selected"])

    def test_help_and_switches(self):
        self.open(FIXED)
        self.press("?")
        self.assertTrue(self.run_script("return document.querySelector('dialog').open"))
        self.press(Keys.ESCAPE)
        self.assertFalse(self.run_script("return document.querySelector('dialog').open"))
        self.press("r")
        self.assertEqual(self.state()["rows"], "full")

    def test_controls_can_be_reached_and_have_names(self):
        self.open(NAIVE)
        unnamed = self.run_script(
            """return [...document.querySelectorAll('button, input, [tabindex]')].filter(
                   e => !(e.getAttribute('aria-label') || e.textContent.trim())).length""")
        self.assertEqual(unnamed, 0)
        seen = set()
        for _ in range(16):
            self.press(Keys.TAB)
            seen.add(self.run_script("const e = document.activeElement; return e.tagName + ' ' + e.className"))
        for wanted in ("INPUT ", "DIV chart lanes", "DIV splitter", "DIV chart slots", "BUTTON finding"):
            self.assertIn(wanted, seen)


class Search(PageCase):

    def test_by_words_and_names(self):
        self.open(DEADLOCK)
        for query, names in (("2F1", ["rank 0: 2F1"]), ("rank 1 F 1", ["rank 1: 1F1", "rank 1: 3F1"]),
                             ("stage 3 B", ["rank 1: 3B0", "rank 1: 3B1"]), ("send_f 0 rank 0", ["rank 0: 0SEND_F0"] +
                              ["rank 0: 2SEND_F0"])):
            self.press("/")
            self.run_script("document.activeElement.value = ''")
            self.press(query, Keys.ENTER)
            self.assertEqual(self.state()["query"], query)
            walked = []
            for _ in range(self.state()["found"]):
                walked.append(name_of(self.state()))
                self.press(Keys.ENTER)
            self.assertEqual(walked, names, query)
        self.press(Keys.ESCAPE)
        self.assertEqual(self.state()["found"], 0)

    def test_what_was_found_stays_when_no_more_letters_come(self):
        self.open(DEADLOCK)
        self.press("/", "rank 1 F 1", Keys.ENTER, Keys.ENTER)
        time.sleep(0.3)  # longer than a search waits for more letters
        self.assertEqual(name_of(self.state()), "rank 1: 3F1")
        self.press(Keys.ENTER)
        self.assertEqual(name_of(self.state()), "rank 1: 1F1")

    def test_by_line_and_part_of_a_name(self):
        self.open(NAIVE)
        self.assertEqual(len(self.find("line 54")), 3)
        self.assertEqual(len(self.find("SendGrad")), 24)
        self.assertEqual(len(self.find("sendgrad rank 2")), 8)
        self.assertEqual(self.find("rank 2 F 5"), self.find("ForwardPass rank 2 microbatch 5"))
        self.assertEqual(self.find("nothing of the kind"), [])

    def test_for_words_that_every_object_has(self):
        for word in ("constructor", "__proto__", "toString", "hasOwnProperty 3"):
            self.open(NAIVE, fragment="q=" + word.replace(" ", "%20"))
            self.assertEqual((self.state()["query"], self.state()["found"]), (word, 0))


class Address(PageCase):

    def test_holds_the_place(self):
        self.open(DEADLOCK)
        self.press("n", ".", "+")
        self.until(lambda: "step=2" in self.browser.current_url and "t=" in self.browser.current_url)
        address = self.browser.current_url
        before = self.state()
        self.browser.get("about:blank")
        self.browser.get(address)
        self.until(lambda: self.state()["frames"] > 0)
        after = self.state()
        for key in ("selected", "finding", "step", "slots", "rows", "query"):
            self.assertEqual(after[key], before[key], key)
        for key in ("from", "to"):
            self.assertAlmostEqual(after[key], before[key], places=3)

    def test_is_followed_when_it_changes(self):
        self.open(NAIVE)
        self.run_script("location.hash = '#i=102&t=5,15&slots=least&q=SendGrad'")
        self.until(lambda: self.state()["from"] == 5)
        state = self.state()
        self.assertEqual((state["to"], state["slots"], state["found"], state["selected"]["k"]), (15, "least", 24, 102))

    def test_nonsense_does_no_harm(self):
        self.open(NAIVE, fragment="i=99999999&f=-1&f=x&step=7&t=-Infinity,Infinity&slots=%3Cb%3E&q=%00&side=base&rows=1e9")
        state = self.state()
        self.assertIsNone(state["selected"])
        self.assertEqual((state["slots"], state["rows"], state["to"] > 33), ("declared", "fit", True))
        for stretch in ("NaN,1", "0,1e308", "-1e300,1e300", "500,600", "5,4", "1,2,3"):
            self.run_script("location.hash = '#t=' + arguments[0]", stretch)
            self.settle()
            self.assertEqual((self.state()["from"], self.state()["to"]), (state["from"], state["to"]), stretch)


if __name__ == "__main__":
    unittest.main()
