"""Functions of images whose pixels come from other places, for `keras.ops.image`."""

import itertools

import numpy

from .. import ops_array as _a, ops_math as _m
from .._tensor import convert_to_tensor
from . import backend
from ._ops_dtypes import floats as _floats
from ._ops_image import _last
from .layers._affine import INTERPOLATIONS, affine_transform as _moved

_FILLED = ("constant", "nearest", "wrap", "reflect")


def _check_interpolation(interpolation):
    if interpolation not in INTERPOLATIONS:
        raise ValueError(f"Invalid value for argument `interpolation`. Expected of one {INTERPOLATIONS}. Received: "
                         f"interpolation={interpolation}")


def affine_transform(images, transform, interpolation="bilinear", fill_mode="constant", fill_value=0, data_format=None):
    """Images whose pixel (x, y) lies at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1, of the given ones.

    Shapes: transform [8] or [n, 8]: a0, a1, a2, b0, b1, b2, c0, c1. Raises: ValueError for other modes."""
    _check_interpolation(interpolation)
    if fill_mode not in _FILLED:
        raise ValueError(f"Invalid value for argument `fill_mode`. Expected of one {_FILLED}. Received: fill_mode={fill_mode}")

    def run(images):
        batch = images if images._rank == 4 else images[None]
        rows = _m.cast(transform, "float32")
        if rows._rank == 1 or rows._shape[0] == 1:
            rows = _a.broadcast_to(rows, [_a.shape(batch)[0], 8])
        made = _m.cast(_moved(batch, rows, interpolation, fill_mode, fill_value), images.dtype)
        return made if images._rank == 4 else made[0]
    return _last(run)(images, data_format=data_format)


def perspective_transform(images, start_points, end_points, interpolation="bilinear", fill_value=0, data_format=None):
    """Images whose corners `start_points` come to lie at `end_points`. Shapes: points [4, 2] or [n, 4, 2], as (x, y).

    Raises: ValueError for another interpolation, and points of other shapes."""
    _check_interpolation(interpolation)
    start, end = (_m.cast(one, "float32") for one in (start_points, end_points))
    for name, one in (("start_points", start), ("end_points", end)):
        if one._rank not in (2, 3) or list(one._shape[-2:]) != [4, 2]:
            raise ValueError(f"Invalid {name} shape: expected (4,2) for a single image or (N,4,2) for a batch. "
                             f"Received shape: {tuple(one._shape)}")
    start, end = (one if one._rank == 3 else one[None] for one in (start, end))
    return affine_transform(images, _of_corners(start, end), interpolation, "constant", fill_value, data_format)


def _of_corners(start, end):
    """[n, 8]: the transform by which pixels at `end` come from `start`, both [n, 4, 2]."""
    from .. import linalg
    x, y, to_x, to_y = end[..., 0], end[..., 1], start[..., 0], start[..., 1]
    ones, zeros = _a.ones_like(x), _a.zeros_like(x)
    across = _a.stack([x, y, ones, zeros, zeros, zeros, -to_x * x, -to_x * y], -1)
    down = _a.stack([zeros, zeros, zeros, x, y, ones, -to_y * x, -to_y * y], -1)
    places = _a.expand_dims(_a.concat([to_x, to_y], -1), -1)
    return _a.squeeze(linalg.solve(_a.concat([across, down], 1), places), -1)


def _inside(index, size, fill_mode):
    """Whole places brought into an axis of `size`."""
    if fill_mode == "wrap":
        return _m.floormod(index, size)
    if fill_mode == "mirror":
        return _mirrored(index, size)
    if fill_mode == "reflect":
        return _m.floordiv(_mirrored(2 * _m.abs(index) + 1, 2 * size + 1), 2)
    return _m.clip_by_value(index, 0, size - 1)


def _mirrored(index, size):
    last = max(size - 1, 1)
    return _m.abs(_m.floormod(index + last, 2 * last) - last)


def map_coordinates(inputs, coordinates, order, fill_mode="constant", fill_value=0):
    """The values at places between the elements. Shapes: coordinates [rank of the inputs, ...]; order: 0 the nearest element,
    1 the line between them. Raises: NotImplementedError for higher orders, ValueError for other modes and numbers of axes."""
    inputs, places = convert_to_tensor(inputs), convert_to_tensor(coordinates)
    if order > 1:
        raise NotImplementedError("map_coordinates currently requires order<=1")
    if fill_mode not in _FILLED + ("mirror",):
        raise ValueError(f"Invalid value for argument `fill_mode`. Expected one of {set(_FILLED + ('mirror',))}. Received: "
                         f"fill_mode={fill_mode}")
    if places._shape[0] != inputs._rank:
        raise ValueError("First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs with shape: "
                         f"{tuple(inputs._shape)} and coordinate leading dim of {places._shape[0]}")
    values = _floats(inputs)
    sides = [_ends(place, order) for place in _a.unstack(_m.cast(_floats(places), values.dtype), axis=0)]
    total = None
    for corner in itertools.product(*sides):
        part = _at(values, [index for index, _ in corner], fill_mode, fill_value)
        for _, weight in corner:
            part = part if weight is None else part * weight
        total = part if total is None else total + part
    return total if inputs.dtype.is_floating else _m.cast(_m.round(total), inputs.dtype)


def _ends(place, order):
    """[(whole place, its share)] along one axis."""
    if order == 0:
        return [(_m.cast(_m.round(place), "int32"), None)]
    low = _m.floor(place)
    share, low = place - low, _m.cast(low, "int32")
    return [(low, 1.0 - share), (low + 1, share)]


def _at(values, indices, fill_mode, fill_value):
    sizes = values._shape
    kept = [_inside(index, size, fill_mode) for index, size in zip(indices, sizes)]
    made = _a.gather_nd(values, _a.stack(kept, -1))
    if fill_mode != "constant":
        return made
    known = None
    for index, size in zip(indices, sizes):
        own = _m.logical_and(_m.greater_equal(index, 0), _m.less(index, size))
        known = own if known is None else _m.logical_and(known, own)
    return _a.where(known, made, _a.zeros_like(made) + _m.cast(fill_value, made.dtype))


def _triangle(x):
    return numpy.maximum(0.0, 1.0 - x)


def _cubic(x):
    near, far = ((1.5 * x - 2.5) * x) * x + 1.0, ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return numpy.where(x >= 2.0, 0.0, numpy.where(x >= 1.0, far, near))


def _lanczos(radius):
    return lambda x: numpy.where(x > radius, 0.0, numpy.sinc(x) * numpy.sinc(x / radius))


_KERNELS = {**dict.fromkeys(("linear", "bilinear", "trilinear"), _triangle),
            **dict.fromkeys(("cubic", "bicubic", "tricubic"), _cubic), "lanczos3": _lanczos(3.0), "lanczos5": _lanczos(5.0)}


def _shares(size, target, scale, translation, kernel, antialias):
    """[size, target]: how much of each place becomes a part of each new one."""
    back = 1.0 / scale
    wide = max(back, 1.0) if antialias else 1.0
    places = (numpy.arange(target) + 0.5) * back - translation * back - 0.5
    made = kernel(numpy.abs(places[None, :] - numpy.arange(size)[:, None]) / wide)
    total = made.sum(0, keepdims=True)
    known = numpy.abs(total) > 1000.0 * numpy.finfo("float32").eps
    made = numpy.where(known, made / numpy.where(known, total, 1.0), 0.0)
    return numpy.where((places >= -0.5) & (places <= size - 0.5), made, 0.0)


def scale_and_translate(images, output_shape, scale, translation, spatial_dims, method, antialias=True):
    """Images of another shape, scaled and moved along some axes: place x of an axis comes to x * scale + translation.

    Raises: ValueError for a method that there is not."""
    if method not in _KERNELS:
        raise ValueError(f"Invalid value for argument `method`. Expected of one {set(_KERNELS)}. Received: method={method}")
    images = convert_to_tensor(images)
    made = _floats(images)
    factors, moves = (numpy.asarray(one, "float64").ravel() for one in (scale, translation))
    for axis, factor, move in zip(spatial_dims, factors, moves):
        axis %= made._rank
        shares = _shares(made._shape[axis], int(output_shape[axis]), factor, move, _KERNELS[method], antialias)
        made = _m.tensordot(made, _m.cast(convert_to_tensor(shares), made.dtype), [[axis], [0]])
        order = list(range(made._rank - 1))
        made = _a.transpose(made, order[:axis] + [made._rank - 1] + order[axis:])
    return made if images.dtype.is_floating else _m.cast(_m.round(made), images.dtype)


def extract_patches_3d(volumes, size, strides=None, dilation_rate=1, padding="valid", data_format=None):
    """The windows of volumes as vectors. Shapes: [..., d, h, w, c] to [..., windows of each axis, elements of a window]."""
    volumes = convert_to_tensor(volumes)
    sizes, holes = ((one,) * 3 if isinstance(one, int) else tuple(one) for one in (size, dilation_rate))
    steps = sizes if not strides else (strides,) * 3 if isinstance(strides, int) else tuple(strides)
    single = volumes._rank == 4
    x = volumes[None] if single else volumes
    first = backend.standardize_data_format(data_format) == "channels_first"
    x = _a.transpose(x, [0, 2, 3, 4, 1]) if first else x
    for axis, one in enumerate(zip(sizes, steps, holes)):
        x = _cut(x, 1 + 2 * axis, *one, padding == "same")
    counts = [x._shape[1 + 2 * axis] for axis in range(3)]
    made = _a.reshape(_a.transpose(x, [0, 1, 3, 5, 2, 4, 6, 7]), [-1, *counts, int(numpy.prod(sizes)) * x._shape[-1]])
    made = _a.transpose(made, [0, 4, 1, 2, 3]) if first else made
    return made[0] if single else made


def _cut(x, axis, size, step, hole, same):
    """The windows of an axis: [..., n, ...] to [..., windows, size, ...]."""
    length, reach = x._shape[axis], (size - 1) * hole + 1
    count = -(-length // step) if same else (length - reach) // step + 1
    more = max((count - 1) * step + reach - length, 0) if same else 0
    x = _a.pad(x, [[more // 2, more - more // 2] if one == axis else [0, 0] for one in range(x._rank)])
    places = numpy.arange(count)[:, None] * step + numpy.arange(size) * hole
    return _a.gather(x, places.astype("int32"), axis=axis)
