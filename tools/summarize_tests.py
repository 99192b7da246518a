#!/usr/bin/env python3
"""Counts the tests of a JUnit file that ctest wrote, and names each skipped or failed one with its reason.

usage: summarize_tests.py FILE | --self-test

Exits 1 when a test failed or none ran. A test that skipped itself (GTEST_SKIP) or is disabled counts as
skipped, never as passed.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree


def reason_of_skip(case):
    """The text of GTEST_SKIP() where there is one, else what ctest says."""
    output = case.findtext("system-out") or ""
    found = re.search(r"Skipped\n(.*?)\n*\[  SKIPPED \]", output, re.S)
    if found and found.group(1).strip():
        return " ".join(found.group(1).split())
    if case.get("status") == "disabled":
        return "disabled"
    skipped = case.find("skipped")
    return (skipped.get("message") if skipped is not None else None) or "no reason given"


def read(path):
    """(passed, [failed names], [(skipped name, reason)]) of a JUnit file."""
    passed, failed, skipped = 0, [], []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        # ctest marks with "fail" what a regular expression failed, and with "notrun" also what was not built.
        message = (case.find("skipped").get("message") or "") if case.find("skipped") is not None else ""
        if status == "run" and case.find("failure") is None:
            passed += 1
        elif status == "disabled" or message.startswith("SKIP_"):
            skipped.append((name, reason_of_skip(case)))
        else:
            failed.append(f"{name}{': ' + message if message else ''}")
    return passed, failed, skipped


def report(path):
    if not pathlib.Path(path).exists():
        print(f"summarize_tests: no test ran: {path} was not written")
        return 1
    passed, failed, skipped = read(path)
    for name, reason in skipped:
        print(f"skipped: {name}: {reason}")
    for name in failed:
        print(f"failed:  {name}")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or passed + len(skipped) == 0 else 0


SAMPLE = """
add_test(passes true)
add_test(fails false)
add_test(absent /nowhere/such_program)
add_test(skips printf "[ RUN      ] A.B\\\\na_test.cc:7: Skipped\\\\nneeds two sockets\\\\n\\\\n[  SKIPPED ] A.B\\\\n")
set_tests_properties(skips PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
add_test(disabled true)
set_tests_properties(disabled PROPERTIES DISABLED TRUE)
"""


def self_test():
    """Runs the real ctest over one test of each outcome."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "CTestTestfile.cmake").write_text(SAMPLE)
        subprocess.run(["ctest", "--test-dir", folder, "--output-junit", "tests.xml"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        passed, failed, skipped = read(place / "tests.xml")
        assert passed == 1, passed
        assert [name.split(":")[0] for name in failed] == ["fails", "absent"], failed
        assert skipped == [("skips", "needs two sockets"), ("disabled", "disabled")], skipped
        assert report(place / "tests.xml") == 1
        assert report(place / "absent.xml") == 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(self_test() if sys.argv[1] == "--self-test" else report(sys.argv[1]))
