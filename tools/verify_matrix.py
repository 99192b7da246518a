#!/usr/bin/env python3
"""Trains each model of the command in many ways that must not show, and compares the digests.

usage: verify_matrix.py [--short | --whole | --self-test] [--program FILE] [--mnist DIR] [--text FILE]
                        [--only TEXT] [--one-process] [--seconds-per-run N]

What is trained (model, data, batch, replicas, optimizer, clipping, seed, steps) makes a group; how it is trained
(devices, workers, threads, passes, fusing, buckets, op by op, saved and resumed, instruction set) makes the runs of a group. All
runs of a group must give one digest of weights and state, and the same losses. Each run must also have been what it
was asked to be, by its own report. Exit status: 0 all equal, 1 a difference or a failed run, 2 bad usage.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPTIMIZERS = ("sgd momentum nesterov rmsprop adagrad adadelta adam adamw amsgrad nadam adamax ftrl lion lamb adafactor "
              "muon").split()
HALF = ("--dtype-policy", "mixed_bfloat16")
CLIPPING = (("--clipnorm", "0.05"), ("--clipvalue", "0.001"), ("--global-clipnorm", "0.05"))
REPLICAS = (1, 3, 8)
DEVICES = (1, 2, 3, 4, 5, 8)
WORKERS = (1, 2, 3, 4, 8)
COMPARED = ("weights_digest", "state_digest", "steps", "loss", "accuracy", "test_loss", "test_accuracy")

Group = collections.namedtuple("Group", "name arguments ways steps")
# `asked`: what the run's report must say, a list of (words, test of (report, report of the group's first run)).
# `stops`: the run ends after so many steps, is saved, and is resumed with `arguments`; None: it runs through.
Way = collections.namedtuple("Way", "name arguments asked before", defaults=((), None))


class Failure(Exception):
    pass


# ---- how a program may be carried out ----------------------------------------------------------------


def says(key, value):
    return (f"{key} {value}", lambda report, first: report[key] == value)


def on(devices, *arguments, name=None, asked=(), before=None):
    return Way(name or f"{devices} devices", ("--devices", str(devices)) + arguments,
               (says("devices", devices),) + tuple(asked), before)


def over(workers, devices, *arguments, name=None, before=None):
    """Processes that `lockstep launch` starts on this machine."""
    return Way(name or f"{workers} workers with {devices} devices",
               ("--workers", str(workers), "--devices", str(devices)) + arguments,
               (says("workers", workers), says("devices", devices)), before)


def served(workers, servers, devices):
    """The same with parameter servers."""
    way = over(workers, devices, "--ps", str(servers),
               name=f"{workers} workers with {devices} devices, {servers} servers")
    return way._replace(asked=way.asked + (says("servers", servers),))


def kernels(report):
    return report["plan"]["kernels"]


PLANNED = ("a plan with chunks", lambda report, first: kernels(report) > 0 and report["plan"]["chunked"] > 0)
UNPASSED = ("more kernels than with passes", lambda report, first: kernels(report) > kernels(first))
UNFUSED = ("no chunks", lambda report, first: kernels(report) > 0 and report["plan"]["chunked"] == 0)
EAGER = ("no plan", lambda report, first: kernels(report) == 0)
BUCKETS = ("more phases than without buckets",
           lambda report, first: report["plan"]["phases"] > first["plan"]["phases"])
NO_BUCKETS = ("as few phases as there can be",
              lambda report, first: 0 < report["plan"]["phases"] <= first["plan"]["phases"])


def resumed(first, devices):
    """Runs the first half of the steps on `first` devices, saves, and goes on on `devices`."""
    return on(devices, name=f"saved on {first} devices, resumed on {devices}", before=("--devices", str(first)))


def ways(short):
    everything = [
        on(1, name="1 device", asked=(PLANNED,)),
        on(3, "--threads", "2", name="3 devices, 2 threads", asked=(says("threads", 2),)),
        on(3, "--passes", "off", name="no passes", asked=(UNPASSED,)),
        on(2, "--fuse", "off", name="no fusing", asked=(UNFUSED,)),
        on(2, "--bucket-bytes", "0", name="no buckets", asked=(NO_BUCKETS,)),
        on(3, "--bucket-bytes", "256", name="small buckets", asked=(BUCKETS,)),
        on(2, "--eager", name="op by op", asked=(EAGER,)),
        resumed(2, 5),
        over(2, 1),
        over(3, 2),
        served(2, 1, 1),
        served(1, 2, 2),
        on(3, "--strategy", "central_storage", name="variables on one device",
           asked=(says("strategy", "central_storage"),)),
        over(3, 1, name="saved by 2 workers, resumed by 3", before=("--workers", "2", "--devices", "1")),
    ]
    if not short:
        everything += [over(workers, devices) for workers in WORKERS for devices in (1, 2)
                       if (workers, devices) not in ((2, 1), (3, 2))]
        everything += [served(workers, servers, 1) for workers in (1, 2, 4) for servers in (1, 2, 3)
                       if (workers, servers) != (2, 1)]
        everything += [
            on(1, "--threads", "2", name="1 device, 2 threads", asked=(says("threads", 2),)),
            on(5, "--passes", "off", "--fuse", "off", name="no passes, no fusing", asked=(UNPASSED, UNFUSED)),
        ]
    return sweep(DEVICES[1:] if not short else (2, 3, 5, 8), everything)


def sweep(devices, others=()):
    return list(others[:1]) + [on(count) for count in devices] + list(others[1:])


def with_isa(isa, listed):
    return [way._replace(name=f"{way.name}, {isa}", arguments=way.arguments + ("--isa", isa),
                         asked=way.asked + (says("isa", isa),),
                         before=way.before and way.before + ("--isa", isa)) for way in listed]


# ---- what is trained -----------------------------------------------------------------------------------


def group(model, replicas, ways, steps, data, optimizer=None, further=()):
    arguments = ("--model", model, "--replicas", str(replicas)) + tuple(data)
    arguments += ("--optimizer", optimizer) if optimizer else ()
    words = [model, optimizer or "default", f"{replicas} replicas", f"{steps} steps", *further]
    return Group(" ".join(words), arguments + tuple(further), ways, steps)


def short_groups(options):
    """Seconds on two cores: all models, all optimizers and clippings, every way; few steps, an uneven end each."""
    mlp = ("--batch-size", "100", "--examples", "471")  # 5 steps, the last with 71 examples
    cnn = ("--batch-size", "100", "--examples", "157")
    gpt = ("--batch-size", "12", "--examples", "22")
    few = ways(short=True)
    groups = [group("mlp", replicas, few, 8, mlp) for replicas in REPLICAS]
    thin = sweep((3,), few[:1] + [way for way in few if "op by op" in way.name]) + [over(2, 1), over(3, 1)]
    groups += [group("mlp", 3, thin, 6, mlp, name) for name in OPTIMIZERS if name != "adam"]
    groups += [group("mlp", 3, thin, 6, mlp, "sgd", clipping) for clipping in CLIPPING]
    groups += [group("mlp", 3, few, 6, mlp, "sgd", HALF)]
    groups += [group("cnn", 1, few, 3, cnn), group("cnn", 3, thin, 3, cnn, "lamb"),
               group("cnn", 8, thin, 2, cnn, "adafactor")]
    return groups + [group("gpt", 1, few[:1] + few[2:3] + few[6:], 2, gpt), group("gpt", 3, thin, 2, gpt, "lamb")]


def whole_groups(options):
    """All that is promised; about an hour on two cores."""
    images = ("--batch-size", "100") + (("--data", options.mnist) if options.mnist else ())
    text = ("--batch-size", "12", "--data", options.text)
    few_images = ("--batch-size", "100", "--examples", "371")
    all_ways = ways(short=False)
    devices = sweep(DEVICES, []) + [over(count, each) for count in WORKERS for each in (1, 2)]
    groups = []
    for replicas in REPLICAS:
        groups.append(group("mlp", replicas, all_ways, 100, images))  # the end of an epoch is uneven: step 86
        groups += [group("mlp", replicas, all_ways, 90, images, name) for name in OPTIMIZERS if name != "adam"]
        groups += [group("mlp", replicas, all_ways, 90, images, name, clipping)
                   for clipping in CLIPPING for name in ("sgd", "adam")]
    for replicas in REPLICAS:
        groups.append(group("cnn", replicas, devices, 88, images))
        groups += [group("cnn", replicas, all_ways, 6, few_images, name) for name in ("adam", "lamb", "adafactor")]
        groups.append(group("cnn", replicas, all_ways, 6, few_images, "adam", HALF))
    for replicas in REPLICAS:
        groups.append(group("gpt", replicas, devices, 20, text))
        groups += [group("gpt", replicas, all_ways, 4, text, name) for name in ("adam", "lamb", "adafactor")]
    return groups


# ---- running and comparing -----------------------------------------------------------------------------


def command_line(program, arguments):
    """`--workers N` and `--ps N` among the arguments stand for a job of so many."""
    arguments = list(arguments)
    if "--workers" not in arguments:
        return [str(program), "train", "--json", *arguments]
    job = []
    for flag in ("--workers", "--ps"):
        if flag in arguments:
            place = arguments.index(flag)
            job += arguments[place:place + 2]
            del arguments[place:place + 2]
    strategy = "parameter_server" if "--ps" in job else "multi_worker"
    return [str(program), "launch", *job, "--json", "--", str(program), "train", "--json",
            "--strategy", strategy, "--verbose", "0", *arguments]


def report_of(command, limit):
    """The JSON object that `command` prints last."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failure(f"did not end within {limit} s") from None
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}: {done.stderr.strip()[-800:]}")
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise Failure(f"the last line is no JSON object: {done.stdout[-200:]!r}") from None


def first_differing(digests, others):
    """The first step that both lists of [step, digest] have, with different digests; None: there is none."""
    known = dict(others)
    return next((step for step, digest in digests if known.get(step, digest) != digest), None)


class Matrix:
    def __init__(self, options):
        self.options = options
        self.runs = self.differences = self.failures = 0
        self.skipped = collections.Counter()
        self.began = time.monotonic()
        self.counting = threading.Lock()  # groups are checked side by side

    def count(self, what, by=1):
        with self.counting:
            setattr(self, what, getattr(self, what) + by)

    def train(self, group, way, *more):
        """(command line, report) of one run; a saved one is two commands."""
        arguments = group.arguments + ("--steps", str(group.steps)) + way.arguments
        command = command_line(self.options.program, arguments + more)
        if way.before is None:
            self.count("runs")
            return shlex.join(command), report_of(command, self.options.seconds_per_run)
        with tempfile.TemporaryDirectory() as folder:
            half = group.arguments + ("--steps", str(group.steps // 2), "--checkpoint", folder) + way.before + more
            first = command_line(self.options.program, half)
            command = command_line(self.options.program, arguments + ("--resume", folder, "--digest-every", "1"))
            words = shlex.join(first) + "\n    then " + shlex.join(command)
            self.count("runs", 2)
            early = report_of(first, self.options.seconds_per_run)
            if early["steps"] != group.steps // 2:
                raise Failure(f"the first half has {early['steps']} steps, not {group.steps // 2}: {words}")
            report = report_of(command, self.options.seconds_per_run)
            if report["digests"][0][0] != group.steps // 2 + 1:
                raise Failure(f"did not go on after step {group.steps // 2}, but with {report['digests'][0][0]}: {words}")
            return words, report

    def first_difference(self, group, way, other):
        """The first step after which the digests of two runs differ, in words; a resumed run reports later ones."""
        try:
            digests = [self.train(group, each, "--digest-every", "1")[1]["digests"] for each in (way, other)]
        except (Failure, KeyError) as error:
            return f"unknown: {str(error).splitlines()[0]}"
        step = first_differing(*digests)
        return "no step that both report" if step is None else f"step {step}"

    def check(self, group):
        """Runs a group; returns its digest, or None where it has none."""
        began, first = time.monotonic(), None
        for way in group.ways:
            try:
                command, report = self.train(group, way)
            except Failure as error:
                self.count("failures")
                arguments = group.arguments + ("--steps", str(group.steps)) + way.arguments
                print(f"FAILED {group.name}, {way.name}: {error}\n    "
                      f"{shlex.join(command_line(self.options.program, arguments))}")
                continue
            if first is None:
                first = (way, command, report)
            for words, test in way.asked:
                if not test(report, first[2]):
                    self.count("failures")
                    print(f"FAILED {group.name}, {way.name}: the run's report should say: {words}; got "
                          f"{json.dumps({key: report.get(key) for key in ('devices', 'threads', 'isa', 'plan')})}\n"
                          f"    {command}")
            if report["steps"] != group.steps:
                self.count("failures")
                print(f"FAILED {group.name}, {way.name}: {report['steps']} steps instead of {group.steps}")
            differing = [key for key in COMPARED if report[key] != first[2][key]]
            if differing:
                self.count("differences")
                print(f"DIFFERENT {group.name}: {way.name} against {first[0].name}, in {', '.join(differing)}; "
                      f"first: {self.first_difference(group, first[0], way)}")
                for line, run in ((first[1], first[2]), (command, report)):
                    print(f"    {run['weights_digest']} {run['state_digest']} loss {run['loss']}\n    {line}")
        digest = first[2]["weights_digest"] if first else None
        print(f"[{time.monotonic() - self.began:6.0f} s] {group.name}: {len(group.ways)} ways in "
              f"{time.monotonic() - began:.1f} s, {digest}", flush=True)
        return digest

    def run(self, groups):
        digests = collections.defaultdict(list)
        # Many runs use less than the cores there are, so as many groups as cores are checked at a time.
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as checkers:
            for group, digest in zip(groups, checkers.map(self.check, groups)):
                digests[digest].append(group.name)
        # Programs that compute different things must not give one digest: then nothing was compared.
        for digest, names in digests.items():
            programs = {name for name in names}
            if digest is not None and len({strip_replicas(name) for name in programs}) > 1:
                self.count("failures")
                print(f"FAILED {digest} is the digest of different programs: {'; '.join(sorted(programs))}")
        for reason, count in self.skipped.items():
            print(f"skipped {count} groups or ways: {reason}")
        seconds = time.monotonic() - self.began
        print(f"matrix: {self.runs} runs in {len(groups)} groups, {self.differences} differences, "
              f"{self.failures} failures, {sum(self.skipped.values())} skipped, {seconds:.0f} s")
        return 1 if self.differences or self.failures or not groups else 0


def strip_replicas(name):
    """Replicas may or may not show in the bits; everything else in a name must."""
    return " ".join(word for word in name.split() if not word.isdigit() and word not in ("replicas", "steps"))


def best_isa(options):
    report = report_of(command_line(options.program, ("--examples", "32", "--steps", "1", "--devices", "1")),
                       options.seconds_per_run)
    return report["isa"]


def matrix(options):
    checks = Matrix(options)
    groups = short_groups(options) if options.short else whole_groups(options)
    if not options.short and not options.mnist:
        print("no directory of MNIST given (--mnist, or LOCKSTEP_MNIST): drawn digits instead")
    if options.only:
        groups = [group for group in groups if options.only in group.name]
    if options.one_process:
        together = [group._replace(ways=[way for way in group.ways if "--workers" not in way.arguments]) for group in groups]
        left_out = sum(len(group.ways) for group in groups) - sum(len(group.ways) for group in together)
        checks.skipped["asked to run in one process"] += left_out
        groups = together
    if best_isa(options) == "avx512":
        groups = [group._replace(ways=group.ways + with_isa("avx2", again(options, group.ways))) for group in groups]
    else:
        checks.skipped["this machine has no AVX-512, so --isa avx2 would compare nothing"] += len(groups)
    return checks.run(groups)


def again(options, listed):
    """What is run once more with another instruction set: all, or in the short form one way."""
    return listed[:1] if options.short and len(listed) < 6 else (listed[:1] + listed[3:4] if options.short else listed)


# ---- proof that it can fail ----------------------------------------------------------------------------


def self_test(options):
    def outcome(*listed, steps=4, arguments=()):
        data = ("--batch-size", "32", "--examples", "150", *arguments)
        checks = Matrix(options)
        return checks.run([group("mlp", 3, list(listed), steps, data)]), checks

    status, checks = outcome(on(1), on(3), resumed(1, 2))
    assert (status, checks.runs, checks.differences, checks.failures) == (0, 4, 0, 0), "equal runs must pass"
    status, checks = outcome(on(1), on(3, "--seed", "1"))
    assert (status, checks.differences) == (1, 1), "another seed must be found"
    seeded = group("mlp", 3, [], 4, ("--batch-size", "32", "--examples", "150"))
    assert checks.first_difference(seeded, on(1), on(1, "--seed", "1")) == "step 1"
    assert first_differing([[1, "a"], [2, "b"], [3, "c"]], [[2, "b"], [3, "d"]]) == 3
    assert first_differing([[1, "a"]], [[1, "a"]]) is None
    status, checks = outcome(Way("3 devices", ("--devices", "2"), (says("devices", 3),)))
    assert (status, checks.failures) == (1, 1), "a run that is not what it should be must be found"
    status, checks = outcome(on(1), Way("eager", (), (EAGER,)))
    assert (status, checks.failures) == (1, 1), "a run with a plan is not eager"
    status, checks = outcome(on(1), on(1, "--optimizer", "none"))
    assert (status, checks.failures) == (1, 1), "a run that fails must count"
    status, checks = outcome(on(1), resumed(1, 2)._replace(before=("--devices", "1", "--seed", "1")))
    assert (status, checks.failures) == (1, 1), "what another seed saved is no first half"
    checks = Matrix(options)
    same = [group("mlp", 1, [on(1)], 2, ("--examples", "64")) for _ in range(2)]
    same[1] = same[1]._replace(name="mlp other 1 replicas 2 steps")
    assert checks.run(same) == 1, "one digest of two programs must be found"
    assert Matrix(options).run([]) == 1, "no group at all must fail"
    print("verify_matrix: finds differences, names their step, and finds runs that are not what they should be")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--short", action="store_true", help="half a minute, all kinds of programs and ways (default)")
    form.add_argument("--whole", action="store_true", help="all that is promised, about an hour")
    form.add_argument("--self-test", action="store_true", help="prove that differences are found")
    parser.add_argument("--program", default=ROOT / "build/release/lockstep", type=pathlib.Path)
    parser.add_argument("--mnist", default=os.environ.get("LOCKSTEP_MNIST"), help="a directory of MNIST's IDX files")
    parser.add_argument("--text", default=str(ROOT / "ARCHITECTURE.md"), help="what the gpt reads")
    parser.add_argument("--only", help="run the groups whose names contain this")
    parser.add_argument("--one-process", action="store_true", help="leave out what several workers do")
    parser.add_argument("--seconds-per-run", type=float, default=900)
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"no program at {options.program}; ./dev build makes it")
    options.short = not options.whole
    try:
        return self_test(options) if options.self_test else matrix(options)
    except Failure as error:
        print(f"verify_matrix: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
