"""Convolutions and pooling over volumes [n, d, h, w, c], made of those over images: the slices in depth that a window
covers lie behind one another as channels, so that each output element is one chain of products, as in 2-D."""

from . import _refused
from ._layouts import takes_channels_first as _takes_channels_first
from ._tensor import convert_to_tensor


def _inner(value):
    """Sizes along depth, height and width: of a number, of three, or of five with 1 outside."""
    if isinstance(value, int):
        return (value,) * 3
    value = [int(one) for one in value]
    if len(value) == 1:
        return tuple(value) * 3
    if len(value) == 5 and value[0] == 1 and value[4] == 1:
        return tuple(value[1:4])
    if len(value) == 3:
        return tuple(value)
    raise ValueError(f"three sizes are needed, along depth, height and width, or five with 1 outside; got {value}")


def _margins(size, window, stride, padding, where):
    """(steps, zeros before, zeros behind) along an axis, by TensorFlow's rule."""
    _refused.attribute(where, "padding", padding, ("SAME", "VALID"))
    if padding == "VALID":
        steps = (size - window) // stride + 1
        if steps < 1:
            raise ValueError(f"[{where}] a window must fit into the volume; got {window} over {size}; take padding=\"SAME\"")
        return steps, 0, 0
    steps = -(-size // stride)
    zeros = max((steps - 1) * stride + window - size, 0)
    return steps, zeros // 2, zeros - zeros // 2


def _depths(x, start, steps, stride):
    """The slices start, start + stride, ... in depth."""
    return x[:, start:start + (steps - 1) * stride + 1:stride]


def _volume(x, where):
    x = convert_to_tensor(x)
    if x._rank != 5:
        raise ValueError(f"[{where}] volumes of shape [n, d, h, w, c] are needed; got {x.shape}")
    return x


@_takes_channels_first
def conv3d(input, filters, strides, padding, data_format="NDHWC", dilations=None, name=None):
    """Filters [kd, kh, kw, in, out] that slide over volumes [n, d, h, w, in].

    Raises: ValueError for other shapes, a padding that is neither SAME nor VALID, or channels first."""
    from . import nn
    from .ops_array import concat, pad, reshape, transpose
    if data_format != "NDHWC":
        raise ValueError(f"data_format must be NDHWC; got {data_format}")
    x, w = _volume(input, "conv3d"), convert_to_tensor(filters)
    stride, dilation = _inner(strides), _inner(dilations or 1)
    kd, kh, kw, channels, out = w._shape
    steps, before, behind = _margins(x._shape[1], (kd - 1) * dilation[0] + 1, stride[0], padding, "conv3d")
    if before or behind:
        x = pad(x, [[0, 0], [before, behind], [0, 0], [0, 0], [0, 0]])
    slices = [_depths(x, k * dilation[0], steps, stride[0]) for k in range(kd)]
    images = reshape(concat(slices, 4), [-1, x._shape[2], x._shape[3], kd * channels])
    kernel = reshape(transpose(w, [1, 2, 0, 3, 4]), [kh, kw, kd * channels, out])
    made = nn.conv2d(images, kernel, [1, stride[1], stride[2], 1], padding, dilations=[1, dilation[1], dilation[2], 1])
    return reshape(made, [-1, steps, made._shape[1], made._shape[2], out])


@_takes_channels_first
def conv3d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NDHWC", dilations=None, name=None):
    """The adjoint of `conv3d`. Shapes: input [n, d, h, w, in]; filters [kd, kh, kw, out, in]; gives `output_shape`."""
    _refused.only("conv3d_transpose", data_format=(data_format, "NDHWC", None),
                  dilations=(dilations, None, 1, [1] * 5, [1] * 3))
    from . import nn
    from ._tensor import static_shape
    from .ops_array import stack, unstack, zeros_like
    x, w = _volume(input, "conv3d_transpose"), convert_to_tensor(filters)
    stride, sizes = _inner(strides), static_shape(output_shape)
    steps, before, behind = _margins(sizes[1], w._shape[0], stride[0], padding, "conv3d_transpose")
    if steps != x._shape[1]:
        raise ValueError(f"[conv3d_transpose] output_shape must give the input's depth {x._shape[1]}; got {sizes[1]}")
    columns = unstack(x, axis=1)
    depths = [None] * (sizes[1] + before + behind)
    for k in range(w._shape[0]):
        for i, column in enumerate(columns):
            part = nn.conv2d_transpose(column, w[k], [column._shape[0] if column._shape[0] is not None else -1, *sizes[2:]],
                                       [1, stride[1], stride[2], 1], padding)
            place = i * stride[0] + k
            depths[place] = part if depths[place] is None else depths[place] + part
    known = next(one for one in depths if one is not None)
    depths = [zeros_like(known) if one is None else one for one in depths]
    return stack(depths[before:len(depths) - behind], axis=1)


def _pooled(input, ksize, strides, padding, pool, where):
    from .ops_array import reshape, transpose
    x = _volume(input, where)
    window, stride = _inner(ksize), _inner(strides)
    depth, height, width, channels = x._shape[1:]
    images = reshape(x, [-1, height, width, channels])
    images = pool(images, [1, window[1], window[2], 1], [1, stride[1], stride[2], 1], padding)
    height, width = images._shape[1:3]
    columns = reshape(transpose(reshape(images, [-1, depth, height, width, channels]), [0, 2, 3, 1, 4]),
                      [-1, depth, 1, channels])
    columns = pool(columns, [1, window[0], 1, 1], [1, stride[0], 1, 1], padding)
    made = reshape(columns, [-1, height, width, columns._shape[1], channels])
    return transpose(made, [0, 3, 1, 2, 4])


@_takes_channels_first
def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """The largest element of every window of volumes [n, d, h, w, c]."""
    _refused.only("max_pool3d", data_format=(data_format, "NDHWC", None))
    from . import nn
    return _pooled(input, ksize, strides, padding, nn.max_pool2d, "max_pool3d")


@_takes_channels_first
def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """The mean of every window of volumes [n, d, h, w, c]; what lies outside is not counted."""
    _refused.only("avg_pool3d", data_format=(data_format, "NDHWC", None))
    from . import nn
    return _pooled(input, ksize, strides, padding, nn.avg_pool2d, "avg_pool3d")

