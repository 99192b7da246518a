"""Ports for tests that have to name them beforehand."""
import pathlib
import random
import socket


def free_ports(count):
    """Ports that nobody has now: below those that the system gives to who asks for any, so that no other program gets them
    before the test does, or of these where no others are free."""
    first_given = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    below = range(max(1024, first_given - 20000), first_given)
    sockets = []
    for port in random.SystemRandom().sample(below, min(200, len(below))) + [0] * count:
        if len(sockets) == count:
            break
        one = socket.socket()
        try:
            one.bind(("127.0.0.1", port))
            sockets.append(one)
        except OSError:
            one.close()
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
