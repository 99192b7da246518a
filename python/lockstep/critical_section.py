"""Functions that run one at a time: `tf.CriticalSection`."""

import threading

from . import _native


class CriticalSection:
    """Whatever is executed in a section of this name, or in this one, runs alone, from any thread. In a traced
    function the order of the program holds, and variables of a run are locked to its end."""

    _named = {}

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        self.name = name or "CriticalSection"
        self._lock = (CriticalSection._named.setdefault(shared_name, threading.RLock()) if shared_name
                      else threading.RLock())

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """What `fn()` gives. Raises: what it raises."""
        if _native.is_tracing():
            return fn()
        with self._lock:
            return fn()

    def __repr__(self):
        return f"<CriticalSection {self.name!r}>"
