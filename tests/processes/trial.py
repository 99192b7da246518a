"""A place where a test starts real processes, and looks afterwards for what they have left behind."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMPARED = ("weights_digest", "state_digest", "steps", "loss", "accuracy", "test_loss", "test_accuracy")
SKIPPED = 77  # the exit status of a test that cannot run here
PATIENCE = 240  # seconds for what takes a few: the machine may be busy


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)


def equal(got, expected, what):
    check(got == expected, f"{what} must be {expected!r}; got {got!r}")


def wait_until(done, what, tasks=(), seconds=PATIENCE):
    """Until `done()`, while all `tasks` run; the last words of one that has ended count."""
    end = time.monotonic() + seconds
    while True:
        ended = [task for task in tasks if not task.running()]
        if done():
            return
        for task in ended:
            raise Failure(f"{what} must be; {task.name} ended before with {task.popen.returncode}")
        check(time.monotonic() < end, f"{what} must be within {seconds} s")
        time.sleep(0.002)


class Process:
    """A process in a group of its own, whose output goes to two files."""

    def __init__(self, arguments, environment, folder, name):
        self.name = name
        self.out_path, self.err_path = folder / f"{name}.out", folder / f"{name}.err"
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.popen = subprocess.Popen([str(word) for word in arguments], env=environment, stdin=subprocess.DEVNULL,
                                          stdout=out, stderr=err, start_new_session=True)
        self.pid = self.popen.pid

    def out(self):
        return self.out_path.read_text(errors="replace")

    def err(self):
        return self.err_path.read_text(errors="replace")

    def running(self):
        return self.popen.poll() is None

    def wait(self, seconds):
        """The exit status; minus the signal's number where one ended it."""
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} must end within {seconds} s; it did not\n{self.tail()}") from None

    def kill_group(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.popen.wait()

    def objects(self):
        """The JSON objects that it has printed, a line each."""
        return [json.loads(line) for line in self.out().splitlines() if line.startswith("{")]

    def tail(self):
        return "".join(f"--- {self.name}, {what}:\n" + "".join(text.splitlines(keepends=True)[-15:])
                       for what, text in (("output", self.out()), ("errors", self.err())) if text)


class Trial:
    """Processes with one mark in their environment, by which they are found again whoever started them."""

    def __init__(self, program):
        self.program = str(program)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-trial-"))
        self.mark = f"LOCKSTEP_TRIAL={self.folder.name}"
        self.shared_memory = set(os.listdir("/dev/shm"))
        self.sockets = set()
        self.processes = []
        self.begun = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is Failure:
            for process in self.processes:
                print(process.tail(), file=sys.stderr)
        for process in self.processes:
            process.kill_group()
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, **more):
        # What launchers around this test said is not for the processes in it.
        ours = {name: value for name, value in os.environ.items()
                if not name.startswith(("LOCKSTEP_", "OMPI_", "PMIX_", "PMI_", "SLURM_", "TF_CONFIG", "PET_"))}
        name, value = self.mark.split("=")
        return {**ours, "TMPDIR": str(self.folder), "LOCKSTEP_LOG": "off", name: value, **more}

    def start(self, arguments, name, **environment):
        process = Process(arguments, self.environment(**environment), self.folder, name)
        self.processes.append(process)
        return process

    def run(self, arguments, name, seconds=PATIENCE, status=0, **environment):
        process = self.start(arguments, name, **environment)
        got = process.wait(seconds)
        equal(got, status, f"the status of {name}")
        return process

    def alone(self, arguments):
        """The report of one process that trains so."""
        devices = () if "--devices" in arguments else ("--devices", "1")
        return self.run([self.program, "train", *arguments, *devices], "alone").objects()[-1]

    def pids(self, of=None):
        """The processes with this trial's mark, and with the variable `of` ("NAME=VALUE") if given."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                variables = pathlib.Path("/proc", entry, "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if self.mark.encode() in variables and (of is None or of.encode() in variables):
                found.append(int(entry))
        return sorted(found)

    def note_sockets(self):
        """Remembers the sockets that the processes have now, to see later that they are gone."""
        for pid in self.pids():
            try:
                links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{pid}/fd")]
            except OSError:
                continue
            self.sockets |= {link[8:-1] for link in links if link.startswith("socket:[")}

    def check_nothing_is_left(self, seconds=30):
        """No process, socket, shared memory or directory of a job."""
        end = time.monotonic() + seconds
        while left := self._left():
            if time.monotonic() > end:
                raise Failure("nothing must stay behind; got " + ", ".join(left))
            time.sleep(0.02)

    def _left(self):
        left = []
        for pid in self.pids():
            words = pathlib.Path("/proc", str(pid), "cmdline")
            try:
                left.append(f"process {pid} " + words.read_text().replace("\0", " ").strip())
            except OSError:
                continue
        # The inode is the 7th field of a Unix socket, and the 10th of the others.
        for table, field in (("unix", 6), ("tcp", 9), ("tcp6", 9), ("udp", 9)):
            lines = [line.split() for line in pathlib.Path("/proc/net", table).read_text().splitlines()[1:]]
            left += [f"{table} socket " + " ".join(words[:2]) for words in lines
                     if len(words) > field and words[field] in self.sockets]
        left += [f"/dev/shm/{name}" for name in set(os.listdir("/dev/shm")) - self.shared_memory
                 if "lockstep" in name]
        return left + [str(path) for path in self.folder.glob("lockstep-job-*")]


def check_reports(report, alone, workers):
    equal(report["workers"], workers, "the number of workers")
    for key in COMPARED:
        equal(report[key], alone[key], key)


def run_case(body, *arguments):
    """Runs one case, and gives the exit status of a test: 0, 1 or SKIPPED."""
    # Who ends this test ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        body(*arguments)
    except Skip as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


def parser_of(text, cases):
    """The flags of a program with these cases, whose usage is in `text`."""
    parser = argparse.ArgumentParser(usage=text.split("usage: ")[1])
    parser.add_argument("case", nargs="?", choices=[case.__name__ for case in cases])
    parser.add_argument("--program", default=str(ROOT / "build/release/lockstep"))
    parser.add_argument("--list", action="store_true")
    return parser


def print_names(cases):
    print("\n".join(case.__name__ for case in cases))
    return 0


def run_and_tell(name, body, *arguments):
    """Runs a case by its name, and says how it ended; its status."""
    begun = time.monotonic()
    status = run_case(body, *arguments)
    print(f"{name}: status {status} after {time.monotonic() - begun:.1f} s", flush=True)
    return status


def run_with_trial(case, program, *arguments):
    with Trial(program) as job:
        case(job, *arguments)
        job.check_nothing_is_left()


def main(text, cases):
    """Runs one case or all of them; the program's exit status."""
    options = parser_of(text, cases).parse_args()
    if options.list:
        return print_names(cases)
    statuses = [run_and_tell(case.__name__, run_with_trial, case, options.program)
                for case in cases if options.case in (None, case.__name__)]
    return 1 if 1 in statuses else statuses[0] if options.case else 0
