"""Functions of tensors as layers."""

from .._variable import Variable
from ._layer import Layer
from ._names import auto_name
from ._symbols import has_symbols


def apply_op(function, *args, name=None, **kwargs):
    """A function of tensors, on symbolic ones too."""
    if not has_symbols((args, kwargs)):
        return function(*args, **kwargs)
    layer = OperationLayer(function, name=auto_name(name or getattr(function, "__name__", "operation")))
    return layer(*args, **kwargs)


class OperationLayer(Layer):
    """A function of tensors as a layer."""

    def __init__(self, function, name=None):
        super().__init__(name=name)
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "built", True)

    def call(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def _cast_input(self, one):
        return one.value() if isinstance(one, Variable) else one
