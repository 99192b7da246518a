#!/usr/bin/env python3
"""Prints how long the C++ files are, beside the figures we aim at; a file past 800 lines fails.

usage: check_sizes.py [--self-test]
"""
import pathlib
import sys
import tempfile

LIMIT = 800
FOLDERS = ("src", "include", "examples", "benchmarks", "tools")
# kind -> (median, 90th percentile) that we aim at; tests and benchmarks have none.
AIMS = {"sources": (150, 450), "headers": (80, 220), "tests": None, "benchmarks": None}


def kind_of(path):
    if path.suffix == ".h":
        return "headers"
    for ending in ("test", "benchmark"):
        if path.stem.endswith("_" + ending):
            return ending + "s"
    return "sources"


def line_counts(root):
    """{path: lines} of every C++ file below the folders of `root`."""
    counts = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cc", ".h"):
                counts[path.relative_to(root)] = len(path.read_text(errors="replace").splitlines())
    return counts


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def check(root):
    counts = line_counts(root)
    for kind, aim in AIMS.items():
        lengths = [lines for path, lines in counts.items() if kind_of(path) == kind]
        if not lengths:
            continue
        wanted = f" (aim {aim[0]} and {aim[1]})" if aim else ""
        print(f"{kind}: {len(lengths)} files, {sum(lengths)} lines; median {quantile(lengths, 0.5)}, "
              f"90th percentile {quantile(lengths, 0.9)}{wanted}, longest {max(lengths)}")
    long = {path: lines for path, lines in counts.items() if lines > LIMIT}
    for path, lines in long.items():
        print(f"check_sizes: {path} has {lines} lines; split it by idea (limit {LIMIT})")
    if not counts:
        print(f"check_sizes: no C++ file under {', '.join(FOLDERS)}")
    return 1 if long or not counts else 0


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        assert check(root) == 1, "no file at all must fail"
        (root / "src/room").mkdir(parents=True)
        (root / "src/room/a.cc").write_text("x\n" * LIMIT)
        assert check(root) == 0, "the limit itself must pass"
        (root / "src/room/a_test.cc").write_text("x\n" * (LIMIT + 1))
        assert check(root) == 1, "one line more must fail"
    return 0


if __name__ == "__main__":
    sys.exit(self_test() if "--self-test" in sys.argv else check(pathlib.Path(__file__).parents[1]))
