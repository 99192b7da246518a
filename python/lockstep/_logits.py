"""Logits behind probabilities: what a sigmoid or softmax was taken of, for cross entropies, in which nothing is clipped then."""

import weakref

from . import _native
from ._tensor import Tensor

_known = {}  # id of a tensor: (weak reference to it, "Sigmoid" or "Softmax", its logits, whether by Keras)


def note(function, probabilities, logits, of_keras=True):
    """Keeps what `function`, "Sigmoid" or "Softmax", has made probabilities of; gives the probabilities."""
    if isinstance(probabilities, Tensor) and isinstance(logits, Tensor) and probabilities is not logits:
        key = id(probabilities)
        _known[key] = (weakref.ref(probabilities, lambda _: _known.pop(key, None)), function, logits, of_keras)
    return probabilities


def note_traced(function, probabilities, logits):
    """`note` for functions of TensorFlow, whose losses see only in graphs what has made a tensor."""
    return note(function, probabilities, logits, False) if _native.is_tracing() else probabilities


def is_last(axis, tensor):
    """Whether an axis of a tensor is its last one, along which classes lie."""
    return isinstance(axis, int) and axis in (-1, tensor._rank - 1)


def behind(probabilities, function):
    """The logits of a tensor that a sigmoid or softmax has made, else None. As in Keras, one of its own activations may be
    either; one of TensorFlow's must be `function`, "Sigmoid" or "Softmax", of whose logits the cross entropy is."""
    found = _of(probabilities)
    if found is not None:
        return found[2] if found[3] or found[1] == function else None
    traced = isinstance(probabilities, Tensor) and probabilities._symbolic
    return _native.logits_behind(probabilities) if traced else None


def _of(probabilities):
    found = _known.get(id(probabilities))
    return found if found is not None and found[0]() is probabilities else None


def _keras_logits(self):
    found = _of(self)
    if found is None or not found[3]:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '_keras_logits'")
    return found[2]


Tensor._keras_logits = property(_keras_logits)
