#!/usr/bin/env python3
"""Runs the programs here under Lockstep and under TensorFlow, and prints both answers.

usage: compare.py --tensorflow PYTHON [--lockstep PYTHON] [--mnist FILE] [--seconds N] [NAME...]

PYTHON: an interpreter that can import tensorflow (lockstep). TensorFlow gets the same program with the import
changed; nothing is downloaded. FILE: Keras's mnist.npz, for the programs that train on it. Programs of two workers
do not end here, as only one is started. Exits 0 however the answers differ: some programs fail in TensorFlow."""
import argparse
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
NOWHERE = "http://127.0.0.1:9"  # where nobody listens


def no_end(seconds):
    return f"(no end after {seconds} s)"


def answer(python, program, seconds, mnist):
    """What a program prints, then the last line of its complaint."""
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", http_proxy=NOWHERE, https_proxy=NOWHERE)
    if mnist:
        environment["MNIST"] = str(mnist.resolve())
    try:
        done = subprocess.run([python, "-c", program], capture_output=True, text=True, timeout=seconds,
                              env=environment)
    except subprocess.TimeoutExpired:
        return [no_end(seconds)]
    lines = done.stdout.rstrip().splitlines()
    if done.returncode:
        complaint = [line for line in done.stderr.splitlines() if line.strip()]
        lines.append(f"(fails: {complaint[-1] if complaint else done.returncode})")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", required=True)
    parser.add_argument("--lockstep", default=sys.executable)
    parser.add_argument("--mnist", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or sorted(path.name for path in FOLDER.glob("question_*.py"))
    same = 0
    for name in names:
        program = (FOLDER / name).read_text()
        ours = answer(options.lockstep, program, options.seconds, options.mnist)
        theirs = answer(options.tensorflow, program.replace("import lockstep as tf",
                                                            "import tensorflow as tf"), options.seconds, options.mnist)
        same += ours == theirs and not ours[-1:] == [no_end(options.seconds)]
        print(f"== {name}: {'the same' if ours == theirs else 'different'}")
        for title, lines in (("lockstep", ours), ("tensorflow", theirs)):
            for line in lines[-8:]:
                print(f"   {title:>10} | {line}")
    print(f"{same} of {len(names)} have an end and are the same")


if __name__ == "__main__":
    main()
