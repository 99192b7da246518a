"""Lists that each thread has for itself."""

import threading


class ThreadList(threading.local):
    """Gives, when it is called, the calling thread's own list: what is open there, the outermost first."""

    def __init__(self):
        self.items = []

    def __call__(self):
        return self.items
