"""Terms that weights add to the loss: `keras.regularizers`."""

from .. import _native
from .._tensor import convert_to_tensor
from ._identifiers import deserializer, identified, serialize  # noqa: F401


class Regularizer:
    """A penalty of a weight. To write one, derive and override `__call__`."""

    def __call__(self, x):
        return 0.0

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        """The one that `get_config` describes."""
        return cls(**config)


class L1L2(Regularizer):
    """l1 * sum |w| + l2 * sum w^2."""

    def __init__(self, l1=0.0, l2=0.0):
        self.l1 = 0.0 if l1 is None else l1
        self.l2 = 0.0 if l2 is None else l2
        self._own = _native.make_l1l2(float(self.l1), float(self.l2))

    @property
    def _made(self):
        """What native layers take; None where a class overrides the call."""
        return self._own if type(self).__call__ is L1L2.__call__ else None

    def __call__(self, x):
        return self._own.penalty(convert_to_tensor(x))

    def get_config(self):
        return {"l1": self.l1, "l2": self.l2}


class L1(L1L2):
    """l1 * sum |w|."""

    def __init__(self, l1=0.01):
        super().__init__(l1, 0.0)

    def get_config(self):
        return {"l1": self.l1}


class L2(L1L2):
    """l2 * sum w^2."""

    def __init__(self, l2=0.01):
        super().__init__(0.0, l2)

    def get_config(self):
        return {"l2": self.l2}


class OrthogonalRegularizer(Regularizer):
    """factor * the mean |cosine| over pairs of rows (or columns)."""

    def __init__(self, factor=0.01, mode="rows"):
        if mode not in ("rows", "columns"):
            raise ValueError(f"Invalid value for argument `mode`. Expected one of {{'rows', 'columns'}}. Received: mode={mode}")
        self.factor, self.mode = factor, mode
        self._made = _native.make_orthogonal(float(factor), mode == "rows")

    def __call__(self, x):
        return self._made.penalty(convert_to_tensor(x))

    def get_config(self):
        return {"factor": self.factor, "mode": self.mode}


l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer
_BY_NAME = {"l1": L1, "l2": L2, "l1_l2": L1L2, "L1": L1, "L2": L2, "L1L2": L1L2,
            "orthogonal_regularizer": OrthogonalRegularizer,
            "OrthogonalRegularizer": OrthogonalRegularizer}


def get(identifier):
    """The regularizer of a name, a config, a class, an object or a function. Raises: ValueError."""
    return None if identifier is None else identified(identifier, _BY_NAME, "regularizer")


def native(identifier):
    made = get(identifier)
    if made is None:
        return None
    known = getattr(made, "_made", None)
    return known if known is not None else _native.python_regularizer(
        lambda w: convert_to_tensor(made(w), dtype_hint=w.dtype))


deserialize = deserializer(get)
