#!/usr/bin/env python3
"""Runs the programs here under Lockstep and under TensorFlow, and prints both answers.

usage: compare.py --tensorflow PYTHON [--lockstep PYTHON] [NAME...]

PYTHON: an interpreter that can import tensorflow (lockstep). TensorFlow gets the same program with the import
changed. Exits 0 however the answers differ: some programs fail in TensorFlow."""
import argparse
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def answer(python, program, seconds):
    """What a program prints, then the last line of its complaint."""
    try:
        done = subprocess.run([python, "-c", program], capture_output=True, text=True, timeout=seconds,
                              env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"))
    except subprocess.TimeoutExpired:
        return [f"(no end after {seconds} s)"]
    lines = done.stdout.rstrip().splitlines()
    if done.returncode:
        complaint = [line for line in done.stderr.splitlines() if line.strip()]
        lines.append(f"(fails: {complaint[-1] if complaint else done.returncode})")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", required=True)
    parser.add_argument("--lockstep", default=sys.executable)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or sorted(path.name for path in FOLDER.glob("question_*.py"))
    same = 0
    for name in names:
        program = (FOLDER / name).read_text()
        ours = answer(options.lockstep, program, options.seconds)
        theirs = answer(options.tensorflow, program.replace("import lockstep as tf",
                                                            "import tensorflow as tf"), options.seconds)
        same += ours == theirs
        print(f"== {name}: {'the same' if ours == theirs else 'different'}")
        for title, lines in (("lockstep", ours), ("tensorflow", theirs)):
            for line in lines[-8:]:
                print(f"   {title:>10} | {line}")
    print(f"{same} of {len(names)} are the same")


if __name__ == "__main__":
    main()
