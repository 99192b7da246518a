"""Functions of several inputs, as layers and as functions."""

from ... import _native, nest
from .._layer import Layer


class _Merge(Layer):
    """A function of several inputs."""

    _passes_masks = True

    def compute_mask(self, inputs, mask=None):
        from ... import ops_math
        made = None
        for one in nest.flatten(mask) if mask is not None else []:
            made = one if made is None else made if one is None else ops_math.logical_or(made, one)
        return made

    def call(self, inputs):
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError("A merge layer should be called on a list of at least 2 inputs. "
                             f"Received: inputs={inputs}")
        return self._merge(list(inputs))

    def _fold(self, inputs, function):
        made = inputs[0]
        for one in inputs[1:]:
            made = function(made, one)
        return made


class Add(_Merge):
    """The sum."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.add)


class Subtract(_Merge):
    """The difference of two."""

    def _merge(self, inputs):
        return _native.subtract(inputs[0], inputs[1])


class Multiply(_Merge):
    """The product."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.multiply)


class Average(_Merge):
    """The mean."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.add) / len(inputs)


class Maximum(_Merge):
    """The largest."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.maximum)


class Minimum(_Merge):
    """The smallest."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.minimum)


class Concatenate(_Merge):
    """One after another along `axis`."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def _merge(self, inputs):
        return _native.concat(inputs, self.axis)


class Dot(_Merge):
    """Sums of products along axes."""

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    def _merge(self, inputs):
        a, b = inputs
        left, right = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if self.normalize:
            a = _native.l2_normalize(a, [left], 1e-12)
            b = _native.l2_normalize(b, [right], 1e-12)
        if a._rank == 2 and b._rank == 2:
            return _native.reduce_sum(_native.multiply(a, b), [1], True)
        return _native.matmul(a, b, left % a._rank == 1, right % b._rank == 2)


def dot(inputs, axes=-1, **kwargs):
    return Dot(axes, **kwargs)(inputs)


def add(inputs, **kwargs):
    return Add(**kwargs)(inputs)


def subtract(inputs, **kwargs):
    return Subtract(**kwargs)(inputs)


def multiply(inputs, **kwargs):
    return Multiply(**kwargs)(inputs)


def average(inputs, **kwargs):
    return Average(**kwargs)(inputs)


def maximum(inputs, **kwargs):
    return Maximum(**kwargs)(inputs)


def minimum(inputs, **kwargs):
    return Minimum(**kwargs)(inputs)


def concatenate(inputs, axis=-1, **kwargs):
    return Concatenate(axis, **kwargs)(inputs)
