"""The bounded record of how eager results were made.

Version 1 style over eager results (`tf.gradients`, `Session.run`) reads it as a graph. It keeps the
last ops alone, and none with large operands, so that it holds little memory."""

import collections
import threading

from . import _native

LIMIT = 2048  # ops
ELEMENTS = 4096  # of an operand or a result
Tensor = _native.Tensor


class Record:
    """One op: `function(*arguments)` gave `results`, after `controls`."""

    __slots__ = ("number", "function", "arguments", "controls", "results", "writes")

    def __init__(self, number, function, arguments, controls, results, writes):
        self.number = number
        self.function = function
        self.arguments = arguments
        self.controls = controls
        self.results = results
        self.writes = writes


observers = []  # functions of (function, arguments, results) that are called for every op
_by_tensor = collections.OrderedDict()  # the id of a result -> (record, which result)
_dropped = collections.OrderedDict()
_state = threading.local()
_next = 0


def controls():
    """The tensors of the `control_dependencies` that are open on this thread."""
    try:
        return _state.controls
    except AttributeError:
        return ()


def set_controls(tensors):
    _state.controls = tensors


def find(tensor):
    """(record, which result) of an eager tensor, or None."""
    return _by_tensor.get(tensor._id)


def was_dropped(tensor):
    return tensor._id < _oldest()


def _oldest():
    return next(iter(_by_tensor), 0)


def remember(function, arguments, result, writes=False):
    """Keeps how `result`, a tensor or a list of them, was made."""
    global _next
    results = (result,) if type(result) is Tensor else tuple(
        one for one in result if type(one) is Tensor)
    for observe in observers:
        observe(function, arguments, results)
    for one in results:
        if one._symbolic or one._size > ELEMENTS:
            return
    for argument in arguments:
        if type(argument) is Tensor and (argument._symbolic or argument._size > ELEMENTS):
            return
    _next += 1
    record = Record(_next, function, arguments, controls(), results, writes)
    for place, one in enumerate(results):
        _by_tensor[one._id] = (record, place)
    while len(_by_tensor) > LIMIT:
        try:
            _by_tensor.popitem(last=False)
        except KeyError:
            break
