"""Ports for tests that have to name them beforehand."""
import pathlib
import random
import socket


def free_ports(count):
    """Ports that nobody has now, below those that the system gives to who asks for any, so that no other program gets them
    before the test does."""
    first_given = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    below = range(max(1024, first_given - 20000), first_given)
    drawn = random.SystemRandom().sample(below, min(200, len(below)))
    free = [port for port in drawn if _is_free(port)]
    return free[:count] if len(free) >= count else [_given() for _ in range(count)]


def _is_free(port):
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _given():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
