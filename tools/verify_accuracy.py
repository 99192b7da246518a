#!/usr/bin/env python3
"""Trains on real MNIST with several seeds and checks the accuracy on its test images.

usage: verify_accuracy.py [--mnist DIR] [--program FILE] [--only mlp|cnn] [--self-test]

DIR (or LOCKSTEP_MNIST) holds the IDX files of MNIST-10k: 8571 training and 1429 test images. The mlp, 10 epochs, batch
32, seeds 1 to 5: a mean of at least 95.0 %, none below 94.2 %. (Keras over 16 seeds: mean 95.3 %, 94.5 to 95.8 %.) The
cnn, 5 epochs, batch 64, seeds 1 and 2: at least 97.5 % each. Exit status: 0 reached, or skipped with the reason;
1 missed or failed; 2 bad usage.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
Goal = collections.namedtuple("Goal", "model arguments seeds mean least")
GOALS = (
    Goal("mlp", ("--epochs", "10", "--batch-size", "32"), (1, 2, 3, 4, 5), 0.950, 0.942),
    Goal("cnn", ("--epochs", "5", "--batch-size", "64"), (1, 2), 0.975, 0.975),
)


def accuracy(program, mnist, goal, seed):
    command = [str(program), "train", "--json", "--model", goal.model, "--data", mnist, "--seed", str(seed),
               *goal.arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"verify_accuracy: {' '.join(command)} ended with {done.returncode}: {done.stderr[-800:]}")
    report = json.loads(done.stdout.strip().splitlines()[-1])
    print(f"  {goal.model} seed {seed}: {100 * report['test_accuracy']:.2f} % on test images, loss "
          f"{report['test_loss']:.4f}; {100 * report['accuracy']:.2f} % in training; {report['seconds']:.1f} s",
          flush=True)
    return report["test_accuracy"]


def judge(goal, reached):
    """Prints the verdict; True where the goal is reached."""
    mean, least = sum(reached) / len(reached), min(reached)
    good = mean >= goal.mean and least >= goal.least
    print(f"{'reached' if good else 'MISSED'}: {goal.model} {' '.join(goal.arguments)}, {len(reached)} seeds: mean "
          f"{100 * mean:.2f} % (at least {100 * goal.mean:.1f}), {100 * least:.2f} to {100 * max(reached):.2f} % "
          f"(none below {100 * goal.least:.1f})")
    return good


def self_test():
    goal = GOALS[0]
    assert judge(goal, [0.953, 0.949, 0.951]), "a good mean must pass"
    assert not judge(goal, [0.949, 0.949, 0.949]), "a low mean must fail"
    assert not judge(goal, [0.96, 0.941, 0.96]), "one low value must fail"
    print("verify_accuracy: finds low means and low values")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mnist", default=os.environ.get("LOCKSTEP_MNIST"))
    parser.add_argument("--program", default=ROOT / "build/release/lockstep", type=pathlib.Path)
    parser.add_argument("--only", choices=[goal.model for goal in GOALS])
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not options.mnist:
        print("skipped: no directory of MNIST's IDX files given (--mnist, or LOCKSTEP_MNIST)")
        return 0
    if not options.program.exists():
        parser.error(f"no program at {options.program}; ./dev build makes it")
    goals = [goal for goal in GOALS if options.only in (None, goal.model)]
    verdicts = [judge(goal, [accuracy(options.program, options.mnist, goal, seed) for seed in goal.seeds])
                for goal in goals]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
