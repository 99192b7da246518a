"""Functions of several inputs, as layers and as functions."""

from ... import _native, nest
from ..._tensor import convert_to_tensor
from .._context import known_sizes
from .._layer import Layer
from .._ops_dtypes import all_alike


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
        if not isinstance(inputs, (list, tuple)):
            raise ValueError("A merge layer should be called on a list of inputs. Received: "
                             f"input_shape={known_sizes(inputs)} (not a list of shapes)")
        self._check([known_sizes(one) for one in inputs])
        return self._merge(all_alike([convert_to_tensor(one) for one in inputs]))

    def _check(self, shapes):
        """Raises: ValueError for shapes that do not broadcast."""
        sizes = {one[0] for one in shapes if one} - {None}
        if len(sizes) > 1 and 1 not in sizes:
            raise ValueError(f"Cannot merge tensors with different batch sizes. Received tensors with shapes {shapes}")
        made = shapes[0][1:]
        for one in shapes[1:]:
            made = _broadcast(made, one[1:])

    def _fold(self, inputs, function):
        made = inputs[0]
        for one in inputs[1:]:
            made = function(made, one)
        return made


def _broadcast(a, b):
    """The sizes of a function of elements of shapes a and b. Raises: ValueError, in Keras's words, where there is none."""
    if len(a) < len(b):
        return _broadcast(b, a)
    ends = a[len(a) - len(b):]
    if any(None not in (x, y) and x != y and 1 not in (x, y) for x, y in zip(ends, b)):
        raise ValueError(f"Inputs have incompatible shapes. Received shapes {a} and {b}")
    return a[:len(a) - len(b)] + tuple(None if None in (x, y) else max(x, y) for x, y in zip(ends, b))


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

    def _check(self, shapes):
        """Raises: ValueError for shapes that differ, but along the axis."""
        kept = [[size for i, size in enumerate(one) if i != self.axis % len(one)] for one in shapes]
        if len({len(one) for one in kept}) > 1 or any(len(set(sizes) - {None}) > 1 for sizes in zip(*kept)):
            raise ValueError("A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
                             f"Received: input_shape={shapes}")

    def _merge(self, inputs):
        return _native.concat(inputs, self.axis)


class Dot(_Merge):
    """Sums of products along axes."""

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    _both = property(lambda self: (self.axes, self.axes) if isinstance(self.axes, int) else tuple(self.axes))

    def _check(self, shapes):
        """Raises: ValueError for axes of different sizes."""
        (a, b), (left, right) = shapes, self._both
        if None not in (a[left], b[right]) and a[left] != b[right]:
            raise ValueError(f"Incompatible input shapes: axis values {a[left]} (at axis {left}) != {b[right]} "
                             f"(at axis {right}). Full input shapes: {a}, {b}")

    def _merge(self, inputs):
        a, b = inputs
        left, right = self._both
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
