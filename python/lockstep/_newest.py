"""What is known of tensors beside their values, for as long as somebody may soon ask."""

import threading


class Newest(threading.local):
    """Notes on the tensors that a thread has made last, by the tensors' numbers."""

    _MOST = 64

    def __init__(self):
        self._notes = {}

    def note(self, tensor, what):
        if len(self._notes) >= self._MOST:
            self._notes.pop(next(iter(self._notes)))
        self._notes[tensor._id] = what

    def find(self, tensor):
        """The note on a tensor; None where there is none any more."""
        return self._notes.get(tensor._id)
