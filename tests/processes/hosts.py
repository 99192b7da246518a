"""Machines made of network namespaces, each with an interface of its own on one switch, whose cables can be pulled.
They have no names outside of their processes, so that nothing of them outlives those."""
import os
import subprocess
import time

from trial import Skip, check


class Hosts:
    """`count` hosts with the addresses 10.77.0.1, 10.77.0.2, ...; needs root."""

    def __init__(self, trial, count):
        self.trial = trial
        self.addresses = [f"10.77.0.{i + 1}" for i in range(count)]
        self.switch = self._space("switch")
        self._in(self.switch, "ip link add bridge0 type bridge && ip link set bridge0 up && ip link set lo up")
        self.hosts = []
        for i, address in enumerate(self.addresses):
            host = self._space(f"host{i}")
            self._in(self.switch, f"ip link add port{i} type veth peer name eth0 netns {host.pid} && "
                                  f"ip link set port{i} master bridge0 && ip link set port{i} up")
            self._in(host, f"ip link set lo up && ip address add {address}/24 dev eth0 && ip link set eth0 up")
            self.hosts.append(host)

    def _space(self, name):
        """A process that keeps a network namespace; it ends with the trial's processes."""
        ready = self.trial.folder / f"{name}.ready"
        process = self.trial.start(["unshare", "--net", "sh", "-c", f"touch '{ready}'; exec sleep 1000000"], name)
        end = time.monotonic() + 10
        while not ready.exists():
            if not process.running():
                raise Skip("network namespaces need root, and unshare: " + process.err().strip())
            check(time.monotonic() < end, f"{name} must come up within 10 s")
            time.sleep(0.01)
        return process

    def _in(self, space, script):
        done = subprocess.run(["nsenter", f"--net=/proc/{space.pid}/ns/net", "sh", "-c", script],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skip(f"a network of namespaces needs veth pairs and a bridge: {done.stderr.strip()}")

    def remote_shell(self):
        """A program that runs a command on a host, as ssh does: SHELL ADDRESS COMMAND."""
        path = self.trial.folder / "remote_shell"
        cases = "".join(f"{address}) pid={host.pid};;\n" for address, host in zip(self.addresses, self.hosts))
        path.write_text(f"#!/bin/sh\ncase \"$1\" in\n{cases}*) echo \"no host $1\" >&2; exit 255;;\nesac\nshift\n"
                        "exec nsenter --net=/proc/$pid/ns/net sh -c \"$*\"\n")
        os.chmod(path, 0o700)
        return str(path)

    def cut(self, index):
        """Pulls a host's cable: packets are lost, and nobody is told."""
        # A bridge's port without its bridge drops what comes; both ends keep their carrier.
        self._in(self.switch, f"ip link set port{index} nomaster")

    def heal(self, index):
        self._in(self.switch, f"ip link set port{index} master bridge0")

    def end(self):
        for process in [*self.hosts, self.switch]:
            process.kill_group()
