#!/usr/bin/env python3
"""Runs programs that are drawn from seeds in ways that must not show, and compares all that they leave, to the bit.

usage: verify.py [--seeds FIRST:LAST] [--kind models|steps] [--way TEXT] [--list]; in the environment LOCKSTEP_COMMAND,
the command `lockstep`

A program is a Keras model with its data and `fit` (models.py), or a step of one's own under `strategy.run` (steps.py). Its
first run has one device in one process. The others have more devices, or are jobs of several processes: workers, servers,
some of which are killed or come in the middle. Exit status: 0 all equal, 1 a difference or a failed run."""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import lockstep as tf
import numpy as np

import models
import steps
from results import differences, read

FOLDER = pathlib.Path(__file__).resolve().parent
KINDS = {"models": models, "steps": steps}
REPLICAS = (1, 2, 3, 4, 5, 8)
DEVICES = (2, 3, 4, 5, 8)
SECONDS_PER_JOB = 120
TOO_LATE = "the job has come to its end without this worker"  # says who would come in when all is over
SECONDS_TO_ASK = 2  # from a task's beginning until the others know that it wants to come in


class Failure(Exception):
    pass


class NotReached(Exception):
    """The training was over before what should happen in its middle."""


# ---- ways: name -> function of (kind, seed, replicas) that gives what the program leaves ---------


def mirrored(devices, threads=1):
    return lambda kind, seed, replicas: KINDS[kind].train(
        seed, tf.distribute.MirroredStrategy(replicas=replicas, num_devices=devices, threads_per_device=threads))


def central_storage(kind, seed, replicas):
    return KINDS[kind].train(seed, tf.distribute.CentralStorageStrategy([f"CPU:{i}" for i in range(replicas)], "CPU:0"))


def saved(before, after):
    """Interrupted on `before` devices when the second epoch begins, and gone on with on `after`."""
    def run(kind, seed, replicas):
        def on(devices):
            return tf.distribute.MirroredStrategy(replicas=replicas, num_devices=devices)
        with tempfile.TemporaryDirectory() as folder:
            try:
                begun = models.train_to(1, seed, on(before), folder)
            except NotImplementedError:  # of steps that are not traced nothing is saved
                begun = None
            if begun is None:
                raise NotReached
            left = models.train(seed, on(after), [tf.keras.callbacks.BackupAndRestore(folder)])
        # As in Keras, a history begins with its `fit`.
        return {**left, **{name: np.concatenate([values, left[name]]) for name, values in begun.items()}}
    return run


def job(*flags, strategy="multi_worker", event=None):
    """A job that `lockstep launch` starts; `event`, a function of the launcher and its tasks' folder, happens in its middle."""
    def run(kind, seed, replicas):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if event:
                (folder / "hold").touch()
            command = [os.environ["LOCKSTEP_COMMAND"], "launch", *flags, "--", sys.executable, str(FOLDER / "task.py"), kind, str(seed),
                       str(replicas), strategy, str(folder)] + (["middle"] if event else [])
            with (folder / "said").open("w+") as said:
                launcher = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
                try:
                    if event:
                        until(lambda: (folder / "middle").exists() or launcher.poll() is not None)
                        if (folder / "middle").exists():
                            event(launcher, folder)
                        (folder / "hold").unlink()
                    launcher.wait(SECONDS_PER_JOB)
                except subprocess.TimeoutExpired:
                    launcher.send_signal(signal.SIGINT)
                    launcher.wait(SECONDS_PER_JOB)
                    said.seek(0)
                    raise Failure(f"did not end within {SECONDS_PER_JOB} s: {said.read()[-2000:]}") from None
                said.seek(0)
                text = said.read()
            if event and not (folder / "middle").exists() or TOO_LATE in text:
                raise NotReached
            if launcher.returncode or not (folder / "left.npz").exists() or "ended with status" in text:
                raise Failure(f"status {launcher.returncode}: {text[-2000:]}")
            return read(folder / "left.npz")
    return run


def until(condition):
    end = time.monotonic() + SECONDS_PER_JOB
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def await_task(file):
    until(file.exists)
    time.sleep(SECONDS_TO_ASK)


def kill(task):
    """Kills the process of a task, named as its launcher does: "worker 1"."""
    return lambda launcher, folder: os.kill(int((folder / task).read_text()), signal.SIGKILL)


def kill_and_await(task):
    """The same; it is started again, and the training goes on when it wants to come in."""
    def event(launcher, folder):
        process = int((folder / task).read_text())
        (folder / task).unlink()
        os.kill(process, signal.SIGKILL)
        await_task(folder / task)
    return event


def come(task):
    """One more worker, and the training goes on when it wants to come in."""
    def event(launcher, folder):
        launcher.send_signal(signal.SIGUSR1)
        await_task(folder / task)
    return event


# Keras's `fit` alone survives the loss of a task. Variables that replicas write apart have copies of their own under Mirrored, and
# one for all under CentralStorage, as in TensorFlow: steps of one's own may see that.
DEVICE_WAYS = {f"{devices} devices": mirrored(devices) for devices in DEVICES}
WAYS = {
    **DEVICE_WAYS,
    "2 devices with 2 threads": mirrored(2, threads=2),
    "variables on one device": central_storage,
    "saved on 2 devices, resumed on 3": saved(2, 3),
    "2 workers": job("--workers", "2"),
    "3 workers": job("--workers", "3"),
    "2 workers, 2 servers": job("--workers", "2", "--ps", "2", strategy="servers"),
    "3 workers, one is killed": job("--workers", "3", "--max-restarts", "0", event=kill("worker 1")),
    "3 workers, the first is restarted": job("--workers", "3", "--min-workers", "1", "--max-restarts", "1",
                                             event=kill_and_await("worker 0")),
    "2 workers, one comes": job("--workers", "2", "--min-workers", "1", "--max-workers", "3", event=come("worker 2")),
    "2 workers, 2 servers, one of them is killed": job("--workers", "2", "--ps", "2", "--max-restarts", "0", strategy="servers",
                                                       event=kill("ps 1")),
}
JOBS = [name for name in WAYS if "worker" in name]
EVENTS = [name for name in JOBS if "is" in name.split() or "comes" in name]
FIT_ALONE = [name for name in WAYS if "," in name or name == "variables on one device"]


def ways_of(kind, seed, only=None):
    """One of each sort, drawn from the seed; or all whose names contain `only`."""
    possible = [name for name in WAYS if kind == "models" or name not in FIT_ALONE]
    if only:
        return [name for name in possible if only in name]
    draw = random.Random(seed)
    others = [name for name in possible if name not in DEVICE_WAYS and name not in JOBS]
    return (draw.sample(list(DEVICE_WAYS), 2) + [draw.choice(others)]
            + [draw.choice([name for name in JOBS if name in possible])])


# ---- running -------------------------------------------------------------------------------------------


class Verification:
    def __init__(self):
        self.programs = self.runs = self.differences = self.failures = self.not_reached = 0

    def check(self, kind, seed, ways):
        """Runs the program of a seed in these ways, and prints what is not equal to its run on one device."""
        replicas = random.Random(seed + 1).choice(REPLICAS)
        self.programs += 1
        try:
            first = mirrored(1)(kind, seed, replicas)
        except Exception as error:  # a program that cannot run is a fault of this or of Lockstep
            self.failures += 1
            print(f"FAILED {kind} {seed}, {replicas} replicas, 1 device: {type(error).__name__}: {error}", flush=True)
            return
        for way in ways:
            self.runs += 1
            try:
                found = differences(first, WAYS[way](kind, seed, replicas))
            except NotReached:
                self.not_reached += 1
                continue
            except Exception as error:
                self.failures += 1
                print(f"FAILED {kind} {seed}, {replicas} replicas, {way}: {type(error).__name__}: {error}", flush=True)
                continue
            if found:
                self.differences += 1
                print(f"DIFFERENT {kind} {seed}, {replicas} replicas, {way}: {len(found)} of {len(first)} results, the first: "
                      + "; ".join(found[:3]), flush=True)

    def summary(self):
        return (f"random programs: {self.programs} programs, {self.runs} runs besides the first of each, {self.differences} "
                f"differences, {self.failures} failures, {self.not_reached} over before their event")


def span(text):
    first, _, last = text.partition(":")
    return int(first), int(last) if last else int(first) + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=span, default=(0, 100), help="FIRST:LAST, without LAST; or one [0:100]")
    parser.add_argument("--kind", choices=KINDS, help="[both]")
    parser.add_argument("--way", help="only the ways whose names contain this, all of them [one of each sort, drawn]")
    parser.add_argument("--list", action="store_true", help="print the ways")
    options = parser.parse_args()
    if options.list:
        print("\n".join(WAYS))
        return 0
    began, verification = time.monotonic(), Verification()
    for seed in range(*options.seeds):
        for kind in [options.kind] if options.kind else KINDS:
            verification.check(kind, seed, ways_of(kind, seed, options.way))
    print(f"{verification.summary()}, {time.monotonic() - began:.0f} s")
    return 1 if verification.differences or verification.failures or not verification.runs else 0


if __name__ == "__main__":
    sys.exit(main())
