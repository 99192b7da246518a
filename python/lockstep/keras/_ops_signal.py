"""Fourier transforms for `keras.ops`, of pairs (real parts, imaginary parts)."""

import numpy

from .. import ops_array as _a, ops_math as _m
from .._axes import require_rank
from .._tensor import convert_to_tensor
from ._ops_dtypes import floats as _floats

_MOST = 64  # as many places are transformed by one product


def extract_sequences(x, sequence_length, sequence_stride):
    """The windows of the last axis. Shapes: [..., n] to [..., windows, sequence_length]."""
    x = convert_to_tensor(x)
    count = max(1 + (x._shape[-1] - sequence_length) // sequence_stride, 0)
    places = numpy.arange(count)[:, None] * sequence_stride + numpy.arange(sequence_length)
    return _a.gather(x, places.astype("int32"), axis=-1)


def _pair(x):
    """Both parts, floating. Raises: ValueError for what is no pair of tensors of one shape."""
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError("Input `x` should be a tuple of two tensors - real and imaginary."
                         f"Received: x={x}")
    real, imaginary = (_floats(one) for one in x)
    if tuple(real._shape) != tuple(imaginary._shape):
        raise ValueError("Input `x` should be a tuple of two tensors - real and imaginary."
                         "Both the real and imaginary parts should have the same shape. "
                         f"Received: x[0].shape = {tuple(real._shape)}, x[1].shape = {tuple(imaginary._shape)}")
    return real, imaginary


def _product(pair, angles):
    """The pair times e^(i angles), a matrix where the last axis is summed over."""
    real, imaginary = pair
    cosine, sine = (convert_to_tensor(one.astype("float64"), dtype="float64") for one in (numpy.cos(angles), numpy.sin(angles)))
    cosine, sine = _m.cast(cosine, real.dtype), _m.cast(sine, real.dtype)
    return (_m.tensordot(real, cosine, 1) - _m.tensordot(imaginary, sine, 1),
            _m.tensordot(real, sine, 1) + _m.tensordot(imaginary, cosine, 1))


def _turned(pair, angles):
    """The pair times e^(i angles), place by place."""
    real, imaginary = pair
    cosine, sine = (_m.cast(convert_to_tensor(one), real.dtype) for one in (numpy.cos(angles), numpy.sin(angles)))
    return real * cosine - imaginary * sine, real * sine + imaginary * cosine


def _transformed(pair, sign):
    """The sums over the last axis of x[j] e^(sign 2 pi i j k / n)."""
    size = require_rank(pair[0], 1, "x")._shape[-1]
    if size == 0:
        raise ValueError("a transform needs at least one value along its axis; got 0")
    unit = sign * 2.0 * numpy.pi / size
    parts = [one for one in range(2, min(size // 2, _MOST) + 1) if size % one == 0]
    if size <= _MOST or not parts:
        return _product(pair, unit * (numpy.outer(numpy.arange(size), numpy.arange(size)) % size))
    first = parts[-1]
    second = size // first
    front = [-1 if one is None else one for one in pair[0]._shape[:-1]]

    def over(each, shape):
        return tuple(_a.reshape(one, front + shape) for one in each)
    pair = _transformed([_a.matrix_transpose(one) for one in over(pair, [first, second])], sign)
    pair = _turned(pair, unit * numpy.outer(numpy.arange(second), numpy.arange(first)))
    pair = _transformed([_a.matrix_transpose(one) for one in pair], sign)
    return over([_a.matrix_transpose(one) for one in pair], [size])


def _of_two_axes(pair, sign):
    pair = [_a.matrix_transpose(one) for one in _transformed(pair, sign)]
    return tuple(_a.matrix_transpose(one) for one in _transformed(pair, sign))


def fft(x):
    """The transform of the last axis."""
    return tuple(_transformed(_pair(x), -1))


def fft2(x):
    """The transform of the last two axes."""
    return _of_two_axes(_pair(x), -1)


def ifft2(x):
    """What `fft2` has made the pair of."""
    pair = [require_rank(one, 2, "x") for one in _pair(x)]
    count = float(pair[0]._shape[-1] * pair[0]._shape[-2])
    return tuple(one / count for one in _of_two_axes(pair, 1))


def _sized(x, size):
    """`x` with so many places in its last axis, zeros behind what there is."""
    own = x._shape[-1]
    if own >= size:
        return x[..., :size]
    return _a.pad(x, [[0, 0]] * (x._rank - 1) + [[0, size - own]])


def rfft(x, fft_length=None):
    """The transform of numbers of the last axis: the first half of it and the one behind, the others are their conjugates."""
    x = require_rank(_m.cast(x, "float32"), 1, "x")
    x = x if fft_length is None else _sized(x, int(fft_length))
    size = x._shape[-1]
    real, imaginary = (one[..., :size // 2 + 1] for one in _transformed((x, _a.zeros_like(x)), -1))
    numbers = numpy.arange(size // 2 + 1) * 2 % size == 0  # without an imaginary part
    return real, _a.where(numbers, _a.zeros_like(imaginary), imaginary)


def irfft(x, fft_length=None):
    """What `rfft` has made the pair of: so many numbers, by default an even number."""
    real, imaginary = (require_rank(one, 1, "x") for one in _pair(x))
    size = 2 * (real._shape[-1] - 1) if fft_length is None else int(fft_length)
    kept = size // 2 + 1
    real, imaginary = _sized(real, kept), _sized(imaginary, kept)
    behind = slice(1, kept - 1 if size % 2 == 0 else kept)

    def whole(one, sign):
        return _a.concat([one, sign * _a.reverse(one[..., behind], [one._rank - 1])], -1)
    first = _a.concat([_a.zeros_like(imaginary[..., :1]), imaginary[..., 1:]], -1)  # a number there
    return _transformed((whole(real, 1.0), whole(first, -1.0)), 1)[0] / float(size)


def _window(window, sequence_length, fft_length, dtype):
    """[fft_length]: a window of `sequence_length` places in the middle. Raises: ValueError for one that there is not."""
    if window is None:
        return numpy.ones(fft_length, dtype.as_numpy_dtype)
    if isinstance(window, str):
        if window not in ("hann", "hamming"):
            raise ValueError("If a string is passed to `window`, it must be one of `\"hann\"`, `\"hamming\"`. "
                             f"Received: window={window}")
        low = 0.5 if window == "hann" else 0.54
        around = max(sequence_length - sequence_length % 2, 1)  # an odd one ends as it begins
        made = low - (1.0 - low) * numpy.cos(2.0 * numpy.pi * numpy.arange(sequence_length) / around)
    else:
        made = numpy.asarray(convert_to_tensor(window))
        if made.shape != (sequence_length,):
            raise ValueError(f"The shape of `window` must be equal to [sequence_length]. Received: window shape={made.shape}")
    front = (fft_length - sequence_length) // 2
    return numpy.pad(made, (front, fft_length - sequence_length - front)).astype(dtype.as_numpy_dtype)


def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    """The transforms of windows. Shapes: [..., n] to a pair [..., windows, fft_length // 2 + 1].

    Raises: ValueError for windows longer than `fft_length`."""
    _check(sequence_length, sequence_stride, fft_length)
    x = _floats(x)
    if center:
        half = fft_length // 2
        x = _a.pad(x, [[0, 0]] * (x._rank - 1) + [[half, half]], "REFLECT")
    windows = extract_sequences(x, fft_length, sequence_stride)
    return rfft(windows * _window(window, sequence_length, fft_length, x.dtype))


def _check(sequence_length, sequence_stride, fft_length):
    if fft_length < sequence_length:
        raise ValueError("`fft_length` must equal or larger than `sequence_length`. Received: "
                         f"sequence_length={sequence_length}, fft_length={fft_length}")


def istft(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True):
    """What `stft` has made the pair of, as far as its windows tell. Shapes: [..., windows, places] to [..., n]."""
    _check(sequence_length, sequence_stride, fft_length)
    real, imaginary = _pair(x)
    windows = irfft((real, imaginary), fft_length)
    if window is not None:
        windows = windows * _shares(_window(window, sequence_length, fft_length, real.dtype), sequence_stride)
    count = real._shape[-2]
    whole = (count - 1) * sequence_stride + fft_length
    places = (numpy.arange(count)[:, None] * sequence_stride + numpy.arange(fft_length)).ravel()
    rows = _a.transpose(_a.reshape(windows, [-1, places.size]), [1, 0])
    made = _a.transpose(_m.unsorted_segment_sum(rows, places.astype("int32"), whole), [1, 0])
    made = _a.reshape(made, list(windows._shape[:-2]) + [whole])
    start = fft_length // 2 if center else 0
    return made[..., start:whole - start if length is None else min(start + length, whole)]


def _shares(window, stride):
    """By what windows are multiplied so that all that cover a place make up the number that was there."""
    size = len(window)
    covers = -(-size // stride)
    squares = numpy.pad(window * window, (0, covers * stride - size)).reshape(covers, stride).sum(0)
    all_squares = numpy.tile(squares, covers)[:size]
    return (window / numpy.where(all_squares == 0.0, 1.0, all_squares)).astype(window.dtype)
