"""Prints how many test targets passed and failed, from the build events of one `bazel test`.

usage: count_tests.py EVENTS_FILE EXIT_CODE
"""

import json
import sys

PASSED = {"PASSED", "FLAKY"}


def main():
    events_file, exit_code = sys.argv[1], int(sys.argv[2])
    tests = set()
    passed = set()
    try:
        with open(events_file, encoding="utf-8") as events:
            for line in events:
                event = json.loads(line)
                if "testSize" in event.get("configured", {}):
                    tests.add(event["id"]["targetConfigured"]["label"])
                summary = event.get("testSummary")
                if summary:
                    label = event["id"]["testSummary"]["label"]
                    tests.add(label)
                    if summary["overallStatus"] in PASSED:
                        passed.add(label)
    except FileNotFoundError:
        pass  # Bazel stopped before it began; the exit code tells.
    failed = len(tests - passed)
    # A library or binary that does not build fails the run even where no test needs it.
    if exit_code != 0 and failed == 0:
        failed = 1
    print(len(passed), failed)


main()
