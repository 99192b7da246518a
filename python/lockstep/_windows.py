"""Windows over rows and images that are made of those over images: `tf.nn`."""

import collections

from . import _native, _refused, math, nn, ops_array, ops_math, sparse
from ._axes import axis_of
from ._layouts import takes_channels_first as _takes_channels_first
from ._tensor import convert_to_tensor, integers


def _one(value):
    value = integers(value, "a size")
    if isinstance(value, (list, tuple)) and not value:
        raise ValueError("a size must be a number or a list of numbers; got an empty list")
    return int((value[1] if len(value) == 3 else value[-1]) if isinstance(value, (list, tuple)) else value)


def _sides(padding):
    return padding if isinstance(padding, str) else [[0, 0], [0, 0], list(padding[1]), [0, 0]]


def _rows(pool, input, ksize, strides, padding, name=None):
    """Rows [n, w, c] as images of height 1."""
    images = ops_array.expand_dims(convert_to_tensor(input), 1)
    return ops_array.squeeze(pool(images, [1, _one(ksize)], [1, _one(strides)], _sides(padding)), [1])


@_takes_channels_first
def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """The largest of each window of rows. Shapes: [n, w, c]."""
    nn._last(data_format)
    return _rows(nn.max_pool2d, input, ksize, strides, padding)


@_takes_channels_first
def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """The mean of each window of rows. Shapes: [n, w, c]."""
    nn._last(data_format)
    return _rows(nn.avg_pool2d, input, ksize, strides, padding)


def _by_rank(name, functions):
    """A pooling function of rows, images or volumes, by the rank of what is given."""
    def pooled(input, ksize, strides, padding, data_format=None, name=None):
        input = convert_to_tensor(input)
        if not 3 <= input._rank <= 5:
            raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank {input._rank}.")
        names = {} if data_format is None else {"data_format": data_format}
        return functions(nn)[input._rank - 3](input, ksize, strides, padding, **names)
    pooled.__name__ = pooled.__qualname__ = name
    pooled.__doc__ = f"{'The largest element' if name == 'max_pool' else 'The mean'} of every window of rows, images or volumes."
    return pooled


max_pool = _by_rank("max_pool", lambda of: (of.max_pool1d, of.max_pool2d, of.max_pool3d))
avg_pool = _by_rank("avg_pool", lambda of: (of.avg_pool1d, of.avg_pool2d, of.avg_pool3d))


@_takes_channels_first
def pool(input, window_shape, pooling_type, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    """Windows of 1, 2 or 3 axes. pooling_type: MAX or AVG. Raises: NotImplementedError with dilations."""
    if any(int(one) != 1 for one in (dilations or [])):
        raise NotImplementedError("pool has no dilations; leave them out")
    nn._last(None if data_format == "NDHWC" else data_format)
    functions = {"MAX": (max_pool1d, nn.max_pool2d, nn.max_pool3d), "AVG": (avg_pool1d, nn.avg_pool2d, nn.avg_pool3d)}
    sizes = [int(one) for one in window_shape]
    _refused.one_of("pool", "pooling_type", pooling_type.upper(), tuple(functions))
    return functions[pooling_type.upper()][len(sizes) - 1](input, sizes, list(strides or [1] * len(sizes)), padding)


@_takes_channels_first
def convolution(input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    """A convolution over 1, 2 or 3 axes, by the rank of the filters."""
    nn._last(None if data_format == "NDHWC" else data_format)
    axes = convert_to_tensor(filters)._rank - 2

    def each(value):
        value = [1] * axes if value is None else [value] * axes if isinstance(value, int) else list(value)
        return value * axes if len(value) == 1 else value
    strides, dilations = each(strides), each(dilations)
    if axes == 1:
        return nn.conv1d(input, filters, strides[0], padding, dilations=dilations[0])
    if axes == 2:
        return nn.conv2d(input, filters, strides, padding, dilations=dilations)
    return nn.conv3d(input, filters, [1, *strides, 1], padding, dilations=[1, *dilations, 1])


@_takes_channels_first
def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None,
                     name=None):
    """A filter of its own for each channel, then one that mixes channels."""
    _refused.only("separable_conv2d", data_format=(data_format, None, "NHWC"))
    made = nn.depthwise_conv2d(input, depthwise_filter, strides, padding, dilations=dilations)
    return nn.conv2d(made, pointwise_filter, 1, "VALID")


MaxPoolWithArgmax = collections.namedtuple("MaxPoolWithArgmax", ["output", "argmax"])


@_takes_channels_first
def conv1d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None):
    """The adjoint of conv1d. Shapes: input [n, w, in]; filters [width, out, in]."""
    _refused.only("conv1d_transpose", dilations=(dilations, None, 1, [1]))
    nn._last(data_format)
    n, width, channels = [int(one) for one in integers(output_shape, "a shape")]
    made = nn.conv2d_transpose(ops_array.expand_dims(convert_to_tensor(input), 1),
                               ops_array.expand_dims(convert_to_tensor(filters), 0), [n, 1, width, channels],
                               [1, _one(strides)], padding)
    return ops_array.squeeze(made, [1])


def atrous_conv2d(value, filters, rate, padding, name=None):
    """conv2d with `rate - 1` holes between the filters' elements."""
    return nn.conv2d(value, filters, 1, padding, dilations=[rate, rate])


@_takes_channels_first
def conv_transpose(input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None):
    """The adjoint of a convolution over 1, 2 or 3 axes."""
    _refused.only("conv_transpose", data_format=(data_format, None, "NWC", "NHWC", "NDHWC"),
                  dilations=(dilations, None, 1))
    axes = convert_to_tensor(filters)._rank - 2
    function = (conv1d_transpose, nn.conv2d_transpose, nn.conv3d_transpose)[axes - 1]
    return function(input, filters, output_shape, strides, padding)


def max_pool_with_argmax(input, ksize, strides, padding, data_format="NHWC", output_dtype="int64",
                         include_batch_in_index=False, name=None):
    """(the largest element of each window, its place in the flattened image)"""
    _refused.only("max_pool_with_argmax", data_format=(data_format, "NHWC", None))
    from ._blocks import _window, extract_patches
    input = convert_to_tensor(input)
    n, height, width, channels = input._shape
    size, step = nn._pair(ksize), nn._pair(strides)
    same = _refused.attribute("max_pool_with_argmax", "padding", padding.upper(), ("SAME", "VALID")) == "SAME"
    top, bottom, down = _window(height, size[0], step[0], 1, same)
    left, right, across = _window(width, size[1], step[1], 1, same)
    whole = ops_array.pad(input, [[0, 0], [top, bottom], [left, right], [0, 0]], constant_values=float("-inf"))
    patches = extract_patches(whole, [1, *size, 1], [1, *step, 1], [1, 1, 1, 1], "VALID")
    patches = ops_array.reshape(patches, [n, len(down), len(across), size[0] * size[1], channels])
    best = ops_math.argmax(patches, 3)
    row = best // size[1] + ops_math.cast([[[one[0]]] for one in down], "int64") - top
    column = best % size[1] + ops_math.cast([[one[0]] for one in across], "int64") - left
    places = (row * width + column) * channels + ops_math.range(channels, dtype="int64")
    if include_batch_in_index:
        images = ops_math.range(n, dtype="int64") * (height * width * channels)
        places += ops_array.reshape(images, [-1, 1, 1, 1])
    return MaxPoolWithArgmax(ops_math.reduce_max(patches, axis=3), ops_math.cast(places, output_dtype))


def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """(mean, variance) over the axes, of elements that count `frequency_weights` times."""
    x = convert_to_tensor(x)
    weights = ops_math.cast(frequency_weights, x.dtype) + ops_array.zeros_like(x)
    total = ops_math.reduce_sum(weights, axis=axes, keepdims=True)
    mean = ops_math.reduce_sum(weights * x, axis=axes, keepdims=True) / total
    variance = ops_math.reduce_sum(weights * ops_math.square(x - mean), axis=axes, keepdims=True) / total
    if keepdims:
        return mean, variance
    return ops_array.squeeze(mean, axes), ops_array.squeeze(variance, axes)


def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """(count, sum, sum of squares, shift) over the axes."""
    x = convert_to_tensor(x)
    count = 1.0
    for axis in axes:
        count *= x._shape[axis_of(axis, x._rank)]
    moved = x if shift is None else x - shift
    sums = [ops_math.reduce_sum(one, axis=axes, keepdims=keepdims) for one in (moved, ops_math.square(moved))]
    return convert_to_tensor(count, dtype=x.dtype), *sums, shift


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """(mean, variance) of sufficient statistics."""
    mean_ss, variance_ss = convert_to_tensor(mean_ss), convert_to_tensor(variance_ss)
    part = mean_ss / counts
    mean = part if shift is None else part + shift
    return mean, variance_ss / counts - ops_math.square(part)


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """exp(log_input) - log_input * targets; with Stirling's approximation of log(targets!) where asked."""
    log_input = convert_to_tensor(log_input)
    targets = convert_to_tensor(targets, dtype_hint=log_input.dtype)
    made = ops_math.exp(log_input) - log_input * targets
    if not compute_full_loss:
        return made
    stirling = targets * ops_math.log(targets) - targets + 0.5 * ops_math.log(6.283185307179586 * targets)
    small = ops_math.logical_and(targets >= 0, targets <= 1)
    return made + ops_array.where(small, ops_array.zeros_like(targets), stirling)


def embedding_lookup_sparse(params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None, allow_fast_lookup=False):
    """Rows of `params` joined for each row of `sp_ids`. combiner: mean (default), sqrtn or sum."""
    combiner = _refused.one_of("embedding_lookup_sparse", "combiner", combiner or "mean", ("mean", "sqrtn", "sum"))
    rows = nn.embedding_lookup(params, sp_ids.values, max_norm)
    groups, known = sp_ids.indices[:, 0], sp_ids.dense_shape
    known = _native.static_value(known) if known._symbolic else known
    weights = ops_array.ones_like(sp_ids.values, dtype=rows.dtype) if sp_weights is None else sp_weights.values

    def add(values):
        return ops_math.unsorted_segment_sum(values, groups, int(known[0])) if known is not None else math.segment_sum(values, groups)
    total = add(rows * ops_array.expand_dims(weights, -1))
    if combiner == "sum":
        return total
    parts = add(weights if combiner == "mean" else ops_math.square(weights))
    by = parts if combiner == "mean" else ops_math.sqrt(parts)
    return math.divide_no_nan(total, ops_array.expand_dims(by, -1) + ops_array.zeros_like(total))


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner="mean", default_id=None,
                                 max_norm=None, name=None, allow_fast_lookup=False):
    """As `embedding_lookup_sparse`, without negative ids and, but for sums, weights that are not positive. Rows without ids have
    the row `default_id`, or zeros where it is None. The axes of ids before the last one stay."""
    shape = ops_array.concat([sparse_ids.dense_shape[:-1], [-1]], 0)
    sparse_ids = sparse.reshape(sparse_ids, [-1, sparse_ids.dense_shape[-1]])
    kept = sparse_ids.values >= 0
    if sparse_weights is not None:
        sparse_weights = sparse.SparseTensor(sparse_ids.indices, sparse_weights.values, sparse_ids.dense_shape)
        kept = kept if combiner == "sum" else ops_math.logical_and(kept, sparse_weights.values > 0)
        sparse_weights = sparse.fill_empty_rows(sparse.retain(sparse_weights, kept), 1.0)[0]
    filled, is_empty = sparse.fill_empty_rows(sparse.retain(sparse_ids, kept), default_id or 0)
    rows = embedding_lookup_sparse(embedding_weights, filled, sparse_weights, combiner, max_norm)
    if default_id is None:
        rows = ops_array.where(ops_array.expand_dims(is_empty, -1), ops_array.zeros_like(rows), rows)
    return ops_array.reshape(rows, shape)
