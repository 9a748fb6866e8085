"""Pages of `plumbline view` in a headless Chromium, for the tests beside this file."""

import atexit
import os
import subprocess
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service

PLUMBLINE = os.path.abspath("verifier/cli/plumbline")
CORPUS = os.path.abspath("tests/corpus")
FIXED = os.path.join(CORPUS, "deepspeed/fixed/TrainSchedule_4stage_8mb.txt")
NAIVE = os.path.join(CORPUS, "deepspeed/naive/TrainSchedule_4stage_8mb.txt")
DEADLOCK = os.path.join(CORPUS, "field/pt172668a.csv")
SECONDS = 20  # that a page may take to answer, on a machine with other work


def start_browser(width=1500, height=900):
    home = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
    os.environ["HOME"] = home
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--force-color-profile=srgb", "--user-data-dir=" + home,
                     "--window-size=%d,%d" % (width, height)):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def view(*arguments):
    """Writes a page; its exit code."""
    return subprocess.run([PLUMBLINE, "view", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, check=False).returncode


class PageCase(unittest.TestCase):
    """Tests that share a browser, and a folder for pages. No page may say anything on the browser's console."""

    browser = None

    @classmethod
    def setUpClass(cls):
        if PageCase.browser is None:  # starting one takes seconds
            PageCase.browser = start_browser()
            PageCase.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
            PageCase.pages = {}
            atexit.register(PageCase.browser.quit)

    def tearDown(self):
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [])

    def page_of(self, *arguments):
        """The page of a schedule; the same arguments give the same file."""
        if arguments not in self.pages:
            path = os.path.join(self.folder, "page%d.html" % len(self.pages))
            self.assertIn(view(*arguments, "-o", path), (0, 1, 2, 3))
            self.pages[arguments] = path
        return self.pages[arguments]

    def open(self, *arguments, fragment=""):
        self.browser.get("about:blank")
        self.browser.get("file://" + self.page_of(*arguments) + ("#" + fragment if fragment else ""))
        self.until(lambda: self.state()["frames"] > 0)

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def state(self):
        return self.run_script("return plumbline.state()")

    def until(self, holds):
        """Waits until `holds()` is true."""
        end = time.monotonic() + SECONDS
        while not holds():
            self.assertLess(time.monotonic(), end, "the page does not get there: %s" % self.state())
            time.sleep(0.02)

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));")

    def press(self, *keys):
        ActionChains(self.browser, duration=0).send_keys(*keys).perform()
        self.settle()

    def find(self, query, side=0):
        return self.run_script("return plumbline.find(arguments[0], arguments[1])", side, query)

    def position(self, k, side=0):
        place = self.run_script("return plumbline.positionOf(arguments[0], arguments[1])", side, k)
        return round(place["x"]), round(place["y"])

    def bar(self, life, side=0):
        """Where a value is on the chart of slots."""
        return self.run_script("return plumbline.barOf(arguments[0], arguments[1])", side, life)

    def data(self, side=0):
        """What the page was made from."""
        return self.run_script("return JSON.parse(document.getElementById('data').textContent).sides[arguments[0]]", side)

    def write_input(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def point_at(self, x, y):
        builder = ActionBuilder(self.browser, duration=0)
        builder.pointer_action.move_to_location(x, y)
        builder.perform()
        self.settle()

    def click_at(self, x, y):
        builder = ActionBuilder(self.browser, duration=0)
        builder.pointer_action.move_to_location(x, y).click()
        builder.perform()
        self.settle()

    def drag(self, x, y, to_x, to_y):
        builder = ActionBuilder(self.browser, duration=0)
        builder.pointer_action.move_to_location(x, y).pointer_down()
        builder.pointer_action.move_to_location((x + to_x) // 2, (y + to_y) // 2)
        builder.pointer_action.move_to_location(to_x, to_y).pointer_up()
        builder.perform()
        self.settle()

    def texts(self, selector):
        return self.run_script("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def click(self, selector):
        self.run_script("document.querySelector(arguments[0]).click()", selector)
        self.settle()

    def pixels(self, x, y, width, height, chart=".lanes canvas"):
        """[red, green, blue] of each pixel of the window's rectangle, row by row, as the canvas has them."""
        flat = self.run_script(
            """const canvas = document.querySelector(arguments[0]);
               const {left, top} = canvas.getBoundingClientRect();
               const scale = canvas.width / canvas.clientWidth;
               const [x, y] = [(arguments[1] - left) * scale, (arguments[2] - top) * scale];
               const [width, height] = [arguments[3] * scale, arguments[4] * scale];
               const pen = new OffscreenCanvas(width, height).getContext("2d");
               pen.drawImage(canvas, -x, -y);
               return [...pen.getImageData(0, 0, width, height).data];""", chart, x, y, width, height)
        return [flat[k:k + 3] for k in range(0, len(flat), 4)]


__all__ = ["CORPUS", "DEADLOCK", "FIXED", "Keys", "NAIVE", "PLUMBLINE", "PageCase", "start_browser", "view"]
