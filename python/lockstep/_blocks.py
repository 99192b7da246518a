"""Moving blocks of an image's pixels between its plane, its channels and its batch, and taking its patches."""

from . import _refused, errors
from ._axes import require_rank
from ._tensor import convert_to_tensor, integers
from .ops_array import gather, pad, reshape, sizes_of, transpose


def _block_sizes(block_shape, where):
    """The sizes as numbers. Raises: InvalidArgumentError for one below 1."""
    blocks = [int(one) for one in integers(block_shape, "block_shape")]
    if any(one < 1 for one in blocks):
        raise errors.InvalidArgumentError(None, None, f"[{where}] all values of block_shape must be positive; got {blocks}")
    return blocks


def _channels_last(function):
    def either(input, block_size, data_format="NHWC", name=None):
        input = convert_to_tensor(input)
        if int(block_size) < 2:
            raise errors.InvalidArgumentError(None, None, f"[{function.__name__}] block_size must be greater than 1; got "
                                              f"{block_size}")
        _refused.attribute(function.__name__, "data_format", data_format, ("NHWC", "NCHW"))
        if data_format == "NCHW":
            return transpose(function(transpose(input, [0, 2, 3, 1]), block_size), [0, 3, 1, 2])
        return function(input, block_size)
    either.__doc__ = function.__doc__
    either.__name__ = function.__name__
    return either


@_channels_last
def space_to_depth(input, block):
    """Blocks of pixels become channels. Shapes: [n, h, w, c] to [n, h / block, w / block, block * block * c]."""
    n, height, width, channels = sizes_of(input)
    parts = reshape(input, [n, height // block, block, width // block, block, channels])
    return reshape(transpose(parts, [0, 1, 3, 2, 4, 5]), [n, height // block, width // block, block * block * channels])


@_channels_last
def depth_to_space(input, block):
    """Channels become blocks of pixels. Shapes: [n, h, w, block * block * c] to [n, h * block, w * block, c]."""
    n, height, width, channels = sizes_of(input)
    inner = channels // (block * block)
    parts = reshape(input, [n, height, width, block, block, inner])
    return reshape(transpose(parts, [0, 1, 3, 2, 4, 5]), [n, height * block, width * block, inner])


def space_to_batch(input, block_shape, paddings, name=None):
    """Pads, and makes examples of every block_shape[i]-th place along axis i + 1."""
    input = convert_to_tensor(input)
    blocks = _block_sizes(block_shape, "space_to_batch")
    rest = input._rank - 1 - len(blocks)
    input = pad(input, [[0, 0], *[list(one) for one in integers(paddings, "paddings")], *[[0, 0]] * rest])
    sizes = sizes_of(input)
    parts, order = [sizes[0]], []
    for size, block in zip(sizes[1:], blocks):
        parts += [size // block, block]
    count = len(blocks)
    order = [2 + 2 * i for i in range(count)] + [0] + [1 + 2 * i for i in range(count)]
    tail = sizes[1 + count:]
    order += [1 + 2 * count + i for i in range(len(tail))]
    product = 1
    for block in blocks:
        product *= block
    outer = [size // block for size, block in zip(sizes[1:], blocks)]
    return reshape(transpose(reshape(input, parts + tail), order), [sizes[0] * product, *outer, *tail])


def batch_to_space(input, block_shape, crops, name=None):
    """Undoes `space_to_batch`, and cuts off `crops`."""
    input = convert_to_tensor(input)
    blocks = _block_sizes(block_shape, "batch_to_space")
    require_rank(input, 1 + len(blocks), "input")
    count, product = len(blocks), 1
    for block in blocks:
        product *= block
    sizes = sizes_of(input)
    tail = sizes[1 + count:]
    made = reshape(input, blocks + [sizes[0] // product] + sizes[1:])
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += [2 * count + 1 + i for i in range(len(tail))]
    whole = [size * block for size, block in zip(sizes[1:], blocks)]
    made = reshape(transpose(made, order), [sizes[0] // product, *whole, *tail])
    cut = tuple(slice(int(first), size - int(last)) for (first, last), size in zip(integers(crops, "crops"), whole))
    return made[(slice(None), *cut)]


def _window(size, kernel, stride, rate, same):
    """(how much to pad in front, behind, places of each window's elements)"""
    reach = (kernel - 1) * rate + 1
    count = -(-size // stride) if same else (size - reach) // stride + 1
    missing = max((count - 1) * stride + reach - size, 0) if same else 0
    places = [[i * stride + k * rate for k in range(kernel)] for i in range(max(count, 0))]
    return missing // 2, missing - missing // 2, places


def _of_window(value, name):
    """[1, rows, columns, 1] as numbers. Raises: ValueError."""
    value = integers(value, name)
    if not isinstance(value, (list, tuple)) or len(value) != 4 or any(int(one) < 1 for one in value):
        raise ValueError(f"{name} must be four positive numbers; got {value!r}")
    return [int(one) for one in value]


def extract_patches(images, sizes, strides, rates, padding, name=None):
    """What a window sees at each place. Shapes: images [n, h, w, c]; sizes, strides, rates [1, rows, columns, 1]; result
    [n, places down, places across, rows * columns * c]."""
    images = convert_to_tensor(images)
    if images._rank != 4:
        raise ValueError(f"images must have 4 axes; got the shape {tuple(images._shape)}")
    sizes, strides, rates = (_of_window(one, name) for one, name in ((sizes, "sizes"), (strides, "strides"), (rates, "rates")))
    same = _refused.attribute("extract_patches", "padding", padding, ("SAME", "VALID")) == "SAME"
    top, bottom, down = _window(images._shape[1], sizes[1], strides[1], rates[1], same)
    left, right, across = _window(images._shape[2], sizes[2], strides[2], rates[2], same)
    images = pad(images, [[0, 0], [top, bottom], [left, right], [0, 0]])
    rows = gather(images, down, axis=1)
    both = transpose(gather(rows, across, axis=3), [0, 1, 3, 2, 4, 5])
    channels = images._shape[3]
    return reshape(both, [sizes_of(images)[0], len(down), len(across), sizes[1] * sizes[2] * channels])
