"""Names and labels from the input stay text on the page, whatever they hold."""

import os
import unittest

from tests.page.browsing import PageCase, view

NAME = b"<img src=x onerror=document.title='broken'>\"'&amp;\x01\xff\xe2\x80\xa8\xe2\x80\xae.csv"


class Hostile(PageCase):

    def write(self, name, text):
        path = os.path.join(os.fsencode(self.folder), name)
        with open(path, "wb") as file:
            file.write(text)
        return os.fsdecode(path)

    def check_unharmed(self):
        self.assertEqual(self.run_script("return document.querySelectorAll('img, iframe, object, embed, a').length"), 0)
        self.assertEqual(self.run_script("return document.querySelectorAll('script').length"), 2)
        self.assertNotEqual(self.run_script("return document.title"), "broken")
        self.assertEqual(self.run_script("return window.harmed"), None)

    def test_file_name(self):
        self.open(self.write(NAME, b"0F0,0B0,0B0\n"))
        self.check_unharmed()
        self.assertIn("onerror=document.title='broken'>\"'&amp;", self.texts("h1")[0])
        self.press("n")
        self.check_unharmed()

    def test_file_name_with_a_script_end(self):
        folder = os.path.join(os.fsencode(self.folder), b"<")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, b"script><script>window.harmed=1<!--.csv")
        with open(path, "wb") as file:
            file.write(b"0F0,0B0\n")
        self.open(os.fsdecode(path))
        self.check_unharmed()
        self.assertIn("</script><script>window.harmed=1<!--", self.texts("h1")[0])

    def test_unreadable_content(self):
        self.open(self.write(b"bad.csv", b"0F0,</script><script>window.harmed=1</script>\n"))
        self.check_unharmed()
        self.assertIn("</script>", self.texts(".unreadable")[0])

    def test_page_is_ascii_clean_where_it_must_be(self):
        page = self.page_of(self.write(NAME, b"0F0,0B0,0B0\n"))
        with open(page, encoding="utf-8") as file:  # valid UTF-8, or this raises
            text = file.read()
        data = text[text.index('id="data">') + len('id="data">'):]
        data = data[:data.index("</script>")]
        self.assertIn('"sides"', data)
        for forbidden in "<>&\u2028\u2029\u202e\x01":
            self.assertNotIn(forbidden, data)

    def test_labels(self):
        text = ("plumbline ir 1\nmode fragment\nrank 0 {\n  compute m0 label \"left \u202e right \u2066\"\n"
                "  compute m1 label \"%s\"\n}\n" % ("long " * 10000))
        self.open(self.write(b"labels.pir", text.encode("utf-8")))
        self.point_at(*self.position(0))
        self.assertIn("left ? right ?", self.texts(".tooltip")[0])
        self.point_at(*self.position(1))
        self.assertLess(len(self.texts(".tooltip")[0]), 1500)
        self.assertIn("…", self.texts(".tooltip")[0])

    def test_reaches_for_nothing(self):
        self.open(self.write(b"good.csv", b"0F0,0B0\n"))
        policy = self.run_script("return document.querySelector('meta[http-equiv]').content")
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        blocked = self.browser.execute_async_script(
            "const done = arguments[0]; fetch('data:,x').then(() => done(false), () => done(true));")
        self.assertTrue(blocked)
        self.assertEqual(self.run_script("return performance.getEntriesByType('resource').map(e => e.name)"), [])
        said = [entry["message"] for entry in self.browser.get_log("browser")]
        self.assertTrue(said and all("Content Security Policy" in message for message in said), said)

    def test_injected_script_would_not_run(self):
        self.open(self.write(b"good.csv", b"0F0,0B0\n"))
        self.run_script("const s = document.createElement('div'); document.body.append(s);"
                        "s.setAttribute('onclick', 'window.harmed = 1'); s.click();")
        self.check_unharmed()
        self.assertTrue(self.browser.get_log("browser"))  # the browser says that it refused


if __name__ == "__main__":
    unittest.main()
