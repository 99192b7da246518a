"""Images [h, w, c] or [n, h, w, c]: `tf.image`."""

from . import _memory, _native, errors, nn, ops_array, ops_math, random
from ._dtypes import as_dtype, float32
from ._tensor import convert_to_tensor, integers


class ResizeMethod:
    """Names of ways to resize."""
    BILINEAR, NEAREST_NEIGHBOR, AREA, BICUBIC = "bilinear", "nearest", "area", "bicubic"
    LANCZOS3, LANCZOS5, GAUSSIAN, MITCHELLCUBIC = "lanczos3", "lanczos5", "gaussian", "mitchellcubic"


def _batch(image):
    """(images [n, h, w, c], whether it was one image)"""
    image = convert_to_tensor(image)
    if image._rank == 3:
        return ops_array.expand_dims(image, 0), True
    if image._rank != 4:
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return image, False


def _single(images, one):
    return ops_array.squeeze(images, 0) if one else images


def _is_like(image, like):
    return image if image._dtype == like._dtype else _native.cast(image, like.dtype)


# ---- places of pixels -------------------------------------------------------------------------------------


def flip_left_right(image):
    """Columns in the other order."""
    images, one = _batch(image)
    return _single(ops_array.reverse(images, [2]), one)


def flip_up_down(image):
    """Rows in the other order."""
    images, one = _batch(image)
    return _single(ops_array.reverse(images, [1]), one)


def transpose(image, name=None):
    """Rows as columns."""
    images, one = _batch(image)
    return _single(ops_array.transpose(images, [0, 2, 1, 3]), one)


def rot90(image, k=1, name=None):
    """`k` quarter turns against the clock."""
    images, one = _batch(image)
    k %= 4
    if k == 1:
        images = ops_array.reverse(ops_array.transpose(images, [0, 2, 1, 3]), [1])
    elif k == 2:
        images = ops_array.reverse(images, [1, 2])
    elif k == 3:
        images = ops_array.transpose(ops_array.reverse(images, [1]), [0, 2, 1, 3])
    return _single(images, one)


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The rows and columns of a box. Raises: ValueError where it is not inside of the image."""
    images, one = _batch(image)
    height, width = images._shape[1], images._shape[2]
    if offset_height < 0 or offset_width < 0:
        raise ValueError("offset_height must be >= 0." if offset_height < 0 else "offset_width must be >= 0.")
    if offset_height + target_height > height:
        raise ValueError("height must be >= target + offset.")
    if offset_width + target_width > width:
        raise ValueError("width must be >= target + offset.")
    return _single(images[:, offset_height:offset_height + target_height,
                          offset_width:offset_width + target_width], one)


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Zeros around an image. Raises: ValueError where it is larger than the box."""
    images, one = _batch(image)
    below = target_height - offset_height - images._shape[1]
    right = target_width - offset_width - images._shape[2]
    for value, name in ((offset_height, "offset_height must be >= 0"), (offset_width, "offset_width must be >= 0"),
                        (right, "width must be <= target - offset"), (below, "height must be <= target - offset")):
        if value < 0:
            raise ValueError(name)
    return _single(ops_array.pad(images, [[0, 0], [offset_height, below], [offset_width, right], [0, 0]]), one)


def central_crop(image, central_fraction):
    """The middle part of an image. Raises: ValueError for a fraction out of (0, 1]."""
    if not 0 < central_fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    images, one = _batch(image)
    if central_fraction == 1:
        return _single(images, one)
    top = int((images._shape[1] - images._shape[1] * central_fraction) / 2)
    left = int((images._shape[2] - images._shape[2] * central_fraction) / 2)
    return _single(images[:, top:images._shape[1] - top, left:images._shape[2] - left], one)


def resize_with_crop_or_pad(image, target_height, target_width):
    """An image cut or filled with zeros, its middle kept."""
    images, one = _batch(image)
    height, width = images._shape[1], images._shape[2]
    down, across = target_height - height, target_width - width
    images = crop_to_bounding_box(images, max(-down // 2, 0), max(-across // 2, 0),
                                  min(target_height, height), min(target_width, width))
    return _single(pad_to_bounding_box(images, max(down // 2, 0), max(across // 2, 0), target_height,
                                       target_width), one)


resize_image_with_crop_or_pad = resize_with_crop_or_pad


# ---- sizes ------------------------------------------------------------------------------------------------


def _line(size, target, kernel, radius, antialias):
    """(places, weights) [target, span]: which pixels a pixel of the result is made of, as TensorFlow's
    ScaleAndTranslate has it."""
    import numpy
    scale = numpy.float32(target / size)
    inverse = numpy.float32(1.0) / scale
    wide = max(inverse, numpy.float32(1.0)) if antialias else numpy.float32(1.0)
    span = min(2 * int(numpy.ceil(radius * wide)) + 1, size)
    places = numpy.zeros((target, span), "int32")
    weights = numpy.zeros((target, span), "float32")
    for x in range(target):
        middle = numpy.float32((x + numpy.float32(0.5)) * inverse)
        first = max(0, int(numpy.ceil(middle - radius * wide - 0.5)))
        last = min(size - 1, int(numpy.floor(middle + radius * wide - 0.5)))
        first = min(first, size - 1)
        last = max(last, first)
        count = min(last - first + 1, span)
        own = numpy.array([kernel((first + i + 0.5 - middle) / wide) for i in range(count)], "float32")
        total = own.sum()
        if abs(total) >= 1000 * numpy.finfo("float32").tiny:
            own = own / total
        places[x, :count] = first + numpy.arange(count)
        weights[x, :count] = own
    return places, weights


def _triangle(x):
    return max(0.0, 1.0 - abs(x))


def _cubic(x):
    x = abs(x)
    if x >= 2:
        return 0.0
    return ((-0.5 * x + 2.5) * x - 4) * x + 2 if x >= 1 else (1.5 * x - 2.5) * x * x + 1


def _lanczos(radius):
    import math

    def kernel(x):
        x = abs(x)
        if x > radius:
            return 0.0
        if x <= 1e-3:
            return 1.0
        return radius * math.sin(math.pi * x) * math.sin(math.pi * x / radius) / (math.pi * x) ** 2
    return kernel


_KERNELS = {"bilinear": (_triangle, 1.0), "bicubic": (_cubic, 2.0), "lanczos3": (_lanczos(3.0), 3.0),
            "lanczos5": (_lanczos(5.0), 5.0)}


def _along(images, axis, places, weights):
    """The sums of pixels along an axis."""
    total = None
    shape = [1] * images._rank
    shape[axis] = len(places)
    for i in range(places.shape[1]):
        part = ops_array.gather(images, places[:, i].copy(), axis=axis) * convert_to_tensor(
            weights[:, i].reshape(shape).copy())
        total = part if total is None else total + part
    return total


def resize(images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None):
    """Images of another size, as float32 but for nearest. Raises: ValueError for other methods or sizes."""
    import numpy
    batch, one = _batch(images)
    method = str(method).lower()
    height, width = batch._shape[1], batch._shape[2]
    size = integers(size, "a size") if hasattr(size, "numpy") else size
    if len(size) != 2:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    down, across = (int(part) for part in size)
    if down <= 0 or across <= 0:
        raise errors.InvalidArgumentError(None, None, f"[image.resize] output dimensions must be positive; got {[down, across]}")
    if preserve_aspect_ratio:
        ratio = min(down / height, across / width)
        down, across = round(height * ratio), round(width * ratio)
    _memory.require(down * across, 4 * max(1, (batch._shape[0] or 1) * (batch._shape[3] or 1)), "image.resize")
    if (down, across) == (height, width):
        return _single(batch if method == "nearest" else _native.cast(batch, float32), one)
    if method == "nearest":
        for axis, old, new in ((1, height, down), (2, width, across)):
            places = numpy.minimum(numpy.floor((numpy.arange(new) + numpy.float32(0.5)) * numpy.float32(old / new)),
                                   old - 1).astype("int32")
            batch = ops_array.gather(batch, places, axis=axis)
        return _single(batch, one)
    batch = _native.cast(batch, float32)
    if method == "area":
        if height % down or width % across:
            raise NotImplementedError("[image.resize] area needs sizes that divide the image's; got "
                                      f"{(height, width)} and {(down, across)}; take bilinear with antialias")
        pool = (height // down, width // across)
        return _single(nn.avg_pool2d(batch, pool, pool, "VALID"), one)
    if method not in _KERNELS:
        raise ValueError(f"Resize method is not implemented: {method}")
    kernel, radius = _KERNELS[method]
    batch = _along(batch, 1, *_line(height, down, kernel, radius, antialias))
    batch = _along(batch, 2, *_line(width, across, kernel, radius, antialias))
    return _single(batch, one)


def resize_with_pad(image, target_height, target_width, method="bilinear", antialias=False):
    """An image resized with its form kept, and zeros around it."""
    images, one = _batch(image)
    if target_height < 1 or target_width < 1:
        raise ValueError(f"target_height and target_width must be > 0; got {target_height} and {target_width}")
    ratio = max(images._shape[1] / target_height, images._shape[2] / target_width)
    height, width = int(images._shape[1] / ratio), int(images._shape[2] / ratio)
    images = resize(images, (height, width), method, antialias=antialias)
    made = pad_to_bounding_box(images, max(0, (target_height - height) // 2), max(0, (target_width - width) // 2),
                               target_height, target_width)
    return _single(made, one)


# ---- values of pixels -------------------------------------------------------------------------------------


def _limits(dtype):
    import numpy
    return numpy.iinfo(dtype.as_numpy_dtype)


def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Images of another dtype: floats lie in [0, 1], integers in their whole range."""
    image, dtype = convert_to_tensor(image), as_dtype(dtype)
    if image.dtype == dtype:
        return image
    if image.dtype.is_integer and dtype.is_integer:
        old, new = int(_limits(image.dtype).max), int(_limits(dtype).max)
        if old > new:
            return _native.cast(ops_math.floordiv(image, (old + 1) // (new + 1)), dtype)
        return _native.cast(image, dtype) * ((new + 1) // (old + 1))
    if image.dtype.is_floating and dtype.is_floating:
        return _native.cast(image, dtype)
    if image.dtype.is_integer:
        return _native.cast(image, dtype) * (1.0 / int(_limits(image.dtype).max))
    scaled = image * (int(_limits(dtype).max) + 0.5)
    return ops_math.saturate_cast(scaled, dtype) if saturate else _native.cast(scaled, dtype)


def _as_float(function):
    """A function of float images, for images of any dtype."""
    def adjust(image, *args, **kwargs):
        image = convert_to_tensor(image)
        if image.dtype.is_floating:
            return function(image, *args, **kwargs)
        made = function(convert_image_dtype(image, float32), *args, **kwargs)
        return convert_image_dtype(made, image.dtype, saturate=True)
    adjust.__name__, adjust.__doc__ = function.__name__, function.__doc__
    return adjust


@_as_float
def adjust_brightness(image, delta):
    """Adds `delta`."""
    return image + delta


@_as_float
def adjust_contrast(images, contrast_factor):
    """(x - mean) * factor + mean, with each channel's mean."""
    mean = ops_math.reduce_mean(images, axis=[-3, -2], keepdims=True)
    return (images - mean) * contrast_factor + mean


@_as_float
def adjust_gamma(image, gamma=1, gain=1):
    """gain * x^gamma."""
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return image ** gamma * gain


@_as_float
def rgb_to_grayscale(images, name=None):
    """0.2989 r + 0.587 g + 0.114 b."""
    weights = convert_to_tensor([0.2989, 0.587, 0.114])
    return ops_array.expand_dims(ops_math.tensordot(images, weights, [[images._rank - 1], [0]]), -1)


def _mixed(kind, rows):
    """A function that takes images of one kind of channels to another, by a matrix."""
    def change(images):
        images = convert_to_tensor(images)
        return ops_math.tensordot(images, convert_to_tensor(rows, dtype=images.dtype), [[images._rank - 1], [0]])
    change.__name__ = change.__qualname__ = kind
    change.__doc__ = f"Channels {kind.replace('_to_', ' as ')}."
    return change


rgb_to_yiq = _mixed("rgb_to_yiq", [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]])
yiq_to_rgb = _mixed("yiq_to_rgb", [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]])
rgb_to_yuv = _mixed("rgb_to_yuv", [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512],
                                   [0.114, 0.43601035, -0.10001026]])
yuv_to_rgb = _mixed("yuv_to_rgb", [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]])


def grayscale_to_rgb(images, name=None):
    """The channel three times."""
    images = convert_to_tensor(images)
    return ops_array.tile(images, [1] * (images._rank - 1) + [3])


@_as_float
def rgb_to_hsv(images, name=None):
    """Hue, saturation and value, all in [0, 1]."""
    r, g, b = ops_array.unstack(images, axis=-1)
    value = ops_math.maximum(ops_math.maximum(r, g), b)
    span = value - ops_math.minimum(ops_math.minimum(r, g), b)
    saturation = ops_array.where(value > 0, span / ops_array.where(value > 0, value, 1.0), 0.0)
    unit = 1.0 / (6.0 * ops_array.where(span > 0, span, 1.0))
    hue = ops_array.where(ops_math.equal(r, value), unit * (g - b), ops_array.where(
        ops_math.equal(g, value), unit * (b - r) + 2.0 / 6.0, unit * (r - g) + 4.0 / 6.0))
    hue = ops_array.where(span <= 0, ops_array.zeros_like(hue), ops_array.where(hue < 0, hue + 1.0, hue))
    return ops_array.stack([hue, saturation, value], axis=-1)


@_as_float
def hsv_to_rgb(images, name=None):
    """The way back from `rgb_to_hsv`."""
    h, s, v = ops_array.unstack(images, axis=-1)
    c = s * v
    m = v - c
    dh = h * 6.0
    fmod = dh - 2.0 * ops_math.floor(dh / 2.0)
    x = c * (1.0 - ops_math.abs(fmod - 1.0))
    place = ops_math.cast(ops_math.floor(dh), "int32")
    zero = ops_array.zeros_like(c)

    def choose(values):
        made = zero
        for i, one in enumerate(values):
            made = ops_array.where(ops_math.equal(place, i), one, made)
        return made + m
    return ops_array.stack([choose([c, x, zero, zero, x, c]), choose([x, c, c, x, zero, zero]),
                            choose([zero, zero, x, c, c, x])], axis=-1)


@_as_float
def adjust_saturation(image, saturation_factor, name=None):
    """The saturation times a factor."""
    h, s, v = ops_array.unstack(rgb_to_hsv(image), axis=-1)
    s = ops_math.clip_by_value(s * saturation_factor, 0.0, 1.0)
    return hsv_to_rgb(ops_array.stack([h, s, v], axis=-1))


@_as_float
def adjust_hue(image, delta, name=None):
    """The hue moved by `delta` in [-1, 1]."""
    h, s, v = ops_array.unstack(rgb_to_hsv(image), axis=-1)
    h = h + delta
    return hsv_to_rgb(ops_array.stack([h - ops_math.floor(h), s, v], axis=-1))


def per_image_standardization(image):
    """(x - mean) / max(deviation, 1 / sqrt(pixels)) of each image."""
    image = _native.cast(convert_to_tensor(image), float32)
    count = 1
    for size in image._shape[-3:]:
        count *= size
    mean = ops_math.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
    variance = ops_math.reduce_mean(ops_math.square(image - mean), axis=[-1, -2, -3], keepdims=True)
    return (image - mean) / ops_math.maximum(ops_math.sqrt(variance), count ** -0.5)


def image_gradients(image):
    """(dy, dx): the differences to the pixel below and to the right; 0 at the end."""
    image = convert_to_tensor(image)
    dy = image[:, 1:] - image[:, :-1]
    dx = image[:, :, 1:] - image[:, :, :-1]
    return (ops_array.pad(dy, [[0, 0], [0, 1], [0, 0], [0, 0]]),
            ops_array.pad(dx, [[0, 0], [0, 0], [0, 1], [0, 0]]))


def sobel_edges(image):
    """The changes along both axes by Sobel's filters. Shapes: [n, h, w, c, 2]."""
    rows = ops_array.pad(convert_to_tensor(image), [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")

    def smooth(x, axis):
        first, middle, last = ((slice(None),) * axis + (part,) for part in (slice(None, -2), slice(1, -1), slice(2, None)))
        return x[first] + 2 * x[middle] + x[last]
    dy, dx = smooth(rows, 2), smooth(rows, 1)
    return ops_array.stack([dy[:, 2:] - dy[:, :-2], dx[:, :, 2:] - dx[:, :, :-2]], -1)


def crop_and_resize(image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0, name=None):
    """Parts of images, each in one size. Args: boxes [n, (y1, x1, y2, x2)], from 0 to 1; box_indices: of which image.
    Shapes: [n, *crop_size, c]. Raises: ValueError for another method."""
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be bilinear or nearest; got {method}")
    image = ops_math.cast(image, float32) * 1.0  # whose gradient is dense
    boxes, box_indices = convert_to_tensor(boxes, dtype=float32), convert_to_tensor(box_indices, dtype="int32")

    def places(low, high, size, count):
        """(first neighbours, second ones, how far from the first, which are inside), each [n, count]"""
        last = ops_math.cast(size - 1, float32)
        low, high = ops_array.expand_dims(low, 1), ops_array.expand_dims(high, 1)
        if count > 1:
            step = ops_math.range(count, dtype=float32) / (count - 1)
            at = (low + (high - low) * ops_array.expand_dims(step, 0)) * last
        else:
            at = 0.5 * (low + high) * last
        inside = (at >= 0.0) & (at <= last)
        at = ops_math.clip_by_value(at, 0.0, last)
        first = ops_math.floor(at + 0.5 if method == "nearest" else at)
        second = first if method == "nearest" else ops_math.ceil(at)
        return ops_math.cast(first, "int32"), ops_math.cast(second, "int32"), at - first, inside
    shape, (height, width) = ops_array.shape(image), integers(crop_size, "crop_size")
    top, bottom, down, in_rows = places(boxes[:, 0], boxes[:, 2], shape[1], height)
    left, right, along, in_columns = places(boxes[:, 1], boxes[:, 3], shape[2], width)
    part = ops_array.gather(image, box_indices)

    def taken(rows, columns):
        return ops_array.gather(ops_array.gather(part, rows, axis=1, batch_dims=1), columns, axis=2, batch_dims=1)
    down, along = down[:, :, None, None], along[:, None, :, None]
    if method == "nearest":
        made = taken(top, left)
    else:
        above = taken(top, left) * (1 - along) + taken(top, right) * along
        below = taken(bottom, left) * (1 - along) + taken(bottom, right) * along
        made = above * (1 - down) + below * down
    inside = ops_array.expand_dims(in_rows, 2) & ops_array.expand_dims(in_columns, 1)
    return ops_array.where(ops_array.expand_dims(inside, -1), made, ops_array.ones_like(made) * extrapolation_value)


def _overlap(box, others):
    """Intersection over union of a box with others, of float32 arrays."""
    import numpy
    low, high = numpy.maximum(box[:2], others[:, :2]), numpy.minimum(box[2:], others[:, 2:])
    common = numpy.prod(numpy.maximum(high - low, 0), axis=1)
    union = numpy.prod(box[2:] - box[:2]) + numpy.prod(others[:, 2:] - others[:, :2], axis=1) - common
    return numpy.where(union > 0, common / numpy.where(union > 0, union, 1), 0)


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=None, name=None):
    """The places of the boxes with the best scores that no better one overlaps too much, int32. Shapes: boxes [n, 4]."""
    from ._host_calls import numpy_function

    def choose(boxes, scores, most, overlap, least):
        import numpy
        boxes = numpy.concatenate([numpy.minimum(boxes[:, :2], boxes[:, 2:]), numpy.maximum(boxes[:, :2], boxes[:, 2:])], 1)
        kept = []
        for place in numpy.argsort(-scores, kind="stable"):
            if len(kept) >= most or not scores[place] > least:
                break
            if not len(kept) or not (_overlap(boxes[place], boxes[kept]) > overlap).any():
                kept.append(place)
        return numpy.array(kept, "int32")
    made = numpy_function(choose, [
        convert_to_tensor(boxes, dtype=float32), convert_to_tensor(scores, dtype=float32),
        convert_to_tensor(max_output_size, dtype="int32"), convert_to_tensor(iou_threshold, dtype=float32),
        convert_to_tensor(float("-inf") if score_threshold is None else score_threshold, dtype=float32)], "int32")
    return ops_array.reshape(made, [-1])


def psnr(a, b, max_val, name=None):
    """The ratio of the largest value to the error, in decibel."""
    a, b = convert_image_dtype(a, float32), convert_image_dtype(b, float32)
    error = ops_math.reduce_mean(ops_math.square(a - b), axis=[-3, -2, -1])
    import math
    return 20 * math.log10(float(max_val)) - (10 / math.log(10)) * ops_math.log(error)


def total_variation(images, name=None):
    """The sum of the differences between neighbours."""
    images, one = _batch(images)
    down = ops_math.abs(images[:, 1:] - images[:, :-1])
    across = ops_math.abs(images[:, :, 1:] - images[:, :, :-1])
    total = ops_math.reduce_sum(down, axis=[1, 2, 3]) + ops_math.reduce_sum(across, axis=[1, 2, 3])
    return _single(total, one)


# ---- at random --------------------------------------------------------------------------------------------


def _flip_at_random(image, seed, axis, drawn):
    images, one = _batch(image)
    kept = drawn([images._shape[0]] if not one else [], seed)
    kept = ops_array.reshape(kept, [-1, 1, 1, 1])
    return _single(ops_array.where(kept < 0.5, images, ops_array.reverse(images, [axis]))
                   if not one else ops_array.where(kept < 0.5, ops_array.reverse(images, [axis]), images), one)


def random_flip_left_right(image, seed=None):
    """Flips with probability 1/2, each image by itself."""
    return _flip_at_random(image, seed, 2, lambda shape, s: random.uniform(shape, seed=s))


def random_flip_up_down(image, seed=None):
    """Flips with probability 1/2, each image by itself."""
    return _flip_at_random(image, seed, 1, lambda shape, s: random.uniform(shape, seed=s))


def stateless_random_flip_left_right(image, seed):
    """The same by a seed of two numbers."""
    return _flip_at_random(image, seed, 2, lambda shape, s: random.stateless_uniform(shape, s))


def stateless_random_flip_up_down(image, seed):
    """The same by a seed of two numbers."""
    return _flip_at_random(image, seed, 1, lambda shape, s: random.stateless_uniform(shape, s))


def random_brightness(image, max_delta, seed=None):
    """Adds a number in [-max_delta, max_delta). Raises: ValueError for a negative one."""
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random.uniform([], -max_delta, max_delta, seed=seed))


def stateless_random_brightness(image, max_delta, seed):
    """The same by a seed of two numbers."""
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random.stateless_uniform([], seed, -max_delta, max_delta))


def random_contrast(image, lower, upper, seed=None):
    """A contrast in [lower, upper). Raises: ValueError."""
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return adjust_contrast(image, random.uniform([], lower, upper, seed=seed))


def stateless_random_contrast(image, lower, upper, seed):
    """The same by a seed of two numbers."""
    return adjust_contrast(image, random.stateless_uniform([], seed, lower, upper))


def random_saturation(image, lower, upper, seed=None):
    """A saturation in [lower, upper)."""
    return adjust_saturation(image, random.uniform([], lower, upper, seed=seed))


def random_hue(image, max_delta, seed=None):
    """A hue moved by up to max_delta."""
    return adjust_hue(image, random.uniform([], -max_delta, max_delta, seed=seed))


def stateless_random_saturation(image, lower, upper, seed=None):
    """The same by a seed of two numbers. Raises: ValueError."""
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return adjust_saturation(image, random.stateless_uniform([], seed, lower, upper))


def stateless_random_hue(image, max_delta, seed):
    """The same by a seed of two numbers. Raises: ValueError."""
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, random.stateless_uniform([], seed, -max_delta, max_delta))


def random_crop(value, size, seed=None, name=None):
    """A part of `size`, at random."""
    return random.crop(value, size, seed)


def stateless_random_crop(value, size, seed, name=None):
    """The same by a seed of two numbers."""
    return random.crop(value, size, seed, stateless=True)


from ._blocks import extract_patches  # noqa: E402,F401
