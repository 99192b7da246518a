"""Values that a run must be fed with."""

from ... import _native
from ..._dtypes import as_dtype, TensorShape
from ..._tensor import convert_to_tensor
from ._graphs import in_graph

_unknown_shapes = set()  # of placeholders without a shape


def placeholder(dtype, shape=None, name=None):
    """A value that a run must be fed with. Raises: RuntimeError outside of a graph."""
    if not in_graph():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    shape = TensorShape(shape)
    if shape.rank is None:  # taken for a scalar; `_fed` says how to write others
        made = _native.placeholder(as_dtype(dtype), [], name or "Placeholder")
        _unknown_shapes.add(made._id)
        return made
    return _native.placeholder(as_dtype(dtype), [-1 if s is None else s for s in shape],
                               name or "Placeholder")


def placeholder_with_default(input, shape, name=None):
    """A value that a run may be fed with; else it is `input`."""
    return _native.placeholder_with_default(
        convert_to_tensor(input), [-1 if s is None else s for s in TensorShape(shape)],
        name or "PlaceholderWithDefault")
