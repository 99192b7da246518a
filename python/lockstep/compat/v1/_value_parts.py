"""Values of several parts in sessions: what runs give for them, and what is fed."""

import collections

from ... import nest
from ..._tensor import IndexedSlices, Tensor
from ...ragged import RaggedTensor
from ...sparse import SparseTensor

SparseTensorValue = collections.namedtuple("SparseTensorValue", "indices values dense_shape")
IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", "values indices dense_shape")


class RaggedTensorValue:
    """What a run gives for a ragged tensor: `values`, a NumPy array or ragged itself, and `row_splits`."""

    def __init__(self, values, row_splits):
        self.values, self.row_splits = values, row_splits

    dtype = property(lambda self: self.values.dtype)

    def to_list(self):
        """The rows as lists."""
        inner = self.values.to_list() if isinstance(self.values, RaggedTensorValue) else self.values.tolist()
        return [inner[a:b] for a, b in zip(self.row_splits[:-1], self.row_splits[1:])]

    def __str__(self):
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self):
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"


def _ragged_value(values, *splits):
    for one in reversed(splits):
        values = RaggedTensorValue(values, one)
    return values


def _parts(one):
    """(names, tensors, what makes the value of theirs)."""
    if isinstance(one, SparseTensor):
        names = ("indices", "values", "dense_shape")
        return names, [one.indices, one.values, one.dense_shape], SparseTensorValue
    if isinstance(one, RaggedTensor):
        splits = []
        while isinstance(one, RaggedTensor):
            splits.append(one.row_splits)
            one = one.values
        return ("flat_values", *["row_splits"] * len(splits)), [one, *splits], _ragged_value
    if one.dense_shape is None:
        return ("values", "indices"), [one.values, one.indices], lambda *parts: IndexedSlicesValue(*parts, None)
    return ("values", "indices", "dense_shape"), [one.values, one.indices, one.dense_shape], IndexedSlicesValue


def has_parts(one):
    """Whether a run gives a value of parts for it, as it is one of a graph."""
    return isinstance(one, (SparseTensor, IndexedSlices, RaggedTensor)) and any(
        isinstance(part, Tensor) and part._symbolic for part in _parts(one)[1])


def run_with_parts(run, fetches, leaves):
    """What `run(fetches)` gives where some leaves have parts: their parts are fetched, and put together again."""
    wanted, makers = [], []
    for one in leaves:
        names, tensors, make = _parts(one) if has_parts(one) else (None, [one], lambda value: value)
        wanted.append(tensors)
        makers.append(make)
    got = run(wanted)
    return nest._pack(fetches, (make(*values) for make, values in zip(makers, got)))


def fed_parts(key, value):
    """The (tensor, value) pairs that feeding `key` means.

    Raises: ValueError for a value that has not its parts."""
    names, tensors, _ = _parts(key)
    given = [getattr(value, name) for name in names] if hasattr(value, names[0]) else list(value)
    if len(given) != len(tensors):
        raise ValueError(f"Cannot feed {type(key).__name__} with {value!r}; give ({', '.join(names)})")
    return list(zip(tensors, given))
