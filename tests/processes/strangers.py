#!/usr/bin/env python3
"""Abuses the ports of a job that trains: what comes is refused or limited, the job goes on, and it ends with the
digest of one process that trained as many steps.

usage: strangers.py --program FILE [CASE | --list]
"""
import json
import os
import pathlib
import random
import resource
import signal
import socket
import ssl
import struct
import sys
import threading
import time

import trial
from trial import Failure, check, check_reports, equal, wait_until

WORKERS = 2
TASK = ("--model", "mlp", "--examples", "471", "--batch-size", "100", "--replicas", "8", "--verbose", "0", "--json")
MOST_GROWTH_KB = 300 * 1024  # of a worker's memory, whatever is sent to it


class Job:
    """A job of two workers that trains until it is interrupted."""

    def __init__(self, job, encrypted=False, open_files=None):
        self.trial = job
        self.variables = {"LOCKSTEP_LOG": "info"}
        if encrypted:
            job.run([job.program, "cert", "--out", job.folder / "keys"], "cert")
            self.variables["LOCKSTEP_CREDENTIALS"] = str(job.folder / "keys")
        limit = ["prlimit", f"--nofile={open_files}"] if open_files else []
        self.launch = job.start(
            [*limit, job.program, "launch", "--workers", str(WORKERS), "--json", "--", job.program, "train",
             "--strategy", "multi_worker", "--devices", "1", "--steps", "1000000000", *TASK],
            "launch", **self.variables)
        wait_until(lambda: self.launch.err().count("multi_worker_mirrored: worker") >= WORKERS, "a job that trains",
                   [self.launch])
        self.pids = [self._worker(index) for index in range(WORKERS)]
        self.variables = dict(line.split("=", 1) for line in
                              pathlib.Path(f"/proc/{self.pids[0]}/environ").read_text().split("\0") if "=" in line)
        self.addresses = json.loads(self.variables["LOCKSTEP_CLUSTER"])["cluster"]["worker"]
        self.control = [int(address.split(":")[1]) for address in self.addresses]
        self.data = [port for pid in self.pids for port in listening(pid) if port not in self.control]
        equal(len(self.data), WORKERS, "the number of data ports")
        self.memory = [memory(pid) for pid in self.pids]
        job.note_sockets()

    def _worker(self, index):
        # The task, not its keeper, which has no LOCKSTEP_TASK.
        found = self.trial.pids(f"LOCKSTEP_TASK=worker {index}")
        equal(len(found), 1, f"the processes of worker {index}")
        return found[0]

    def check_goes_on(self):
        for pid, before in zip(self.pids, self.memory):
            check(memory(pid) - before < MOST_GROWTH_KB,
                  f"strangers must not take a worker's memory; it grew from {before} to {memory(pid)} kB")
        check(self.launch.running(), "the job must go on")

    def finish(self, workers=WORKERS):
        """Ends the job at a step, and compares it with one process. workers: at least so many must be there."""
        self.check_goes_on()
        for pid in self.pids:
            os.kill(pid, signal.SIGINT)
        equal(self.launch.wait(trial.PATIENCE), 0, "the status of the job")
        report = self.launch.objects()[-1]
        equal(report.get("losses", []), [], "the tasks lost")
        check(report["steps"] > 0, "the job must have made steps")
        check(report["workers"] >= workers, f"{workers} workers must be there at least; got {report['workers']}")
        check_reports(report, self.trial.alone([*TASK, "--steps", str(report["steps"])]), report["workers"])
        return report


def memory(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise Failure(f"process {pid} must run; it has ended")


def listening(pid):
    inodes = set()
    for entry in os.scandir(f"/proc/{pid}/fd"):
        try:
            inodes.add(os.readlink(entry.path)[8:-1])
        except OSError:
            continue
    rows = [line.split() for line in pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and row[9] in inodes]


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def ends(connection, seconds=10):
    """Whether the other side closes in time, whatever it says before."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


# ---- gRPC by hand: HTTP/2 frames with plain HPACK ---------------------------------------------------------


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def header(name, value):
    return b"\0" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()


def call(method, stream=1, **metadata):
    """What a client sends before the message of a call."""
    headers = {":method": "POST", ":scheme": "http", ":path": f"/lockstep/{method}", ":authority": "lockstep.job",
               "te": "trailers", "content-type": "application/grpc", **metadata}
    return frame(1, 0x4, stream, b"".join(header(name, value) for name, value in headers.items()))


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")


def has_token(job):
    return {"lockstep-token": job.variables["LOCKSTEP_TOKEN"]}


def abuse_grpc(job, bytes_of_call, then_close):
    for port in job.control:
        connection = connect(port)
        connection.sendall(PREFACE + bytes_of_call)
        if then_close:
            connection.close()
        else:
            yield connection


# ---- the cases ------------------------------------------------------------------------------------------


def joiner(job, name, status, seconds, **variables):
    """Starts a task that says it is worker 1 of a cluster whose worker 0 is the job's; what it said at its end."""
    own = socket.socket()
    own.bind(("127.0.0.1", 0))
    port = own.getsockname()[1]
    own.close()
    config = {"cluster": {"worker": [job.addresses[0], f"127.0.0.1:{port}"]}, "task": {"type": "worker", "index": 1}}
    process = job.trial.start([job.trial.program, "train", "--strategy", "multi_worker", *TASK], name,
                              TF_CONFIG=json.dumps(config), **variables)
    try:
        got = process.popen.wait(seconds)
    except Exception:
        got = None
        process.kill_group()
    equal(got, status, f"the status of {name}")
    return process.err()


def no_token(trial_):
    job = Job(trial_)
    # A task without a token of its own carries the one of its user, which is not the job's.
    for name, token in (("none", {}), ("another", {"LOCKSTEP_TOKEN": "0" * 64})):
        said = joiner(job, name, 1, 20, **token)
        check("a call must carry the job's token; got another" in said, f"the refusal must give its reason; got {said}")
    for connection in list(abuse_grpc(job, call("membership.Leave") + frame(0, 1, 1, b"\0\0\0\0\0"), False)):
        connection.close()
    job.finish()


def wrong_certificate(trial_):
    job = Job(trial_, encrypted=True)
    trial_.run([trial_.program, "cert", "--out", trial_.folder / "others"], "others_cert")
    token = job.variables["LOCKSTEP_TOKEN"]
    # gRPC tries again and again; nobody lets it in.
    joiner(job, "wrong_certificate", None, 2, LOCKSTEP_TOKEN=token, LOCKSTEP_CREDENTIALS=str(trial_.folder / "others"))
    said = joiner(job, "no_certificate", None, 2, LOCKSTEP_TOKEN=token)
    for port in job.control + job.data:
        for certificate in (None, "others"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if certificate:
                folder = trial_.folder / certificate
                context.load_cert_chain(folder / "client.pem", folder / "client.key")
            try:
                with context.wrap_socket(connect(port)) as connection:
                    connection.sendall(PREFACE)
                    check(ends(connection), f"port {port} must close a connection with certificate {certificate}")
            except (ssl.SSLError, ConnectionError):
                pass  # refused in the handshake
    report = job.finish()
    equal(report["workers"], WORKERS, "the workers, " + said)


def half_a_message(trial_):
    job = Job(trial_)
    half = call("membership.Join", **has_token(job)) + frame(0, 0, 1, b"\0\0\0\x10\0" + b"half")
    open_ones = list(abuse_grpc(job, half, False))
    list(abuse_grpc(job, half, True))
    list(abuse_grpc(job, half[:-20], True))
    for port in job.data:
        connection = connect(port)
        connection.sendall(b"\x01\x01\0\0\x28\0\0\0")  # the beginning of a hello
        open_ones.append(connection)
    time.sleep(1)
    job.check_goes_on()
    silent = [connect(port) for port in job.control]
    for connection in open_ones[WORKERS:] + silent:
        check(ends(connection, 10), "a port must close who says nothing more")
    job.finish()


def two_gibibytes(trial_):
    job = Job(trial_)
    long = call("membership.Join", **has_token(job)) + frame(0, 0, 1, b"\0\x80\0\0\0" + b"x" * 16000)
    connections = list(abuse_grpc(job, long, False))
    # A frame of HTTP/2 that is longer than any may be, and a header list without end.
    connections += list(abuse_grpc(job, struct.pack(">I", 0xFFFFFF)[1:] + b"\0\0\0\0\0\1", False))
    endless = b"".join(header(f"name{i}", "v" * 200) for i in range(500))
    connections += list(abuse_grpc(job, frame(1, 0, 1, endless[:16000]) + 5 * frame(9, 0, 1, endless[:16000]), False))
    for port in job.data:
        for lengths in ((1 << 31, 0), (0, 1 << 31), (64, 1 << 31), (0xFFFFFFFF, (1 << 64) - 1)):
            connection = connect(port)
            connection.sendall(b"\x03\x01\0\0" + struct.pack("<IQQ", *lengths, 1))
            check(ends(connection), f"the data port must refuse the lengths {lengths}")
    time.sleep(0.5)
    job.check_goes_on()
    for connection in connections:
        connection.close()
    job.finish()


def bytes_without_sense(trial_):
    job = Job(trial_)
    draw = random.Random(7)
    for port in job.data + job.control:
        for size in (1, 24, 100, 5000, 200_000):
            connection = connect(port)
            try:
                connection.sendall(draw.randbytes(size))
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # refused before all was sent
            check(ends(connection), f"port {port} must close a connection with {size} bytes without sense")
    # The meeting place of shared memory on this host.
    names = [line.split()[-1] for line in pathlib.Path("/proc/net/unix").read_text().splitlines()
             if "@lockstep-" in line and line.split()[6] in trial_.sockets]
    check(len(names) >= WORKERS, f"workers must meet by names; got {names}")
    for name in set(names):
        for size in (0, 8, 48, 4000):
            packets = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            packets.settimeout(10)
            try:
                packets.connect("\0" + name[1:])
                packets.send(draw.randbytes(size))
            except OSError:
                pass
            packets.close()
    job.finish()


def ten_thousand_connections(trial_):
    """Against workers that may open 1024 files each."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 11_000:
        raise trial.Skip(f"10 000 connections need as many open files; the limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    job = Job(trial_, open_files=1024)
    opened, refused = [], 0
    ports = job.control + job.data
    begin = time.monotonic()
    for i in range(10_000):
        connection = socket.socket()
        connection.setblocking(False)
        try:
            connection.connect(("127.0.0.1", ports[i % len(ports)]))
        except BlockingIOError:
            pass
        except OSError:
            refused += 1
            connection.close()
            continue
        opened.append(connection)
        if i % 100 == 99:
            time.sleep(0.005)
    print(f"{len(opened)} connections opened, {refused} refused, in {time.monotonic() - begin:.1f} s")
    time.sleep(1)
    job.check_goes_on()
    for pid in job.pids:
        count = len(os.listdir(f"/proc/{pid}/fd"))
        print(f"process {pid} has {count} files open")
        check(count < 900, f"strangers must not take all files of a worker; it has {count} of 1024 open")
    for connection in opened:
        connection.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    job.finish()


def flood_of_calls(trial_):
    """Calls without the token, and calls of a method that there is not, as fast as four threads can."""
    job = Job(trial_)
    stop = time.monotonic() + 1  # who can't be heard for two is left out of the job
    answered = [0]

    def flood(port, metadata):
        while time.monotonic() < stop:
            connection = connect(port)
            calls = b"".join(call("nonsense", stream, **metadata) + frame(0, 1, stream, b"\0\0\0\0\0")
                             for stream in range(1, 201, 2))
            try:
                connection.sendall(PREFACE + calls)
                connection.settimeout(0.5)
                answered[0] += len(connection.recv(65536)) > 0
            except OSError:
                pass
            connection.close()

    threads = [threading.Thread(target=flood, args=(port, metadata))
               for port in job.control for metadata in ({}, has_token(job))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(answered[0] > 10, f"the job must answer strangers; it did {answered[0]} times")
    job.finish(workers=1)  # who could not be heard for seconds may have been left out


CASES = (no_token, wrong_certificate, half_a_message, two_gibibytes, bytes_without_sense, ten_thousand_connections,
         flood_of_calls)


if __name__ == "__main__":
    sys.exit(trial.main(__doc__, CASES))
