"""The same elements in another shape."""

from ... import _native
from .._layer import Layer


class Flatten(Layer):
    """[n, ...] to [n, product of the rest]."""

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        size = 1
        for one in inputs._shape[1:]:
            if one is None:
                raise ValueError("Flatten needs known sizes; got " + str(inputs.shape))
            size *= one
        if inputs._rank == 1:
            return _native.expand_dims(inputs, -1)
        return _native.reshape(inputs, [-1, size])


class Reshape(Layer):
    """[n, ...] to [n, target_shape...]."""

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        target = list(self.target_shape)
        if -1 in target and None not in inputs._shape[1:]:
            size = 1
            for one in inputs._shape[1:]:
                size *= one
            for one in target:
                size //= one if one != -1 else 1
            target[target.index(-1)] = size
        return _native.reshape(inputs, [-1] + target)


class Permute(Layer):
    """Axis i + 1 of the result is axis dims[i] of the input, counted from 1."""

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs):
        return _native.transpose(inputs, [0] + list(self.dims))


class RepeatVector(Layer):
    """[n, c] to [n, times, c]."""

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n

    def call(self, inputs):
        return _native.tile(_native.expand_dims(inputs, 1), [1, self.n, 1])
