"""Images moved, turned and scaled: each pixel of the result is taken from a place in the image."""

from ... import math, ops_array, ops_math
from ..._tensor import convert_to_tensor

FILL_MODES = ("reflect", "wrap", "constant", "nearest")
INTERPOLATIONS = ("nearest", "bilinear")


def affine_transform(images, transforms, interpolation="bilinear", fill_mode="constant", fill_value=0.0):
    """The images [n, height, width, channels] whose pixel (x, y) lies at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k),
    k = c0 x + c1 y + 1, of the given ones. Shapes: transforms [n, 8]: a0, a1, a2, b0, b1, b2, c0, c1. What lies outside is
    told by `fill_mode`. Source: TF core/kernels/image/image_ops.h."""
    images, transforms = convert_to_tensor(images), convert_to_tensor(transforms, dtype="float32")
    height, width = images._shape[1:3]
    y, x = ops_array.meshgrid(ops_math.range(float(height)), ops_math.range(float(width)),
                              indexing="ij")
    a0, a1, a2, b0, b1, b2, c0, c1 = [one[:, None, None] for one in ops_array.unstack(transforms, 8, axis=1)]
    k = c0 * x + c1 * y + 1.0
    place_x = _inside((a0 * x + a1 * y + a2) / k, width, fill_mode)
    place_y = _inside((b0 * x + b1 * y + b2) / k, height, fill_mode)

    def read(row, column):
        known = (row >= 0.0) & (row < float(height)) & (column >= 0.0) & (column < float(width))
        row = ops_math.cast(ops_math.clip_by_value(row, 0.0, float(height - 1)), "int32")
        column = ops_math.cast(ops_math.clip_by_value(column, 0.0, float(width - 1)), "int32")
        flat = ops_array.reshape(images, [-1, height * width, images._shape[3]])
        places = ops_array.reshape(row * width + column, [-1, height * width])
        found = ops_array.reshape(ops_array.gather(flat, places, axis=1, batch_dims=1), ops_array.shape(images))
        return ops_array.where(known[..., None], found, ops_math.cast(fill_value, images.dtype))
    if interpolation == "nearest":
        return read(*(math.sign(one) * math.floor(math.abs(one) + 0.5) for one in (place_y, place_x)))
    top, left = math.floor(place_y), math.floor(place_x)
    right, down = (place_x - left)[..., None], (place_y - top)[..., None]
    above = (1.0 - right) * read(top, left) + right * read(top, left + 1.0)
    below = (1.0 - right) * read(top + 1.0, left) + right * read(top + 1.0, left + 1.0)
    return ops_math.cast((1.0 - down) * above + down * below, images.dtype)


def _inside(place, size, fill_mode):
    """Places along an axis of `size` pixels, brought into it as the mode says."""
    last = float(size - 1)
    if fill_mode == "constant":
        return place
    if fill_mode == "nearest":
        return ops_math.clip_by_value(place, 0.0, last)
    if size <= 1:
        return ops_array.zeros_like(place)
    if fill_mode == "wrap":
        under = place + float(size) * (math.floor(-place / last) + 1.0)
        over = place - float(size) * math.floor(place / last)
    else:
        around = 2.0 * size
        under = ops_array.where(place < around, around * math.floor(-place / around) + place, place)
        under = ops_array.where(under < -float(size), under + around, -under - 1.0)
        over = place - around * math.floor(place / around)
        over = ops_array.where(over >= float(size), around - over - 1.0, over)
    found = ops_array.where(place < 0.0, under, ops_array.where(place > last, over, place))
    return ops_math.clip_by_value(found, 0.0, last)
