"""What layers want of their inputs, and Keras's errors for others."""

from .. import nest
from ._context import known_sizes

_RANKS = {"Dense": {"min_ndim": 2}, **{f"Conv{n}D{more}": {"min_ndim": n + 2} for n in (1, 2, 3) for more in ("", "Transpose")},
          "SeparableConv1D": {"min_ndim": 3}, "SeparableConv2D": {"min_ndim": 4},
          "DepthwiseConv1D": {"min_ndim": 3}, "DepthwiseConv2D": {"min_ndim": 4},
          **{f"{which}Pooling{n}D": {"ndim": n + 2} for n in (1, 2, 3)
             for which in ("Max", "Average", "GlobalMax", "GlobalAverage")},
          **dict.fromkeys(("LSTM", "GRU", "SimpleRNN"), {"ndim": 3})}


class InputSpec:
    """What a layer wants of an input; None: anything."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None,
                 allow_last_axis_squeeze=False, name=None, optional=False):
        self.dtype = None if dtype is None else str(getattr(dtype, "name", dtype))
        self.shape = None if shape is None else tuple(shape)
        self.ndim = len(self.shape) if shape is not None else ndim
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(key): one for key, one in (axes or {}).items()}
        self.allow_last_axis_squeeze, self.name, self.optional = allow_last_axis_squeeze, name, optional

    def __repr__(self):
        told = ", ".join(f"{key}={getattr(self, key)}" for key in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
                         if getattr(self, key))
        return f"{type(self).__name__}({told})"

    def get_config(self):
        return {key: getattr(self, key) for key in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes", "optional")}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class OfLayer:
    """The specification of a layer for which nothing else is set."""

    def __get__(self, layer, owner=None):
        return None if layer is None else _spec_of(layer)


def _spec_of(layer):
    given = layer.__dict__.get("input_spec")
    if given is not None:
        return given
    kind = type(layer).__name__
    ranks = _RANKS.get(kind) if type(layer).__module__.startswith(__package__) else None
    if ranks is None:
        return None
    built_for = layer.__dict__.get("_built_for")
    has_kernel = "min_ndim" in ranks and built_for is not None
    return InputSpec(**ranks, axes={-1: built_for[-1]} if has_kernel else None)


def check(layer, inputs):
    """Raises: ValueError, in Keras's words, for inputs that a layer does not take."""
    spec = _spec_of(layer)
    if spec is None:
        return
    specs, inputs = nest.flatten(spec), nest.flatten(inputs)
    if len(specs) != len(inputs):
        raise ValueError(f'Layer "{layer.name}" expects {len(specs)} input(s), but it received {len(inputs)} input '
                         f"tensors. Inputs received: {inputs}")
    for place, (one, spec) in enumerate(zip(inputs, specs)):
        if spec is not None and not (one is None and spec.optional):
            wrong = _difference(spec, one)
            if wrong:
                raise ValueError(incompatible(place, spec.name, layer.name, wrong))


def incompatible(place, name, layer, wrong):
    """The text of such an error."""
    return f"Input {place} with name '{name}' of layer '{layer}' is incompatible with the layer: {wrong}"


def wrong_count(layer, names, count):
    """The text for another number of inputs than a functional model has."""
    if len(names) == 1:
        return f'Layer "{layer}" expects 1 input(s), but it received {count} input tensors.'
    return (f'Layer "{layer}" expects {len(names)} named input(s) with keys {names}, but it received {count} input tensors. '
            "Pass inputs as a dict, e.g. `layer({" + ", ".join(f"'{one}': ..." for one in names) + "})`.")


def of_name(inputs, name, names):
    """The input of a name. Raises: ValueError for one that is not given."""
    if name not in inputs:
        raise ValueError(f'Missing data for input "{name}". You passed a data dictionary with keys {list(inputs)}. '
                         f"Expected the following keys: {names}")
    return inputs[name]


def _other_size(axis, size, shape):
    return f"expected axis {axis} of input shape to have value {size}, but received input with shape {shape}"


def _difference(spec, one):
    shape = known_sizes(one)
    rank = len(shape)
    if spec.ndim is not None and rank != spec.ndim and not spec.allow_last_axis_squeeze:
        return f"expected ndim={spec.ndim}, found ndim={rank}. Full shape received: {shape}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return f"expected min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: {shape}"
    if spec.dtype is not None and one.dtype != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={one.dtype.name}"
    for axis, size in spec.axes.items():
        if size is not None and shape[axis] not in (size, None):
            return _other_size(axis, size, shape)
    if spec.shape is not None and any(a is not None and b is not None and a != b for a, b in zip(spec.shape, shape)):
        return f"expected shape={spec.shape}, found shape={shape}"
    return None
