"""The same elements in another shape."""

import math

from ... import _native, sparse
from .. import backend
from .._context import known_sizes
from .._layer import Layer
from .._symbol_parts import sizes_of


class Flatten(Layer):
    """[n, ...] to [n, product of the rest]; channels that come first are moved behind the other axes before."""

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = backend.standardize_data_format(data_format)
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        rank = len(inputs.shape)
        if self.data_format == "channels_first" and rank > 2:
            inputs = _transpose(inputs, [0, *range(2, rank), 1])
        size = 1
        for one in sizes_of(inputs)[1:]:
            if one is None:
                raise ValueError("Flatten needs known sizes; got " + str(inputs.shape))
            size *= one
        return _reshape(inputs, [-1, 1 if rank == 1 else size])


def _reshape(inputs, shape):
    return sparse.reshape(inputs, shape) if isinstance(inputs, sparse.SparseTensor) else _native.reshape(inputs, shape)


def _transpose(inputs, axes):
    return sparse.transpose(inputs, axes) if isinstance(inputs, sparse.SparseTensor) else _native.transpose(inputs, axes)


class Reshape(Layer):
    """[n, ...] to [n, target_shape...]."""

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        target = list(self.target_shape)
        if -1 in target and None not in sizes_of(inputs)[1:]:
            size = 1
            for one in sizes_of(inputs)[1:]:
                size *= one
            for one in target:
                size //= one if one != -1 else 1
            target[target.index(-1)] = size
        sizes = known_sizes(inputs)[1:]
        if None not in sizes and math.prod(sizes) != math.prod(target):
            raise ValueError("Exception encountered when calling Reshape.call().\n\n\033[1mThe total size of the tensor must be "
                             f"unchanged. Received: input_shape={sizes}, target_shape={self.target_shape}\033[0m")
        return _reshape(inputs, [-1] + target)


class Permute(Layer):
    """Axis i + 1 of the result is axis dims[i] of the input, counted from 1."""

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError("Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                             f"consecutive and start from 1. Received dims={dims}")

    def call(self, inputs):
        return _transpose(inputs, [0] + list(self.dims))


class RepeatVector(Layer):
    """[n, c] to [n, times, c]."""

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.n = n

    def call(self, inputs):
        return _native.tile(_native.expand_dims(inputs, 1), [1, self.n, 1])
