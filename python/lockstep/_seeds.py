"""Seeds that count, in the functions of data sets: they follow from the element, whichever thread or worker computes it."""

import contextlib
import threading

_local = threading.local()

kernel_states = {}  # of stateful ops that Python computes, by kind, attributes and seeds; a new global seed clears them


class _Element:
    """The element that a function of a data set is traced or called for."""

    def __init__(self, place, calls):
        self._place = place  # int64 [4]; the last one counts the elements of all passes
        self._calls = calls  # by generator: how often an element asks it, as the calls before have shown
        self._asked = {}

    def next(self, generator):
        """The seed of a generator, [2]: as if the elements had asked it one after another."""
        from ._tensor import convert_to_tensor
        from .ops_array import stack
        number = self._asked.get(id(generator), 0)
        self._asked[id(generator)] = number + 1
        each = max(self._calls.get(id(generator), 0), number + 1)
        self._calls[id(generator)] = each
        moved = self._place[3] * each + number
        return generator.state.value() + stack([convert_to_tensor(0, dtype="int64"), moved])


def element():
    """The one at hand in this thread; None outside of functions of data sets."""
    return getattr(_local, "element", None)


@contextlib.contextmanager
def of_element(place, calls):
    """Seeds follow from the element at `place` while the body runs. `calls` is the function's own, the same each time."""
    before = element()
    _local.element = _Element(place, calls)
    try:
        yield
    finally:
        _local.element = before
