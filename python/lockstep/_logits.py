"""Logits behind probabilities: what a sigmoid or softmax was taken of, for cross entropies, in which nothing is clipped then."""

import weakref

from . import _native
from ._tensor import Tensor

_known = {}  # id of a tensor: (weak reference to it, "Sigmoid" or "Softmax", its logits)


def note(function, probabilities, logits):
    """Keeps what `function`, "Sigmoid" or "Softmax", has made probabilities of; gives the probabilities."""
    if isinstance(probabilities, Tensor) and isinstance(logits, Tensor) and probabilities is not logits:
        key = id(probabilities)
        _known[key] = (weakref.ref(probabilities, lambda _: _known.pop(key, None)), function, logits)
    return probabilities


def note_traced(function, probabilities, logits):
    """`note` for functions of TensorFlow, whose losses see only in graphs what has made a tensor."""
    return note(function, probabilities, logits) if _native.is_tracing() else probabilities


def is_last(axis, tensor):
    """Whether an axis of a tensor is its last one, along which classes lie."""
    return isinstance(axis, int) and axis in (-1, tensor._rank - 1)


def behind(probabilities):
    """(function, logits) of a tensor that a sigmoid or softmax has made, else None."""
    found = _known.get(id(probabilities))
    return found[1:] if found is not None and found[0]() is probabilities else None


def _keras_logits(self):
    found = behind(self)
    if found is None:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '_keras_logits'")
    return found[1]


Tensor._keras_logits = property(_keras_logits)
