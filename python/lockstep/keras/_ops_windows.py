"""Filters and windows that slide over steps, images and volumes, for `keras.ops`."""

import numpy

from .. import nn, ops_array as _a, ops_math as _m
from .._layouts import with_channels_last
from .._tensor import convert_to_tensor
from . import backend
from ._ops_dtypes import alike as _alike
from .layers._arguments import _transposed_size


def _channels_behind(function, inputs, data_format, name):
    """`function` of inputs whose channels come last, and what it gives as the data format says."""
    inputs = convert_to_tensor(inputs)
    if inputs._rank not in (3, 4, 5):
        raise ValueError(f"{name} takes inputs with 3, 4 or 5 axes; got shape {tuple(inputs._shape)}")
    if backend.standardize_data_format(data_format) == "channels_last":
        return function(inputs)
    return with_channels_last(function, inputs)


def _each(value, count):
    return [int(value)] * count if isinstance(value, int) else [int(one) for one in value]


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """A convolution over steps, images or volumes, as the rank tells."""
    def run(x):
        count = x._rank - 2
        x, weights = _alike(x, kernel)
        return nn.convolution(x, weights, _each(strides, count), padding.upper(), dilations=_each(dilation_rate, count))
    return _channels_behind(run, inputs, data_format, "conv")


def conv_transpose(inputs, kernel, strides=1, padding="valid", output_padding=None, data_format=None, dilation_rate=1):
    """The adjoint of a convolution. Shapes: kernel [..., out, in]. Raises: NotImplementedError with dilation_rate."""
    if any(one != 1 for one in _each(dilation_rate, 1)):
        raise NotImplementedError(f"conv_transpose with dilation_rate is not built; got {dilation_rate}")

    def run(x):
        count = x._rank - 2
        x, weights = _alike(x, kernel)
        steps = _each(strides, count)
        more = [None] * count if output_padding is None else _each(output_padding, count)
        sizes = [_transposed_size(*one[:3], padding, one[3]) for one in zip(
            x._shape[1:-1], steps, weights._shape[:count], more)]
        rows = -1 if x._shape[0] is None else x._shape[0]
        steps = [1, *steps, 1] if count == 3 else steps
        return nn.conv_transpose(x, weights, [rows, *sizes, weights._shape[-2]], steps, padding.upper())
    return _channels_behind(run, inputs, data_format, "conv_transpose")


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """A filter of its own for each channel of steps or images. Shapes: kernel [..., in, depth_multiplier]."""
    def run(x):
        count = x._rank - 2
        x, weights = _alike(x, kernel)
        step, holes = _each(strides, count), _each(dilation_rate, count)
        if count > 1:
            return nn.depthwise_conv2d(x, weights, [1, *step, 1], padding.upper(), dilations=holes)
        made = nn.depthwise_conv2d(x[:, None], weights[None], [1, *step * 2, 1], padding.upper(), dilations=[1, *holes])
        return _a.squeeze(made, [1])
    return _channels_behind(run, inputs, data_format, "depthwise_conv")


def separable_conv(inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """`depthwise_conv`, then a convolution with a filter of one place."""
    made = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(made, pointwise_kernel, 1, "valid", data_format)


def _pooled(kind, name):
    def pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
        def run(x):
            size = _each(pool_size, x._rank - 2)
            steps = size if strides is None else _each(strides, x._rank - 2)
            return nn.pool(x, size, kind, steps, padding.upper())
        return _channels_behind(run, inputs, data_format, name)
    return pool


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The largest element of each window of steps, images or volumes."""
    return _pooled("MAX", "max_pool")(inputs, pool_size, strides, padding, data_format)


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The mean of each window of steps, images or volumes."""
    return _pooled("AVG", "average_pool")(inputs, pool_size, strides, padding, data_format)


# ---- windows as many as are wanted


def _windows(size, count):
    """(places [count, width], which of them belong to each window): windows that cover an axis of `size`."""
    first = numpy.arange(count) * size // count
    behind = -(-(numpy.arange(count) + 1) * size // count)
    places = first[:, None] + numpy.arange(max(behind - first))
    return numpy.minimum(places, behind[:, None] - 1), places < behind[:, None]


def _of_windows(x, axis, count, reduce):
    if count is None or count == x._shape[axis]:
        return x
    places, belongs = _windows(x._shape[axis], count)
    taken = _a.gather(x, places.astype("int32"), axis=axis)
    return reduce(taken, axis + 1, belongs.reshape(belongs.shape + (1,) * (x._rank - axis - 1)))


def _mean_of(taken, axis, belongs):
    share = belongs / belongs.sum(1, keepdims=True)
    return _m.reduce_sum(taken * _m.cast(convert_to_tensor(share), taken.dtype), axis)


def _adaptive(inputs, output_size, data_format, reduce, name):
    def run(x):
        counts = [output_size] * (x._rank - 2) if isinstance(output_size, int) else list(output_size)
        if len(counts) != x._rank - 2 or any(one is not None and one <= 0 for one in counts):
            raise ValueError(f"{name} takes a positive size for each of {x._rank - 2} axes; got output_size={output_size}")
        for axis, count in enumerate(counts, 1):
            x = _of_windows(x, axis, count, reduce)
        return x
    return _channels_behind(run, inputs, data_format, name)


def adaptive_average_pool(inputs, output_size, data_format=None):
    """The means of windows that cover the axes, so many for each. Raises: ValueError for sizes that do not fit."""
    return _adaptive(inputs, output_size, data_format, _mean_of, "adaptive_average_pool")


def adaptive_max_pool(inputs, output_size, data_format=None):
    """The largest elements of windows that cover the axes, so many for each. Raises: ValueError for sizes that do not fit."""
    return _adaptive(inputs, output_size, data_format, lambda taken, axis, _: _m.reduce_max(taken, axis), "adaptive_max_pool")


# ---- windows as columns


def depth_to_space(x, block_size, data_format="channels_last"):
    return _blocks(nn.depth_to_space, x, block_size, data_format)


def space_to_depth(x, block_size, data_format="channels_last"):
    return _blocks(nn.space_to_depth, x, block_size, data_format)


def _blocks(function, x, block_size, data_format):
    x = convert_to_tensor(x)
    if data_format == "channels_last":
        return function(x, block_size)
    return _a.transpose(function(_a.transpose(x, [0, 2, 3, 1]), block_size), [0, 3, 1, 2])


def _places(size, kernel_size, dilation, padding, stride):
    """The places of each window's elements in a padded image [h, w], as numbers [kernel, windows], and its sizes."""
    window, holes, sides, step = (_each(one, 2) for one in (kernel_size, dilation, padding, stride))
    whole = [own + 2 * side for own, side in zip(size, sides)]
    along = []
    for axis in range(2):
        count = (whole[axis] - holes[axis] * (window[axis] - 1) - 1) // step[axis] + 1
        along.append(numpy.arange(window[axis])[:, None] * holes[axis] + numpy.arange(count) * step[axis])
    down, right = along
    places = down[:, None, :, None] * whole[1] + right[None, :, None, :]
    return places.reshape(window[0] * window[1], -1), whole, sides


def unfold(x, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images as columns. Shapes: [n, c, h, w] to [n, c * elements of a window, windows]."""
    x = convert_to_tensor(x)
    n, channels = _a.sizes_of(x, [0, 1])
    places, whole, (top, left) = _places(x._shape[2:], kernel_size, dilation, padding, stride)
    x = _a.reshape(_a.pad(x, [[0, 0], [0, 0], [top, top], [left, left]]), [n, channels, whole[0] * whole[1]])
    return _a.reshape(_a.gather(x, places.ravel().astype("int32"), axis=2), [n, channels * places.shape[0], places.shape[1]])


def fold(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The images whose windows are the columns, which are added where they overlap. Shapes: [n, c * elements of a window,
    windows] to [n, c, h, w]. Raises: ValueError for another number of windows."""
    x = convert_to_tensor(x)
    size = _each(output_size, 2)
    places, whole, (top, left) = _places(size, kernel_size, dilation, padding, stride)
    n, channels = _a.sizes_of(x, [0])[0], x._shape[1] // places.shape[0]
    if x._shape[2] != places.shape[1] or x._shape[1] % places.shape[0]:
        raise ValueError(f"fold takes columns [n, c * {places.shape[0]}, {places.shape[1]}] for images of {tuple(size)}; "
                         f"got {tuple(x._shape)}")
    columns = _a.transpose(_a.reshape(x, [n, channels, places.size]), [2, 0, 1])
    made = _m.unsorted_segment_sum(columns, places.ravel().astype("int32"), whole[0] * whole[1])
    made = _a.reshape(_a.transpose(made, [1, 2, 0]), [n, channels, *whole])
    return made[:, :, top:top + size[0], left:left + size[1]]
