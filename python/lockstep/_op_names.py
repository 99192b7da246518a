"""Names of ops in graphs of version 1: those that `name=` gives, and TensorFlow's for ops that are made of others."""

import functools
import inspect

from . import _gradient_maps, _input_graphs, _native
from ._tensor import Tensor

# Functions whose op is called otherwise than the last of the ops that they add.
_DEFAULTS = {
    "clip_by_value": "clip_by_value", "dropout": "dropout/SelectV2", "eye": "eye/diag", "embedding_lookup": "embedding_lookup/Identity", "l2_loss": "L2Loss",
    "norm": "norm/Squeeze", "ones": "ones", "pad": "Pad", "zeros": "zeros"}


def name_all(names, module):
    """Lets the public functions of a module, whose namespace is given, name what they add to a graph."""
    for key, one in list(names.items()):
        if inspect.isfunction(one) and not key.startswith("_") and one.__module__ == module and \
                "name" in inspect.signature(one).parameters:
            names[key] = _naming(one)


def _naming(function):
    parameters = list(inspect.signature(function).parameters)
    place = parameters.index("name")
    usual = inspect.signature(function).parameters["name"].default
    usual = _DEFAULTS.get(function.__name__) if not isinstance(usual, str) else usual

    @functools.wraps(function)
    def call(*args, **kwargs):
        if not _native.has_graph():
            return function(*args, **kwargs)
        graph = _input_graphs.other_graph([args, kwargs])
        if graph is not None:
            with graph.as_default():
                return call(*args, **kwargs)
        before = _native.graph_size()
        made = function(*args, **kwargs)
        name = kwargs.get("name") or (args[place] if len(args) > place else None) or usual
        if name:
            first = made[0] if isinstance(made, (list, tuple)) and made else made
            if type(first) is Tensor and first._symbolic:
                _native.name_new(first, name, before)
        return _gradient_maps.overridden(made) if _gradient_maps.active() else made
    return call
