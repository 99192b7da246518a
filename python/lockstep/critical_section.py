"""Functions that run one at a time: `tf.CriticalSection`."""

import threading

from . import _native, _refused, nest


def _values(made):
    """Copies of variables' values, which no later assignment changes."""
    from ._tensor import convert_to_tensor
    from .ops_array import identity
    return nest.map_structure(lambda one: None if one is None else identity(convert_to_tensor(one)), made)


class CriticalSection:
    """Whatever is executed in a section of this name, or in this one, runs alone, from any thread. In a traced
    function the order of the program holds, and variables of a run are locked to its end."""

    _named = {}

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        _refused.only("CriticalSection", critical_section_def=(critical_section_def, None))
        self.name = name or "CriticalSection"
        self._lock = (CriticalSection._named.setdefault(shared_name, threading.RLock()) if shared_name
                      else threading.RLock())

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """What `fn()` gives, as tensors with the values that there are at its end. Raises: what it raises; TypeError for what
        is no function."""
        if not callable(fn):
            raise TypeError(f"'fn' should be callable; got {fn!r}")
        if _native.is_tracing():
            return _values(fn())
        with self._lock:
            return _values(fn())

    def __repr__(self):
        return f"<CriticalSection {self.name!r}>"
