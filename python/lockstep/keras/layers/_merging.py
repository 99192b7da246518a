"""Functions of several inputs, as layers and as functions."""

import functools

from ... import _native, ops_array, ops_math
from ..._dtypes import bool as bool_
from ..._tensor import convert_to_tensor
from .. import _masks
from .._context import known_sizes
from .._layer import Layer
from .._ops_dtypes import all_alike
from .._ops_sparse import dense
from .._symbol_parts import is_value


class _Merge(Layer):
    """A function of several inputs."""

    _passes_masks = True

    def compute_mask(self, inputs, mask=None):
        """A step counts if it counts in one of the inputs; no mask if one of the inputs has none."""
        if not isinstance(mask, (list, tuple)) or any(one is None for one in mask):
            return None
        return functools.reduce(ops_math.logical_or, mask)

    def call(self, inputs):
        if not isinstance(inputs, (list, tuple)):
            raise ValueError("A merge layer should be called on a list of inputs. Received: "
                             f"input_shape={known_sizes(inputs)} (not a list of shapes)")
        self._check([known_sizes(one) for one in inputs])
        if any(map(is_value, inputs)):
            return self._merge_values([one if is_value(one) else convert_to_tensor(one) for one in inputs])
        masks = [_masks.mask_of(one) for one in inputs]
        inputs = all_alike([convert_to_tensor(one) for one in inputs])
        if any(one is not None for one in masks):
            return self._merge_masked(inputs, masks)
        return self._merge(inputs)

    _of_two = None  # the function of `keras.ops` that the layer is of two inputs

    def _merge_values(self, inputs):
        """The function of inputs of which some are sparse or ragged."""
        from .. import ops
        if self._of_two is None:
            return self._merge(all_alike([convert_to_tensor(dense(one)) for one in inputs]))
        return self._fold(inputs, getattr(ops, self._of_two))

    def _merge_masked(self, inputs, masks):
        """The function of inputs of which some have masks ([n, steps] or None each); may give the result its mask."""
        return self._merge(inputs)

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

    _of_two = "add"

    def _merge(self, inputs):
        return self._fold(inputs, _native.add)


class Subtract(_Merge):
    """The difference of two."""

    _of_two = "subtract"

    def _merge(self, inputs):
        return _native.subtract(inputs[0], inputs[1])


def _of_elements(mask, x):
    """A mask of steps as one of the elements of `x`."""
    return ops_array.broadcast_to(ops_array.expand_dims(_native.cast(mask, bool_), -1), ops_array.shape(x))


class Multiply(_Merge):
    """The product. A step that the mask of an input leaves out counts as 1 in the product; where all inputs leave it out, the
    product is 0."""

    _of_two = "multiply"

    def _merge(self, inputs):
        return self._fold(inputs, _native.multiply)

    def _merge_masked(self, inputs, masks):
        masks = [mask if mask is None else _of_elements(mask, x) for x, mask in zip(inputs, masks)]
        made = self._merge([x if mask is None else ops_array.where(mask, x, ops_array.ones_like(x))
                            for x, mask in zip(inputs, masks)])
        if any(one is None for one in masks):
            return made
        joined = functools.reduce(ops_math.logical_or, masks)
        made = ops_array.where(joined, made, ops_array.zeros_like(made))
        _masks.set_mask(made, ops_math.reduce_any(joined, axis=-1))
        return made


class Average(_Merge):
    """The mean."""

    _of_two = "add"

    def _merge_values(self, inputs):
        from .. import ops
        return ops.divide(super()._merge_values(inputs), len(inputs))

    def _merge(self, inputs):
        return self._fold(inputs, _native.add) / len(inputs)


class _Extreme(_Merge):
    """The largest or the smallest. A step that the mask of an input leaves out does not take part."""

    def _merge(self, inputs):
        return self._fold(inputs, self._function)

    def _merge_masked(self, inputs, masks):
        masks = [mask if mask is None else _of_elements(mask, x) for x, mask in zip(inputs, masks)]
        made, joined = inputs[0], masks[0]
        for x, mask in zip(inputs[1:], masks[1:]):
            x = x if mask is None else ops_array.where(mask, x, made)
            made = made if joined is None else ops_array.where(joined, made, x)
            joined = None if mask is None or joined is None else ops_math.logical_or(joined, mask)
            made = self._function(made, x)
        if joined is not None:
            _masks.set_mask(made, ops_math.reduce_any(joined, axis=-1))
        return made


class Maximum(_Extreme):
    """The largest."""

    _of_two = "maximum"

    _function = staticmethod(_native.maximum)


class Minimum(_Extreme):
    """The smallest."""

    _of_two = "minimum"

    _function = staticmethod(_native.minimum)


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

    def compute_mask(self, inputs, mask=None):
        """The masks of the inputs along `axis`; the steps of an input without a mask all count."""
        if not isinstance(mask, (list, tuple)) or all(one is None for one in mask):
            return None
        return ops_math.reduce_any(_native.concat([
            ops_array.ones(ops_array.shape(x), bool_) if one is None else one if one._rank == len(x.shape)
            else _of_elements(one, x) for x, one in zip(inputs, mask)], self.axis), axis=-1)

    def _merge(self, inputs):
        return _native.concat(inputs, self.axis)

    def _merge_values(self, inputs):
        from .. import ops
        return ops.concatenate(inputs, self.axis)


class Dot(_Merge):
    """Sums of products along axes."""

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    def compute_mask(self, inputs, mask=None):
        """None: products over an axis have no steps."""
        return None

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
