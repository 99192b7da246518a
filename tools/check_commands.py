#!/usr/bin/env python3
"""Fails where a command of ./dev does not say what it takes, or goes on with arguments that it does not know.

usage: check_commands.py [--self-test]

Runs a copy of `dev` in a folder of its own, in which no tool that builds or removes anything is found. Each command
of `./dev help` must answer `--help` and `help COMMAND` with its own line, and touch nothing; those that hand no
arguments on must refuse one more than they take, with its text, and status 1. Prints what is wrong, exits 1.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ("apt-get", "cmake", "clang-format", "clang-tidy", "ctest", "python3", "rm")
# command -> arguments of which it must refuse the last, naming it
WRONG = {
    "setup": [["more"], ["--all", "more"]],
    "build": [["tuned"], ["release", "more"]],
    "bench": [["faster"]],
    "format": [["more"], ["--check", "more"]],
    "lint": [["missing.cc"], ["--fix"]],
    "asan": [["more"], ["--all", "more"]],
    "ubsan": [["more"], ["--all", "more"]],
    "tsan": [["more"], ["--all", "more"]],
    "fuzz": [["soon"], ["60", "more"]],
    "install-check": [["more"]],
    "clean": [["more"]],
    "help": [["more"], ["build", "more"]],
}


def prepare(folder, text):
    """A place where `dev` finds what it reads, and tools that note their names in `used` and do nothing."""
    (folder / "dev").write_text(text)
    (folder / "packages.txt").write_text("")
    (folder / "benchmarks").mkdir()
    tools = folder / "tools_here"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).write_text(f"#!/bin/sh\necho {name} $1 >> '{folder}/used'\n")
        (tools / name).chmod(0o755)
    return dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")


def faults(text):
    """What is wrong with the program `dev` of this text, a line each."""
    found = []
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        environment = prepare(folder, text)

        def run(*arguments):
            (folder / "used").write_text("")
            done = subprocess.run(["bash", folder / "dev", *arguments], env=environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60, check=False)
            used = [line for line in (folder / "used").read_text().splitlines() if "python3" not in line]
            return done.returncode, done.stdout, done.stderr, used

        listed = [line.split()[0] for line in run()[1].splitlines()[1:]]
        for name in listed:
            for way in ([name, "--help"], [name, "-h"], ["help", name]):
                status, out, _, used = run(*way)
                if status != 0 or not out.startswith(f"usage: ./dev {name} ") or used:
                    found.append(f"./dev {' '.join(way)} does not say what it takes: status {status}, ran {used}")
        for name, ways in WRONG.items():
            for arguments in ways:
                status, _, errors, used = run(name, *arguments)
                if status != 1 or arguments[-1] not in errors or used:
                    found.append(f"./dev {' '.join([name, *arguments])} goes on: status {status}, ran {used}")
        status, _, errors, _ = run("tset")
        if status != 1 or "tset" not in errors:
            found.append("./dev tset does not name the command that it lacks")
    finally:
        shutil.rmtree(folder)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    text = (ROOT / "dev").read_text()
    found = faults(text)
    for line in found:
        print(f"check_commands: {line}")
    if options.self_test:
        broken = faults(text.replace('        --help | -h) command_help "$name" ;;\n', "", 1))
        careless = faults(text.replace('    at_most 0 clean "$@"\n', "", 1))
        print(f"check_commands self-test: {len(broken)} and {len(careless)} faults of two that were put in")
        return 0 if len(broken) > 10 and len(careless) == 1 else 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
