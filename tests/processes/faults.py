#!/usr/bin/env python3
"""Lets workers of a real job die, stop, leave and come: in each case the job must end with status 0, the digest of one
process, and nothing left behind. Prints how long it took to detect a death and to go on.

usage: faults.py --program FILE [CASE | --list | --long [ROUNDS]] [--seed N]

Without a case, all run once; --long runs each case so many times (10), with one seed after another. A failure prints
its seed, which --seed takes back.
"""
import json
import os
import pathlib
import random
import signal
import sys
import time

import trial
from hosts import Hosts
from trial import check, check_reports, equal, wait_until

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from ports import free_ports  # noqa: E402

# 5 steps an epoch, the last one uneven.
DATA = ("--model", "mlp", "--examples", "471", "--batch-size", "100", "--replicas", "8", "--json", "--devices", "1")
STEPS_AN_EPOCH = 5


class Job:
    """A launched job whose workers can be found by index. Without `epochs` it trains until `finish` ends it at a step,
    however fast the machine is."""

    def __init__(self, place, draw, workers=4, epochs=None, least=1, launch=(), train=(), environment=None, servers=0,
                 model=()):
        self.place, self.draw, self.workers, self.epochs = place, draw, workers, epochs
        self.data = (*DATA, *model)
        length = ("--steps", "1000000000") if epochs is None else ("--epochs", str(epochs))
        self.arguments = (*length, *self.data)
        self.servers = servers
        strategy = "parameter_server" if servers else "multi_worker"
        if servers:
            launch = ("--ps", str(servers), "--min-ps", "0", *launch)
        if "--max-restarts" not in launch:
            launch = ("--max-restarts", "0", *launch)
        environment = {"LOCKSTEP_LOG": "debug", **(environment or {})}
        self.killed = []
        self.launch = place.start(
            [place.program, "launch", "--workers", str(workers), "--min-workers", str(least), "--json", *launch, "--",
             place.program, "train", "--strategy", strategy, "--verbose", "2", *self.arguments, *train],
            "launch", **environment)

    @classmethod
    def of(cls, place, draw, launch):
        """A job that was launched otherwise."""
        job = cls.__new__(cls)
        job.place, job.draw, job.launch, job.killed = place, draw, launch, []
        return job

    def processes(self):
        """{index: process number} of the workers that run now, and {"ps 1": ...} of the servers."""
        found = {}
        for pid in self.place.pids():
            try:
                variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            task = [text[14:].decode() for text in variables if text.startswith(b"LOCKSTEP_TASK=")]
            if task and b"train" in command:
                job, index = task[0].split()
                found[int(index) if job == "worker" else task[0]] = pid
        return found

    def wait_until(self, done, what, seconds=trial.PATIENCE):
        wait_until(done, what, [self.launch], seconds)

    def wait_until_all_take_a_wish(self):
        self.wait_until(lambda: sum(map(self.ends_at_a_step, self.processes().values())) == self.workers,
                        f"{self.workers} that take a wish to end")

    def epochs_done(self):
        # "worker 0 | Epoch 3/100" begins the line of an epoch that is over.
        return self.launch.out().count("| Epoch ")

    def wait_for_epoch(self, count):
        self.wait_until(lambda: self.epochs_done() >= count, f"epoch {count}")

    def memberships(self):
        return [line for line in self.launch.err().splitlines() if "multi_worker: epoch " in line]

    def wait_for_members(self, count, seconds=30):
        """Until the newest membership that anybody told of has so many tasks."""
        def reached():
            lines = self.memberships()
            newest = max((int(line.split("multi_worker: epoch ")[1].split(":")[0]), line.count(" at "))
                         for line in lines) if lines else (0, 0)
            # The reason, in brackets, names tasks too.
            line = [text for text in lines if f"epoch {newest[0]}:" in text][0] if lines else ""
            return line.split(" (")[0].count(" at ") == count
        self.wait_until(reached, f"a membership of {count}", seconds)

    def signal(self, index, number):
        os.kill(self.processes()[index], number)

    def random_worker(self, but=()):
        workers = [index for index in self.processes() if isinstance(index, int)]
        return self.draw.choice([index for index in sorted(workers) if index not in but])

    def kill(self, *indices):
        """Kills these at once, and prints how long it took until the others had a new membership."""
        running = self.processes()
        pids = [running[index] for index in indices]
        self.killed += [f"worker {index}" if isinstance(index, int) else index for index in indices]
        self.place.note_sockets()
        before = len(self.memberships())
        begin = time.monotonic()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return begin, before

    def time_to_new_membership(self, since):
        begin, before = since
        self.wait_until(lambda: len(self.memberships()) > before or not self.launch.running(), "a new membership")
        print(f"  new membership {1000 * (time.monotonic() - begin):.0f} ms after the signal")

    @staticmethod
    def ends_at_a_step(pid):
        """Whether the process takes SIGINT for a wish: not while it starts, when it would be one more loss."""
        try:
            lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            return False
        caught = [int(line.split()[1], 16) for line in lines if line.startswith("SigCgt:")]
        return bool(caught) and bool(caught[0] >> (signal.SIGINT - 1) & 1)

    @staticmethod
    def interrupt(pid):
        try:
            os.kill(pid, signal.SIGINT)
        except ProcessLookupError:
            pass  # another one's word was quicker

    def finish(self, workers=None, seconds=trial.PATIENCE, servers=None, may_miss_none=False):
        """The report; compared with one process's, and with how many workers were there at the end.

        `may_miss_none`: all may have been done before they missed who was killed.
        """
        if self.epochs is None:
            self.wait_for_epoch(self.epochs_done() + 5)
            for index, pid in self.processes().items():
                if isinstance(index, int) and self.ends_at_a_step(pid):
                    self.interrupt(pid)
        equal(self.launch.wait(seconds), 0, "the status of the job")
        report = self.launch.objects()[-1]
        check("weights_digest" in report, f"the last line must be the report; got {report}")
        lost = [loss["lost"] for loss in report.get("losses", [])]
        if lost or not may_miss_none:
            equal(sorted(lost), sorted(self.killed), "the tasks lost")
        if self.servers:
            equal(report["servers"], self.servers if servers is None else servers, "the number of servers")
        length = self.arguments[:2] if self.epochs is not None else ("--steps", str(report["steps"]))
        alone = self.place.alone([*length, *self.data, "--verbose", "0"])
        check_reports(report, alone, report["workers"] if workers is None else workers)
        for recovery in report.get("recoveries", []):
            print(f"  lost {recovery['lost']}: detected after {recovery['detected_ms']:.1f} ms, "
                  f"resumed {recovery['resumed_ms']:.1f} ms later")
        return report


# ---- the cases ------------------------------------------------------------------------------------------


def kill_a_worker(place, draw):
    """A random one that does not lead, at a random moment."""
    job = Job(place, draw)
    job.wait_for_epoch(draw.randrange(1, 80))
    since = job.kill(job.random_worker(but=(0,)))
    job.time_to_new_membership(since)
    job.finish(workers=3)


def kill_the_coordinator(place, draw):
    job = Job(place, draw)
    job.wait_for_epoch(draw.randrange(1, 80))
    job.time_to_new_membership(job.kill(0))
    job.finish(workers=3)


def kill_two_at_once(place, draw):
    """Two of the three that vote, or one of them, as it comes; and perhaps the two that have the copies of something."""
    job = Job(place, draw)
    job.wait_for_epoch(draw.randrange(1, 80))
    job.time_to_new_membership(job.kill(*draw.sample(range(4), 2)))
    job.finish(workers=2)


def kill_one_after_the_other(place, draw):
    """While the others recover from the first death."""
    job = Job(place, draw)
    job.wait_for_epoch(draw.randrange(1, 60))
    first, second = draw.sample(range(4), 2)
    job.kill(first)
    time.sleep(draw.uniform(0, 0.06))
    job.kill(second)
    job.finish(workers=2)


def kill_during_start(place, draw):
    """A worker that is started again; at any moment between its start and its first step."""
    job = Job(place, draw, launch=("--max-restarts", "3"))
    job.wait_until(lambda: len(job.processes()) == 4, "four processes")
    time.sleep(draw.uniform(0, 0.3))
    job.kill(job.random_worker())
    job.wait_until_all_take_a_wish()
    job.finish()


def kill_while_saving(place, draw):
    saves = place.folder / "saves"
    job = Job(place, draw, train=("--checkpoint", str(saves), "--checkpoint-every", "3"))
    job.wait_for_epoch(draw.randrange(1, 60))
    known = set(os.listdir(saves))
    job.wait_until(lambda: set(os.listdir(saves)) - known, "one more save")
    job.kill(draw.choice((0, job.random_worker())))
    more = job.finish(workers=3)["steps"] + 7
    arguments = ("--steps", str(more), *job.data, "--verbose", "0")
    resumed = place.run([place.program, "train", *arguments, "--resume", saves], "resumed").objects()[-1]
    equal(resumed["weights_digest"], place.alone(arguments)["weights_digest"],
          "the digest of a training that goes on from the last save")


def kill_at_the_last_step(place, draw):
    job = Job(place, draw, epochs=30)
    job.wait_for_epoch(29)
    time.sleep(draw.uniform(0, 0.01))
    try:
        job.kill(draw.randrange(4))
    except (KeyError, ProcessLookupError):
        job.killed = []  # it was through already
    job.finish(may_miss_none=True)


def stop_for_five_seconds(place, draw):
    """Who does not answer is left out, and comes again as soon as it can."""
    job = Job(place, draw, epochs=None)
    job.wait_for_epoch(20)
    stopped = job.random_worker()
    place.note_sockets()
    job.signal(stopped, signal.SIGSTOP)
    begin = time.monotonic()
    try:
        job.wait_for_members(3)
        print(f"  left out after {1000 * (time.monotonic() - begin):.0f} ms")
        before = job.epochs_done()
        time.sleep(max(0, 5 - (time.monotonic() - begin)))
        check(job.epochs_done() > before, "the others must go on")
    finally:
        job.signal(stopped, signal.SIGCONT)
    begin = time.monotonic()
    job.wait_for_members(4)
    print(f"  in again after {1000 * (time.monotonic() - begin):.0f} ms")
    job.finish(workers=4)


def stop_at_the_last_step(place, draw):
    """Who was left out when all is done ends well, whether it can evaluate by itself or has missed the end."""
    job = Job(place, draw, epochs=30)
    job.wait_for_epoch(draw.choice((28, 29, 30)))
    time.sleep(draw.uniform(0, 0.02))
    stopped = job.processes().get(draw.randrange(4))
    if stopped is not None:
        os.kill(stopped, signal.SIGSTOP)
        time.sleep(draw.uniform(2.5, 4))
        os.kill(stopped, signal.SIGCONT)
    begin = time.monotonic()
    job.finish()
    print(f"  all ended {1000 * (time.monotonic() - begin):.0f} ms after SIGCONT")
    check(" ended with " not in job.launch.err(), f"no task may fail; got {job.launch.err()}")


def told_to_end_while_left_out(place, draw):
    """By SIGTERM to the launcher, while one is stopped, before or after the others have left it out."""
    saves = place.folder / "saves"
    job = Job(place, draw, epochs=100_000, train=("--checkpoint", str(saves)))
    job.wait_for_epoch(draw.randrange(2, 30))
    stopped = job.processes()[draw.randrange(4)]
    os.kill(stopped, signal.SIGSTOP)
    if draw.random() < 0.7:
        job.wait_for_members(3)
    begin = time.monotonic()
    os.kill(job.launch.pid, signal.SIGTERM)
    time.sleep(draw.uniform(0, 4))
    os.kill(stopped, signal.SIGCONT)
    check(job.launch.wait(trial.PATIENCE) in (0, 128 + signal.SIGTERM), "the status must tell of the signal, or be 0")
    print(f"  all ended {1000 * (time.monotonic() - begin):.0f} ms after SIGTERM")
    check("Aborted" not in job.launch.err(), f"no task may be aborted; got {job.launch.err()}")
    place.check_nothing_is_left()
    arguments = ("--epochs", "60", *DATA, "--verbose", "0")
    resumed = place.run([place.program, "train", *arguments, "--resume", saves], "resumed").objects()[-1]
    equal(resumed["weights_digest"], place.alone(arguments)["weights_digest"], "the digest after going on")


def leave_by_sigterm(place, draw):
    job = Job(place, draw)
    job.wait_for_epoch(draw.randrange(1, 60))
    place.note_sockets()
    job.signal(draw.randrange(4), signal.SIGTERM)
    job.wait_for_members(3)
    job.finish(workers=3)


def join(place, draw):
    job = Job(place, draw, workers=2, epochs=None, launch=("--max-workers", "3"))
    job.wait_for_epoch(draw.randrange(1, 60))
    begin = time.monotonic()
    os.kill(job.launch.pid, signal.SIGUSR1)
    job.wait_for_members(3)
    print(f"  one worker more after {1000 * (time.monotonic() - begin):.0f} ms")
    job.finish(workers=3)


def join_without_a_launcher(place, draw):
    """No launcher of ours: the tasks themselves say how many may come, and a third one comes to two."""
    addresses = [f"127.0.0.1:{port}" for port in free_ports(3)]

    def start(index, known):
        description = {"cluster": {"worker": addresses[:known]}, "task": {"type": "worker", "index": index}}
        return place.start([place.program, "train", "--strategy", "multi_worker", "--verbose", "2",
                            "--min-workers", "1", "--max-workers", "3", "--steps", "1000000000", *DATA],
                           f"worker {index}", TF_CONFIG=json.dumps(description),
                           LOCKSTEP_TOKEN="the job's", LOCKSTEP_LOG="debug")

    def epochs_done():
        return tasks[0].out().count("Epoch ")
    tasks = [start(index, 2) for index in range(2)]
    wait_until(lambda: epochs_done() > 0, "two workers that train", tasks)
    tasks.append(start(2, 3))
    wait_until(lambda: "(worker 2 at " in tasks[0].err() and Job.ends_at_a_step(tasks[2].pid), "a third one", tasks)
    before = epochs_done()
    wait_until(lambda: epochs_done() > before + 5, "more epochs of the three", tasks)
    for task in tasks:
        Job.interrupt(task.pid)
    for task in tasks:
        equal(task.wait(trial.PATIENCE), 0, f"the status of {task.name}")
    report = tasks[0].objects()[-1]
    check_reports(report, place.alone([*DATA, "--steps", str(report["steps"]), "--verbose", "0"]), 3)


def restart(place, draw):
    """A worker that is killed comes back."""
    job = Job(place, draw, epochs=None, launch=("--max-restarts", "1"))
    job.wait_for_epoch(draw.randrange(1, 60))
    job.kill(draw.randrange(4))
    job.wait_for_members(3)
    job.wait_for_members(4)
    report = job.finish(workers=4)
    equal([loss["restarted"] for loss in report["losses"]], [True], "the tasks started again")


def shrink_to_one_and_grow(place, draw):
    job = Job(place, draw, epochs=None, launch=("--max-workers", "4"))
    for left in (3, 2, 1):
        job.wait_for_epoch(job.epochs_done() + draw.randrange(1, 10))
        job.kill(job.random_worker())
        job.wait_for_members(left)
    for there in (2, 3, 4):
        job.wait_for_epoch(job.epochs_done() + draw.randrange(1, 10))
        os.kill(job.launch.pid, signal.SIGUSR1)
        job.wait_for_members(there)
    job.finish(workers=4)


def kill_with_default_flags(place, draw):
    """Ten jobs of four workers without any flag about deaths: one worker is killed before the first step, in the middle or
    near the end. The survivors continue, the worker is restarted, and three lines say so."""
    arguments = ("--epochs", "600", *DATA)
    alone = place.alone([*arguments, "--verbose", "0"])
    rejoined = 0
    for moment in ("before", "middle", "end") * 3 + ("middle",):
        launch = place.start([place.program, "launch", "--workers", "4", "--", place.program, "train", "--strategy",
                              "multi_worker", "--verbose", "2", *arguments], f"launch {moment}", LOCKSTEP_LOG="info")
        job = Job.of(place, draw, launch)
        if moment == "before":
            job.wait_until(lambda: len(job.processes()) == 4, "four processes")
            time.sleep(draw.uniform(0, 0.3))
        else:
            job.wait_for_epoch(draw.randrange(1, 100) if moment == "middle" else 599)
        try:
            victim = draw.randrange(4)
            pid = job.processes()[victim]
            os.kill(pid, signal.SIGKILL)
        except (KeyError, ProcessLookupError):
            pid = None  # the job was quicker
        equal(launch.wait(trial.PATIENCE), 0, f"the status of the job with a death {moment}")
        report = [json.loads(line.split(" | ", 1)[1]) for line in launch.out().splitlines() if " | {" in line][0]
        for key in trial.COMPARED:
            equal(report[key], alone[key], f"{key} after a death {moment}")
        if moment == "middle" and pid is not None:
            for text in (f"worker {victim} (pid {pid}) was killed by signal 9 (Killed); starting it again (1 of 3)",
                         f"worker {victim} lost; continuing on 3 workers after replaying "):
                equal(launch.err().count(text), 1, f"how often the log says '{text}'")
            joined = launch.err().count(f"worker {victim} was restarted and joined at step ")
            check(joined == 1 or "the others have come to the end of the job" in launch.err(),
                  f"the restarted worker must join, or come after the end; got {launch.err()}")
            rejoined += joined
    check(rejoined > 0, "no worker that was killed in the middle joined again")


def kill_a_server_with_default_flags(place, draw):
    """Of parameter-server jobs, any task."""
    arguments = ("--epochs", "300", *DATA)
    alone = place.alone([*arguments, "--verbose", "0"])
    for victim in ("ps 0", "ps 1", 0, 1):
        launch = place.start([place.program, "launch", "--workers", "2", "--ps", "2", "--", place.program, "train",
                              "--strategy", "parameter_server", "--verbose", "2", *arguments], f"launch {victim}")
        job = Job.of(place, draw, launch)
        job.wait_for_epoch(draw.randrange(1, 100))
        job.signal(victim, signal.SIGKILL)
        equal(launch.wait(trial.PATIENCE), 0, f"the status of the job without {victim}")
        report = [json.loads(line.split(" | ", 1)[1]) for line in launch.out().splitlines() if " | {" in line][0]
        for key in trial.COMPARED:
            equal(report[key], alone[key], f"{key} after the death of {victim}")


def kill_all(place, draw):
    """Every copy is lost: the job begins anew, from the seed."""
    job = Job(place, draw, launch=("--max-restarts", "1"))
    job.wait_for_epoch(draw.randrange(1, 80))
    begin, before = time.monotonic(), job.epochs_done()
    job.kill(*range(4))
    job.wait_until_all_take_a_wish()
    done = job.epochs_done()
    job.wait_for_epoch(done + before)
    print(f"  all killed after {before} epochs, which were done again in {time.monotonic() - begin:.1f} s")
    job.finish(workers=4)


def stop_all(place, draw):
    """By SIGTERM to the launcher: all end at a step, and are saved there."""
    saves = place.folder / "saves"
    job = Job(place, draw, epochs=100_000, train=("--checkpoint", str(saves)))
    job.wait_for_epoch(draw.randrange(2, 30))
    os.kill(job.launch.pid, signal.SIGTERM)
    check(job.launch.wait(trial.PATIENCE) in (0, 128 + signal.SIGTERM), "the status must tell of the signal, or be 0")
    place.check_nothing_is_left()
    arguments = ("--epochs", "60", *DATA, "--verbose", "0")
    resumed = place.run([place.program, "train", *arguments, "--resume", saves], "resumed").objects()[-1]
    equal(resumed["weights_digest"], place.alone(arguments)["weights_digest"], "the digest after going on")


def too_few_are_left(place, draw):
    """Below --min-workers the job ends with the status of the task that it misses, and a save to go on from."""
    saves = place.folder / "saves"
    job = Job(place, draw, epochs=100_000, least=3, train=("--checkpoint", str(saves)))
    job.wait_for_epoch(draw.randrange(2, 30))
    job.kill(draw.randrange(4))
    job.wait_for_members(3)
    job.wait_for_epoch(job.epochs_done() + 2)
    job.kill(job.random_worker())
    equal(job.launch.wait(trial.PATIENCE), 128 + signal.SIGKILL, "the status")
    place.check_nothing_is_left()
    arguments = ("--epochs", "300", *DATA, "--verbose", "0")
    resumed = place.run([place.program, "train", *arguments, "--resume", saves], "resumed").objects()[-1]
    equal(resumed["weights_digest"], place.alone(arguments)["weights_digest"], "the digest after going on")


def servers_undisturbed(place, draw):
    """Every model, short: two workers and two servers."""
    for model, more in (("cnn", ("--batch-size", "32", "--examples", "96")),
                        ("gpt", ("--batch-size", "4", "--examples", "8"))):
        arguments = ("--model", model, *more, "--epochs", "1", "--replicas", "2", "--devices", "1", "--json",
                     "--verbose", "0")
        report = place.run([place.program, "launch", "--workers", "2", "--ps", "2", "--json", "--", place.program,
                            "train", "--strategy", "parameter_server", *arguments], model, 300).objects()[-1]
        check_reports(report, place.alone(arguments), 2)
        print(f"  {model}: {report['steps']} steps, digest {report['weights_digest']}")


def servers_kill_a_server(place, draw):
    job = Job(place, draw, workers=2, servers=2, epochs=None)
    job.wait_for_epoch(draw.randrange(1, 80))
    job.time_to_new_membership(job.kill(f"ps {draw.randrange(2)}"))
    job.finish(workers=2, servers=1)


def servers_kill_a_worker(place, draw):
    """Also the one that leads."""
    job = Job(place, draw, workers=2, servers=1, epochs=None)
    job.wait_for_epoch(draw.randrange(1, 80))
    job.time_to_new_membership(job.kill(draw.randrange(2)))
    job.finish(workers=1)


def servers_kill_all(place, draw):
    """The workers take the rows."""
    job = Job(place, draw, workers=2, servers=3, epochs=None)
    job.wait_for_epoch(draw.randrange(1, 80))
    job.kill("ps 0", "ps 1", "ps 2")
    job.finish(workers=2, servers=0)


def servers_come_again(place, draw):
    """One, then all of them; and a worker."""
    job = Job(place, draw, workers=2, servers=2, epochs=None, launch=("--max-restarts", "3"))
    for victims in (("ps 1",), ("ps 0", "ps 1"), (job.draw.randrange(2),)):
        job.wait_for_epoch(job.epochs_done() + draw.randrange(2, 30))
        job.kill(*victims)
        job.wait_for_members(4 - len(victims))
        job.wait_for_members(4)
    report = job.finish(workers=2)
    equal([loss["restarted"] for loss in report["losses"]], [True] * 4, "the tasks started again")


def servers_hold_the_job(place, draw):
    """All workers die, and come into the job that the server has kept."""
    job = Job(place, draw, workers=2, servers=1, epochs=None, launch=("--max-restarts", "1"))
    job.wait_for_epoch(draw.randrange(1, 60))
    job.kill(0, 1)
    job.wait_for_members(1)
    job.wait_for_members(3)
    report = job.finish(workers=2)
    check("parameter_server" in report["strategy"], "a worker must report")


def check_updates(job, most=None):
    """The report of a job whose workers train each for itself: every batch must count once."""
    equal(job.launch.wait(trial.PATIENCE), 0, "the status of the job")
    report = job.launch.objects()[-1]
    equal(report["steps"], job.epochs * STEPS_AN_EPOCH, "the steps")
    equal(report["updates"], report["steps"], "the updates that count")
    equal(sum(report["staleness"].values()), report["updates"], "the updates by staleness")
    if most is not None:
        check(max(map(int, report["staleness"])) <= most, f"no staleness above {most}; got {report['staleness']}")
    check(report["loss"] < 0.5, f"training must get somewhere; got a loss of {report['loss']}")
    print(f"  staleness {report['staleness']}")
    return report


def asynchronous_kill_a_worker_and_a_server(place, draw):
    job = Job(place, draw, workers=3, servers=2, epochs=1200, train=("--mode", "asynchronous"))
    job.wait_for_epoch(draw.randrange(1, 80))
    job.time_to_new_membership(job.kill(job.random_worker(but=(0,))))
    job.wait_for_members(4)
    job.wait_for_epoch(job.epochs_done() + draw.randrange(1, 40))
    job.kill(f"ps {draw.randrange(2)}")
    equal(check_updates(job)["servers"], 1, "the number of servers")


def bounded_in_turn_kill_any(place, draw):
    """One update after the other: the digest of one process, whoever dies."""
    job = Job(place, draw, workers=2, servers=2, train=("--mode", "bounded"))
    job.wait_for_epoch(draw.randrange(1, 80))
    server = draw.randrange(2)
    job.time_to_new_membership(job.kill(*draw.choice(((f"ps {server}",), (1,)))))
    job.finish(workers=1 if job.killed == ["worker 1"] else 2, servers=2 if job.killed == ["worker 1"] else 1)


def bounded_with_slow_tasks(place, draw):
    """One is held up again and again; nobody runs further ahead of it than the bound."""
    job = Job(place, draw, workers=3, servers=1, epochs=800, train=("--mode", "bounded", "--staleness", "2"))
    for _ in range(8):
        job.wait_for_epoch(job.epochs_done() + 1)
        slow = job.random_worker(but=(0,))
        job.signal(slow, signal.SIGSTOP)
        time.sleep(draw.uniform(0, 0.2))
        job.signal(slow, signal.SIGCONT)
    check_updates(job, most=2)


def evaluator_follows_the_saves(place, draw):
    """It is there before the first save, evaluates the last one, and ends by itself."""
    saves = place.folder / "saves"
    job = Job(place, draw, workers=1, servers=1, epochs=20, launch=("--evaluator",), train=("--checkpoint", str(saves)))
    report = job.finish(workers=1)
    lines = [line.split(" | ", 1)[1] for line in job.launch.out().splitlines() if line.startswith("evaluator 0 | {")]
    last = json.loads(lines[-1])
    equal(last["training_is_over"], True, "the last evaluation's word")
    for key in ("weights_digest", "test_loss", "test_accuracy", "steps"):
        equal(last[key], report[key], f"the evaluator's {key}")
    # Saves of others, torn and vanishing ones; asked to end, it ends.
    environment = {"TF_CONFIG": json.dumps({"cluster": {"worker": ["127.0.0.1:1"]},
                                            "task": {"type": "evaluator", "index": 0}}), "LOCKSTEP_LOG": "warning"}
    other = place.folder / "other"
    other.mkdir()
    (other / "save-7.lockstep").write_bytes(b"torn")
    evaluator = place.start([place.program, "train", *job.arguments[2:], "--epochs", "21", "--checkpoint", other],
                            "evaluator", **environment)
    wait_until(lambda: "trying it again" in evaluator.err(), "a warning of a torn save")
    (other / "save-7.lockstep").unlink()
    whole = saves / f"save-{report['steps']}.lockstep"
    (other / whole.name).write_bytes(whole.read_bytes())
    wait_until(lambda: evaluator.out(), "an evaluation")
    os.kill(evaluator.pid, signal.SIGTERM)
    equal(evaluator.wait(trial.PATIENCE), 0, "the evaluator's status")
    equal([line["weights_digest"] for line in evaluator.objects()], [report["weights_digest"]], "what it evaluated")


def between(place, draw, count=2, **more):
    """A job of four workers over hosts, with keys."""
    hosts = Hosts(place, count)
    place.run([place.program, "cert", "--out", place.folder / "keys"], "cert")
    job = Job(place, draw, launch=("--hosts", ",".join(hosts.addresses), "--env", "LOCKSTEP_CREDENTIALS"),
              environment={"LOCKSTEP_CREDENTIALS": str(place.folder / "keys"),
                           "LOCKSTEP_REMOTE_SHELL": hosts.remote_shell()}, **more)
    return hosts, job


def hosts_undisturbed(place, draw):
    hosts, job = between(place, draw, epochs=20)
    job.finish(workers=4)
    hosts.end()


def hosts_kill_a_worker(place, draw):
    hosts, job = between(place, draw)
    job.wait_for_epoch(draw.randrange(1, 60))
    job.time_to_new_membership(job.kill(job.random_worker()))
    job.finish(workers=3)
    hosts.end()


def hosts_kill_a_host(place, draw):
    """Both workers of one host at once: the other host goes on, by the launcher's word if it must."""
    hosts, job = between(place, draw)
    job.wait_for_epoch(draw.randrange(1, 60))
    job.time_to_new_membership(job.kill(*draw.choice(((0, 1), (2, 3)))))
    job.finish(workers=2)
    hosts.end()


def hosts_cut_and_heal(place, draw):
    """The side with two of the three that vote goes on; the other comes back when the cable is in again."""
    hosts, job = between(place, draw, epochs=None)
    job.wait_for_epoch(20)
    place.note_sockets()
    begin = time.monotonic()
    hosts.cut(1)
    job.wait_for_members(2)
    print(f"  cut off after {1000 * (time.monotonic() - begin):.0f} ms")
    time.sleep(draw.uniform(0.5, 2))
    hosts.heal(1)
    begin = time.monotonic()
    job.wait_for_members(4)
    print(f"  together again {1000 * (time.monotonic() - begin):.0f} ms after the cable")
    job.finish(workers=4)
    hosts.end()


def hosts_cut_for_long(place, draw):
    """Longer than a worker that was left out looks for somebody who leads: it counts from when the cable is in again."""
    hosts, job = between(place, draw)
    job.wait_for_epoch(draw.randrange(1, 20))
    begin = time.monotonic()
    hosts.cut(1)
    job.wait_for_members(2)
    print(f"  cut off after {1000 * (time.monotonic() - begin):.0f} ms")
    time.sleep(12)
    hosts.heal(1)
    begin = time.monotonic()
    job.wait_for_members(4)
    print(f"  together again {1000 * (time.monotonic() - begin):.0f} ms after the cable")
    job.finish(workers=4)
    hosts.end()


def hosts_cut_until_the_others_have_finished(place, draw):
    """Without a launcher: a host with two of four workers is cut off for 8 s, while the other one finishes. The two that were
    cut off end soon after the cable is in again."""
    hosts = Hosts(place, 2)
    place.run([place.program, "cert", "--out", place.folder / "keys"], "cert")
    shell = hosts.remote_shell()
    addresses = [f"{hosts.addresses[index // 2]}:{7001 + index}" for index in range(4)]
    tasks = []
    for index, address in enumerate(addresses):
        description = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        tasks.append(place.start([shell, address.split(":")[0], "exec", place.program, "train", "--strategy", "multi_worker",
                                  "--verbose", "2", "--epochs", "1200", *DATA], f"worker {index}",
                                 TF_CONFIG=json.dumps(description), LOCKSTEP_CREDENTIALS=str(place.folder / "keys"),
                                 LOCKSTEP_LOG="info"))
    wait_until(lambda: tasks[0].out().count("Epoch ") > 20, "four workers that train", tasks)
    hosts.cut(1)
    begin = time.monotonic()
    for task in tasks[:2]:
        equal(task.wait(trial.PATIENCE), 0, f"the status of {task.name}")
    finished = time.monotonic() - begin
    print(f"  the majority finished {finished:.1f} s after the cut")
    time.sleep(max(0, 8 - finished))
    hosts.heal(1)
    begin = time.monotonic()
    for task in tasks[2:]:
        equal(task.wait(40), 1, f"the status of {task.name}")
        check("this worker was cut off from the others, and they have ended" in task.err(), f"the reason; got {task.err()}")
    print(f"  those cut off ended {time.monotonic() - begin:.1f} s after the cable was in again")
    check_reports(tasks[0].objects()[-1], place.alone(["--epochs", "1200", *DATA, "--verbose", "0"]), 2)
    hosts.end()


CASES = (servers_undisturbed, servers_kill_a_server, servers_kill_a_worker, servers_kill_all, servers_come_again,
         servers_hold_the_job, evaluator_follows_the_saves, asynchronous_kill_a_worker_and_a_server,
         bounded_in_turn_kill_any, bounded_with_slow_tasks,
         kill_a_worker, kill_the_coordinator, kill_two_at_once, kill_one_after_the_other, kill_during_start,
         kill_while_saving, kill_at_the_last_step, stop_for_five_seconds,
         stop_at_the_last_step, told_to_end_while_left_out, leave_by_sigterm, join,
         join_without_a_launcher, restart, kill_with_default_flags,
         kill_a_server_with_default_flags, shrink_to_one_and_grow, kill_all, stop_all, too_few_are_left,
         hosts_undisturbed, hosts_kill_a_worker,
         hosts_kill_a_host, hosts_cut_and_heal, hosts_cut_for_long, hosts_cut_until_the_others_have_finished)


def run_with_seed(case, options, seed):
    name = f"{case.__name__}, seed {seed}"
    print(name, flush=True)
    draw = random.Random(f"{case.__name__} {seed}")
    return trial.run_and_tell(name, trial.run_with_trial, case, options.program, draw)


def main():
    parser = trial.parser_of(__doc__, CASES)
    parser.add_argument("--long", nargs="?", type=int, const=10, default=1, metavar="ROUNDS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.list:
        return trial.print_names(CASES)
    statuses = [run_with_seed(case, options, seed)
                for seed in range(options.seed, options.seed + options.long)
                for case in CASES if options.case in (None, case.__name__)]
    failed = sum(status not in (0, trial.SKIPPED) for status in statuses)
    print(f"{statuses.count(0)} passed, {failed} failed, {statuses.count(trial.SKIPPED)} skipped")
    return 1 if failed else statuses[0] if len(statuses) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
