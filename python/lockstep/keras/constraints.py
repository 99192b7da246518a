"""What is done to weights after each update: `keras.constraints`."""

from .. import _native, _refused
from .._tensor import convert_to_tensor
from ._identifiers import deserializer, identified, serialize  # noqa: F401


class Constraint:
    """Maps a weight to an allowed one. To write one, derive and override `__call__`."""

    def __call__(self, w):
        raise NotImplementedError("Constraint subclasses must implement the `__call__()` method.")

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        """The one that `get_config` describes."""
        return cls(**config)


class _Native(Constraint):
    _defaults = {}

    def __init__(self, *args, **kwargs):
        name = f"{type(self).__name__}.__init__"
        if len(args) > len(self._defaults):
            raise TypeError(f"{name}() takes at most {len(self._defaults)} arguments; got {len(args)}")
        _refused.no_more(name, kwargs, self._defaults)
        values = dict(self._defaults)
        values.update(zip(self._defaults, args))
        values.update(kwargs)
        for name, value in values.items():
            setattr(self, name, value)
        options = dict(values)
        if "axis" in options:
            axis = options["axis"]
            options["axis"] = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        self._own = _native.make_constraint(self._kind, options)

    @property
    def _made(self):
        """What native layers take; None where a class overrides the call."""
        return self._own if type(self).__call__ is _Native.__call__ else None

    def __call__(self, w):
        return self._own.apply(convert_to_tensor(w))

    def get_config(self):
        return {name: getattr(self, name) for name in self._defaults}


def _class(name, text, **defaults):
    return type(name, (_Native,), {"__doc__": text, "_kind": name, "_defaults": defaults, "__module__": __name__})


MaxNorm = _class("MaxNorm", "Norms of at most `max_value`.", max_value=2, axis=0)
NonNeg = _class("NonNeg", "No element below zero.")
UnitNorm = _class("UnitNorm", "Norms of one.", axis=0)
MinMaxNorm = _class("MinMaxNorm", "Norms moved into a range.", min_value=0.0, max_value=1.0, rate=1.0,
                    axis=0)
max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm
_BY_NAME = {"MaxNorm": MaxNorm, "NonNeg": NonNeg, "UnitNorm": UnitNorm, "MinMaxNorm": MinMaxNorm,
            "max_norm": MaxNorm, "non_neg": NonNeg, "unit_norm": UnitNorm,
            "min_max_norm": MinMaxNorm}


def get(identifier):
    """The constraint of a name, a config, a class, an object or a function. Raises: ValueError."""
    return None if identifier is None else identified(identifier, _BY_NAME, "constraint")


def native(identifier):
    made = get(identifier)
    if made is None:
        return None
    known = getattr(made, "_made", None)
    return known if known is not None else _native.python_constraint(
        lambda w: convert_to_tensor(made(w), dtype_hint=w.dtype))


deserialize = deserializer(get)
