"""Ports for tests that have to name them beforehand."""
import socket


def free_ports(count):
    """Ports that nobody has now; others may take one before the test does, which its error would say."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
