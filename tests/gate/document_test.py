"""What docs/gate.md tells people to write: its YAML is read, and its shell parts are run, in temporary repositories."""

import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import yaml

from tests.gate import repository
from tests.gate.repository import FIXED, NAIVE, OLD, SECONDS, UNREADABLE, Run

PATH = "schedules/train.txt"

with open("docs/gate.md", encoding="utf-8") as document:
    BLOCKS = {name: text for name, text in re.findall(r"<!-- tested: (\S+) -->\n```\w+\n(.*?)```\n", document.read(),
                                                      re.DOTALL)}
with open(".pre-commit-hooks.yaml", encoding="utf-8") as offered:
    OFFERED = yaml.safe_load(offered)


def step(workflow, job, name):
    (found,) = [each for each in yaml.safe_load(BLOCKS[workflow])["jobs"][job]["steps"] if each.get("name") == name]
    return found


class Document(repository.Case):

    def setUp(self):
        super().setUp()
        # As the image has it.
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        os.symlink(repository.PLUMBLINE, os.path.join(self.bin, "plumbline"))
        self.work = self.repository()
        self.base = self.work.have({PATH: FIXED, "ci/schedules": BLOCKS["ci/schedules"]})

    def shell(self, script, within=None, **variables):
        """Runs a script as the runners of both services do: bash, which stops at the first failure."""
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                              cwd=within or self.work.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                              env={**self.environment, "PATH": self.bin + ":/usr/bin:/bin", **variables})
        return Run(done.returncode, done.stdout.decode("utf-8", "backslashreplace"))

    def stub(self, name, text):
        """A program of that name, which writes down how it was called."""
        log = os.path.join(self.folder, name + ".log")
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/bash\nprintf "%s\\n" "$*" >>"{log}"\n{text}\n')
        os.chmod(path, 0o755)
        return lambda: self.read(log).splitlines()

    def read(self, path):
        with open(os.path.join(self.work.path, path), encoding="utf-8") as file:
            return file.read()


class TheScript(Document):

    def judge(self, commit="main"):
        return self.shell(f"bash ci/schedules {commit}")

    def check_reports(self):
        self.assertIn("train.txt", self.read("reports/diff.md"))
        junit = ElementTree.parse(os.path.join(self.work.path, "reports/junit.xml"))
        self.assertEqual(junit.getroot().tag, "testsuites")
        self.assertEqual(json.loads(self.read("reports/plumbline.sarif"))["version"], "2.1.0")
        self.assertEqual(os.listdir(os.path.join(self.work.path, "reports/pages")), ["1.html"])

    def check_nothing_is_left(self):
        """Of the other version of the repository: no folder, and nothing that git knows of one."""
        self.assertEqual(len(self.work.git("worktree", "list").splitlines()), 1)
        self.assertFalse(os.path.exists(os.path.join(self.work.path, ".git/worktrees")))
        self.assertEqual([each for each in os.listdir(self.folder) if each.startswith("tmp.")], [])

    def test_every_verdict_leaves_reports(self):
        self.work.git("checkout", "--quiet", "-b", "side")
        for content, code in ((FIXED + b"\n", 0), (NAIVE, 1), (UNREADABLE, 2)):
            with self.subTest(code):
                self.work.git("reset", "--quiet", "--hard", "main")
                self.work.have({PATH: content})
                run = self.judge()
                self.assertEqual(run.code, code, run.out)
                self.check_reports()
                self.check_nothing_is_left()
                self.work.git("clean", "--quiet", "-fdx")

    def test_what_it_shows(self):
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.have({PATH: NAIVE})
        run = self.judge()
        self.assertIn("PL401", run.out)
        (result, *_) = json.loads(self.read("reports/plumbline.sarif"))["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        # From the top of the repository, so that code scanning finds the line.
        self.assertEqual(place, PATH)

    def test_undecided(self):
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.have({PATH: FIXED.replace(b"]\n", b"] \n", 1),
                        "ci/schedules": BLOCKS["ci/schedules"].replace("plumbline diff", "plumbline diff --timeout 0")})
        run = self.judge()
        self.assertEqual(run.code, 3, run.out)
        self.check_reports()

    def test_what_others_did_meanwhile_does_not_count(self):
        self.work.have({PATH: OLD})
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.have({PATH: OLD + b"\n"})
        self.work.git("checkout", "--quiet", "main")
        self.work.have({PATH: FIXED})
        self.work.git("checkout", "--quiet", "side")
        run = self.judge()
        self.assertEqual(run.code, 0, run.out)

    def test_new_and_odd_names(self):
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.have({"schedules/a \"b\"\n$(touch x)'.txt": FIXED, "schedules/-.txt": OLD})
        run = self.judge()
        self.assertEqual(run.code, 0, run.out)
        self.assertEqual(len(os.listdir(os.path.join(self.work.path, "reports/pages"))), 2)
        self.assertFalse(os.path.exists(os.path.join(self.work.path, "x")))

    def test_nothing_is_left_where_it_ends_early(self):
        # Nothing to check out, no commit, a program that is killed, and the script itself.
        self.assertNotEqual(self.judge("no-such-commit").code, 0)
        self.check_nothing_is_left()
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.have({PATH: NAIVE})
        os.remove(os.path.join(self.bin, "plumbline"))
        for text in ("kill -KILL $$", "kill -TERM $PPID; sleep 1"):
            with self.subTest(text):
                self.stub("plumbline", text)
                self.assertNotEqual(self.judge().code, 0)
                self.check_nothing_is_left()
        self.stub("git", 'case "$*" in worktree\\ add*) exit 5 ;; esac; exec /usr/bin/git "$@"')
        self.assertEqual(self.judge().code, 5)
        self.check_nothing_is_left()

    def test_a_schedule_that_goes(self):
        self.work.have({"schedules/other.txt": FIXED})
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.git("rm", "--quiet", PATH)
        self.work.have({})
        run = self.judge()
        self.assertEqual(run.code, 0, run.out)
        self.assertIn("removed", run.out)

    def test_the_first_and_the_last_schedule(self):
        self.work.git("checkout", "--quiet", "-b", "none")
        self.work.git("rm", "--quiet", "-r", "schedules")
        self.work.have({})
        # As where the folder has another name.
        for base in ("main", "none"):
            run = self.judge(base)
            self.assertEqual((run.code, "is it called something else" in run.out), (2, True), run.out)
            self.check_nothing_is_left()
        self.work.git("checkout", "--quiet", "-b", "empty")
        self.work.have({"schedules/notes.md": "They are elsewhere now."})
        for base in ("main", "none"):
            run = self.judge(base)
            self.assertEqual((run.code, "schedule" in run.out), (2, True), run.out)
            self.check_nothing_is_left()
        self.work.git("checkout", "--quiet", "-b", "first", "none")
        self.work.have({PATH: FIXED})
        self.assertEqual(self.judge("none").code, 0)
        self.work.have({PATH: NAIVE}, "--amend")
        self.assertEqual(self.judge("none").code, 1)


class GitHub(Document):

    def test_the_workflows(self):
        for name in ("github/schedules", "github/comment"):
            workflow = yaml.safe_load(BLOCKS[name])
            self.assertEqual(workflow["permissions"], {})
            # YAML 1.1 reads `on` as true.
            self.assertTrue(workflow[True])
            for job in workflow["jobs"].values():
                self.assertTrue(job["permissions"])
                writes = [scope for scope, right in job["permissions"].items() if right == "write"]
                for each in job["steps"]:
                    if "uses" in each:
                        self.assertRegex(each["uses"], r"^[\w-]+/[\w/-]+@v\d+$")
                    else:
                        # What writes runs nothing of the pull request's, and no expression is pasted into a script.
                        self.assertNotIn("${{", each["run"])
                        self.assertFalse(writes and "ci/" in each["run"])
        self.assertEqual(yaml.safe_load(BLOCKS["github/comment"])[True]["workflow_run"]["workflows"],
                         [yaml.safe_load(BLOCKS["github/schedules"])["name"]])

    def test_judging(self):
        summary = os.path.join(self.folder, "summary")
        self.work.git("checkout", "--quiet", "-b", "side")
        for content, code in ((NAIVE, 1), (FIXED + b"\n", 0)):
            self.work.have({PATH: content})
            run = self.shell(step("github/schedules", "judge", "Judge")["run"], BASE=self.base)
            self.assertEqual(run.code, code, run.out)
            shown = self.shell(step("github/schedules", "judge", "Show")["run"], GITHUB_STEP_SUMMARY=summary)
            self.assertEqual(shown.code, 0, shown.out)
        self.assertIn(self.read("reports/diff.md"), self.read(summary))

    def comment(self, answer, text):
        calls = self.stub("gh", answer)
        self.work.write("reports/diff.md", text)
        run = self.shell(step("github/comment", "comment", "Comment")["run"], GH_TOKEN="t", GH_REPO="us/it",
                         HEAD="them:a branch", SHA="0" * 40, RUN="https://example.com/run")
        self.assertEqual(run.code, 0, run.out)
        return calls()

    ANSWER = 'case "$*" in *repos/us/it/pulls*) echo 7 ;; *issues/7/comments\\ --jq*) echo %s ;; esac'

    def test_a_first_comment_and_another(self):
        calls = self.comment(self.ANSWER % "", "text\n")
        self.assertIn("head=them:a branch", calls[0])
        self.assertEqual(calls[-1], "api --silent --method POST repos/us/it/issues/7/comments -F body=@comment.md")
        self.assertEqual(self.read("comment.md"), "<!-- plumbline -->\ntext\n")
        calls = self.comment(self.ANSWER % "42", "text\n")
        self.assertEqual(calls[-1], "api --silent --method PATCH repos/us/it/issues/comments/42 -F body=@comment.md")

    def test_a_comment_that_is_too_long_and_one_for_nobody(self):
        self.comment(self.ANSWER % "", "x" * 70000)
        self.assertRegex(self.read("comment.md"), r"^<!-- plumbline -->\nThe .* https://example.com/run\n$")
        self.assertTrue(self.comment("", "text\n")[-1].startswith("api --method GET repos/us/it/pulls "))


class GitLab(Document):

    def setUp(self):
        super().setUp()
        self.jobs = yaml.safe_load(BLOCKS["gitlab"])

    def run_job(self, job, **variables):
        return self.shell("\n".join(self.jobs[job]["script"]), CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main", **variables)

    def test_the_jobs(self):
        artifacts = self.jobs["schedules"]["artifacts"]
        self.assertEqual((artifacts["when"], artifacts["reports"]["junit"]), ("always", "reports/junit.xml"))
        self.assertEqual(self.jobs["schedules"]["variables"]["GIT_DEPTH"], "0")
        self.assertEqual(self.jobs["schedules-comment"]["needs"][0]["job"], "schedules")

    def test_judging(self):
        self.work.git("clone", "--quiet", "--bare", self.work.path, "../origin.git")
        self.work.git("remote", "add", "origin", "../origin.git")
        self.work.git("checkout", "--quiet", "--detach")
        for content, code in ((NAIVE, 1), (FIXED + b"\n", 0)):
            self.work.have({PATH: content})
            run = self.run_job("schedules")
            self.assertEqual(run.code, code, run.out)
            self.assertIn("train.txt", self.read("reports/diff.md"))
            self.assertTrue(ElementTree.parse(os.path.join(self.work.path, "reports/junit.xml")).getroot())

    def test_commenting(self):
        given = os.path.join(self.folder, "given")
        calls = self.stub("curl", f'cat >"{given}"')
        variables = {"CI_API_V4_URL": "https://gitlab.example.com/api/v4", "CI_MERGE_REQUEST_PROJECT_ID": "3",
                     "CI_MERGE_REQUEST_IID": "5", "CI_PIPELINE_URL": "https://gitlab.example.com/run",
                     "PLUMBLINE_TOKEN": "secret"}
        for text in ("text\n", "x" * 1000000):
            self.work.write("reports/diff.md", text)
            run = self.run_job("schedules-comment", **variables)
            self.assertEqual(run.code, 0, run.out)
            self.assertTrue(calls()[-1].endswith("body@reports/diff.md "
                                                 "https://gitlab.example.com/api/v4/projects/3/merge_requests/5/notes"))
            self.assertEqual(self.read(given), "PRIVATE-TOKEN: secret\n")
            # Other programs of the machine see arguments.
            self.assertNotIn("secret", calls()[-1])
        self.assertTrue(self.read("reports/diff.md").endswith("https://gitlab.example.com/run\n"))


class Others(Document):

    def test_bazel(self):
        logs = os.path.join(self.folder, "cache/testlogs")
        for code in (0, 3):
            calls = self.stub("bazel", f'mkdir -p {logs}/schedules/a_test; echo "<testsuites/>" '
                                       f'>{logs}/schedules/a_test/test.xml; ln -sfn {logs} bazel-testlogs; exit {code}')
            self.assertEqual(self.shell(BLOCKS["bazel"]).code, code)
            self.assertIn("//schedules/...", calls()[-1])
            self.assertEqual(self.read("reports/schedules/a_test/test.xml"), "<testsuites/>\n")

    def installed(self, block):
        """The commands of a block, for a copy of Plumbline that is there."""
        copy = os.path.join(self.folder, "copy")
        for name in ("tools", ".plumbline/bin"):
            os.makedirs(os.path.join(copy, name), exist_ok=True)
            os.symlink(repository.PLUMBLINE, os.path.join(copy, name, "plumbline"))
        os.symlink(self.hooks, os.path.join(copy, "tools/git_hooks"))
        return BLOCKS[block].replace("/path/to/plumbline", copy)

    def test_installing_before_a_commit(self):
        run = self.shell(self.installed("pre-commit"))
        self.assertEqual(run.code, 0, run.out)
        self.work.stage(PATH, NAIVE)
        self.refused(self.work.commit(), "[PL401]")
        self.work.stage(PATH, FIXED + b"\n")
        self.passes(self.work.commit())
        self.work.git("checkout", "--quiet", "-b", "side", self.base)
        self.work.have({PATH: NAIVE, "readme": "text"})
        self.work.git("checkout", "--quiet", "-b", "other", self.base)
        self.work.have({"notes": "text"})
        self.refused(self.work.run("merge", "--no-edit", "side"), "[PL401]")

    def test_installing_on_a_server(self):
        bare = repository.Repository(os.path.join(self.folder, "server.git"), self.environment)
        bare.git("init", "--quiet", "--bare", bare.path)
        run = self.shell(self.installed("pre-receive"), within=bare.path)
        self.assertEqual(run.code, 0, run.out)
        self.passes(self.work.run("push", bare.path, "main"))
        self.work.have({PATH: NAIVE})
        run = self.work.run("push", bare.path, "main")
        self.refused(run._replace(out=run.out.replace("remote: ", "")), "[PL401]")

    def test_the_framework(self):
        (hook,) = OFFERED
        (used,) = yaml.safe_load(BLOCKS["framework"])["repos"][0]["hooks"]
        self.assertEqual(used["id"], hook["id"])
        self.assertTrue(os.access(hook["entry"], os.X_OK))
        self.assertEqual((hook["language"], hook["pass_filenames"], hook["always_run"]), ("script", False, True))
        self.assertEqual(hook["stages"], yaml.safe_load(BLOCKS["framework"])["default_install_hook_types"])


if __name__ == "__main__":
    unittest.main()
