#!/usr/bin/env python3
"""Counts the tests of a JUnit file that ctest wrote, and names each skipped or failed one with its reason.

usage: summarize_tests.py FILE [SECOND] | --second-try FILE | --self-test

Exits 1 when a test failed or none ran. A test that skipped itself (GTEST_SKIP) or is disabled counts as
skipped, never as passed.

On a machine that is too busy a test can fail that waits for real processes and sockets, or meets an order of
threads that is rarer than one in many. --second-try prints for those that failed how many times in a row they must
pass, alone, and ctest's expression for them; nothing where many failed or a sanitizer spoke. SECOND
is the file of that run: who passes there counts as passed, and is named.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

# Rooms and programs whose tests wait for other threads and processes in real time.
IN_REAL_TIME = ("net/", "collectives/", "cluster/", "remote/", "distribute/", "nn/", "cli/", "faults/", "hosts/",
                "launchers/", "strangers/", "python/", "guides/", "program/")
SANITIZER = re.compile(r"Sanitizer|runtime error:")
MOST_AGAIN = 5
ONCE, OFTEN = 1, 20  # What waits in real time takes long; what does not must not fail once in twenty.


def reason_of_skip(case):
    """The text of GTEST_SKIP(), or the line "SKIPPED: text"; else what ctest says."""
    output = case.findtext("system-out") or ""
    found = (re.search(r"Skipped\n(.*?)\n*\[  SKIPPED \]", output, re.S) or
             re.search(r"^SKIPPED: (.*)$", output, re.M))
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


def second_try(path):
    """How often, and an expression for the failed tests, if all of them may run again; else ""."""
    names, times = [], ONCE
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("status") != "fail":
            continue
        if SANITIZER.search(case.findtext("system-out") or ""):
            return ""
        if not case.get("name").startswith(IN_REAL_TIME):
            times = OFTEN
        names.append(re.sub(r"[^\w/]", ".", case.get("name")))
    all_ran = len(names) == len(read(path)[1])
    return f"{times} ^({'|'.join(names)})$" if all_ran and 0 < len(names) <= MOST_AGAIN else ""


def report(path, second=None):
    if not pathlib.Path(path).exists():
        print(f"summarize_tests: no test ran: {path} was not written")
        return 1
    passed, failed, skipped = read(path)
    if second is not None and pathlib.Path(second).exists():
        still = read(second)[1]
        for name in [name for name in failed if name not in still]:
            print(f"passed at the second try, alone: {name}")
            failed.remove(name)
            passed += 1
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
add_test(skips_by_status sh -c "echo SKIPPED: needs three sockets; exit 77")
set_tests_properties(skips_by_status PROPERTIES SKIP_RETURN_CODE 77)
add_test(disabled true)
set_tests_properties(disabled PROPERTIES DISABLED TRUE)
"""
SECOND_SAMPLE = """
add_test("net/A.B  # <00>" sh -c "test -e here || { touch here; exit 1; }")
add_test(net/passes true)
"""
NO_SECOND_SAMPLE = {
    "a sanitizer": 'add_test(net/fails sh -c "echo WARNING: ThreadSanitizer: data race; exit 66")',
    "many": "\n".join(f"add_test(net/fails{i} false)" for i in range(MOST_AGAIN + 1)),
}


def run_sample(place, sample, file, *arguments):
    (place / "CTestTestfile.cmake").write_text(sample)
    subprocess.run(["ctest", "--test-dir", place, "--output-junit", file, *arguments],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return place / file


def self_test():
    """Runs the real ctest over one test of each outcome."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        passed, failed, skipped = read(run_sample(place, SAMPLE, "tests.xml"))
        assert passed == 1, passed
        assert [name.split(":")[0] for name in failed] == ["fails", "absent"], failed
        assert skipped == [("skips", "needs two sockets"), ("skips_by_status", "needs three sockets"),
                           ("disabled", "disabled")], skipped
        assert report(place / "tests.xml") == 1
        assert report(place / "absent.xml") == 1
        assert second_try(place / "tests.xml") == ""
        first = run_sample(place, SECOND_SAMPLE, "first.xml")
        assert read(first)[1] == ["net/A.B  # <00>"]
        assert report(first) == 1
        assert report(first, place / "absent.xml") == 1
        expression = second_try(first)
        assert expression == f"{ONCE} ^(net/A.B.....00.)$", expression
        expression = expression.split()[1]
        (place / "here").unlink()
        assert report(first, run_sample(place, SECOND_SAMPLE, "second.xml", "-R", expression)) == 1
        second = run_sample(place, SECOND_SAMPLE, "second.xml", "-R", expression)
        assert read(second) == (1, [], [])
        assert report(first, second) == 0
        both = "add_test(net/fails false)\nadd_test(tensor/fails false)"
        assert second_try(run_sample(place, both, "both.xml")) == f"{OFTEN} ^(net/fails|tensor/fails)$"
        for what, sample in NO_SECOND_SAMPLE.items():
            assert second_try(run_sample(place, sample, "none.xml")) == "", what
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] == "--self-test":
        sys.exit(self_test())
    if len(sys.argv) == 3 and sys.argv[1] == "--second-try":
        print(second_try(sys.argv[2]))
        sys.exit()
    sys.exit(report(*sys.argv[1:]) if len(sys.argv) in (2, 3) else __doc__)
