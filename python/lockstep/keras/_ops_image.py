"""Functions of images for `keras.ops.image`."""

import functools

import numpy

from .. import image as _image, nn, ops_array as _a, ops_math as _m
from .._layouts import with_channels_last
from .._tensor import convert_to_tensor
from . import backend
from ._ops_dtypes import floats as _floats


def _last(function):
    """A function of images whose channels come last, as one that takes `data_format`."""
    @functools.wraps(function)
    def run(images, *args, data_format=None, **kwargs):
        images = convert_to_tensor(images)
        if images._rank not in (3, 4):
            raise ValueError("Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). "
                             f"Received: images.shape={tuple(images._shape)}")
        if backend.standardize_data_format(data_format) == "channels_last":
            return function(images, *args, **kwargs)
        return with_channels_last(lambda moved: function(moved, *args, **kwargs), images, images._rank - 3)
    return run


def _batched(function):
    """A function of batches of images, as one that takes single images, too."""
    @functools.wraps(function)
    def run(images, *args, **kwargs):
        return function(images, *args, **kwargs) if images._rank == 4 else function(images[None], *args, **kwargs)[0]
    return run


def _by_places(names):
    """Takes the arguments behind the images by place, too."""
    def made(function):
        def run(images, *args, **kwargs):
            return function(images, **dict(zip(names, args)), **kwargs)
        run.__name__, run.__doc__, run.__module__ = function.__name__, function.__doc__, __name__
        return run
    return made


@_by_places(["data_format"])
@_last
def rgb_to_grayscale(images):
    """The brightness of each pixel. Shapes: [..., 3] to [..., 1]."""
    dtype = images.dtype
    weights = convert_to_tensor([0.2989, 0.587, 0.114], dtype="float32")
    made = _m.reduce_sum(_m.cast(images, "float32") * weights, -1, True)
    return _m.cast(made, dtype)


@_by_places(["data_format"])
@_last
def rgb_to_hsv(images):
    """Hue, saturation and value of each pixel. Raises: ValueError for whole numbers."""
    return _image.rgb_to_hsv(_real(images))


@_by_places(["data_format"])
@_last
def hsv_to_rgb(images):
    """Red, green and blue of each pixel. Raises: ValueError for whole numbers."""
    return _image.hsv_to_rgb(_real(images))


def _real(images):
    if not images.dtype.is_floating:
        raise ValueError(f"Invalid images dtype: expected float dtype. Received: images.dtype={images.dtype.name}")
    return images


def pad_images(images, top_padding=None, left_padding=None, bottom_padding=None, right_padding=None, target_height=None,
               target_width=None, data_format=None):
    """Images among zeros: of top, bottom and height, and of left, right and width two each are given."""
    def run(images):
        height, width = images._shape[-3:-1]
        top, bottom = _around(height, top_padding, bottom_padding, target_height, "top_padding bottom_padding target_height", 1)
        left, right = _around(width, left_padding, right_padding, target_width, "left_padding right_padding target_width", 1)
        return _a.pad(images, [[0, 0]] * (images._rank - 3) + [[top, bottom], [left, right], [0, 0]])
    return _last(run)(images, data_format=data_format)


def crop_images(images, top_cropping=None, left_cropping=None, bottom_cropping=None, right_cropping=None, target_height=None,
                target_width=None, data_format=None):
    """Parts of images: of top, bottom and height, and of left, right and width two each are given."""
    def run(images):
        height, width = images._shape[-3:-1]
        top, bottom = _around(height, top_cropping, bottom_cropping, target_height, "top_cropping bottom_cropping target_height",
                              -1)
        left, right = _around(width, left_cropping, right_cropping, target_width, "left_cropping right_cropping target_width",
                              -1)
        return images[..., top:height - bottom, left:width - right, :]
    return _last(run)(images, data_format=data_format)


def _around(size, first, behind, target, names, sign):
    """How much is added (sign 1) or cut (-1) on both sides of an axis. Raises: ValueError where not two of three are given, or
    for less than nothing."""
    names = names.split()
    if [first, behind, target].count(None) != 1:
        raise ValueError(f"Must specify exactly two of {names[0]}, {names[1]}, {names[2]}. Received: {names[0]}={first}, "
                         f"{names[1]}={behind}, {names[2]}={target}")
    first = sign * (target - size) - behind if first is None else first
    behind = sign * (target - size) - first if behind is None else behind
    for name, value in zip(names, (first, behind)):
        if value < 0:
            raise ValueError(f"{name} must be >= 0. Received: {name}={value}")
    if sign < 0 and first + behind > size:
        raise ValueError(f"a part of an axis of {size} is cut; got {names[0]}={first} and {names[1]}={behind}")
    return first, behind


def resize(images, size, interpolation="bilinear", antialias=False, crop_to_aspect_ratio=False, pad_to_aspect_ratio=False,
           fill_mode="constant", fill_value=0.0, data_format=None):
    """Images of another size, in their dtype; with their proportions kept by cutting, or by what is added around them.

    Raises: ValueError for an interpolation that there is not."""
    kinds = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic")
    if interpolation not in kinds:
        raise ValueError(f"Invalid `interpolation` argument. Expected of one {set(kinds)}. Received: "
                         f"interpolation={interpolation}")
    if crop_to_aspect_ratio and pad_to_aspect_ratio:
        raise ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.")
    if len(size) != 2:
        raise ValueError(f"Argument `size` must be a tuple of two elements (height, width). Received: size={size}")

    def run(images):
        given = images
        height, width = images._shape[-3:-1]
        if crop_to_aspect_ratio:
            tall = min(height, int(float(width * size[0]) / size[1])) or height
            wide = min(width, int(float(height * size[1]) / size[0])) or width
            top, left = int(float(height - tall) / 2), int(float(width - wide) / 2)
            images = images[..., top:top + tall, left:left + wide, :]
        elif pad_to_aspect_ratio:
            tall = max(height, int(float(width * size[0]) / size[1]))
            wide = max(width, int(float(height * size[1]) / size[0]))
            top, left = int(float(tall - height) / 2), int(float(wide - width) / 2)
            images = _a.pad(images, [[0, 0]] * (images._rank - 3) + [[top, top], [left, left], [0, 0]],
                            constant_values=fill_value)
        made = _image.resize(images, size, interpolation, antialias=antialias)
        if given.dtype.is_integer:
            made = _m.saturate_cast(_m.round(made), given.dtype)
        return _m.cast(made, given.dtype)
    return _last(run)(images, data_format=data_format)


def extract_patches(images, size, strides=None, dilation_rate=1, padding="valid", data_format=None):
    """The windows of images as vectors. Shapes: [..., h, w, c] to [..., rows, columns, elements of a window]."""
    size = (size, size) if isinstance(size, int) else tuple(size)
    strides = size if not strides else (strides, strides) if isinstance(strides, int) else tuple(strides)
    holes = (dilation_rate, dilation_rate) if isinstance(dilation_rate, int) else tuple(dilation_rate)

    @_batched
    def run(images):
        from .._blocks import extract_patches as windows
        return windows(images, [1, *size, 1], [1, *strides, 1], [1, *holes, 1], padding.upper())
    return _last(run)(images, data_format=data_format)


def sobel_edges(images, data_format=None):
    """How images change downwards and to the right. Shapes: [..., h, w, c] to [..., h, w, c, 2]."""
    images = convert_to_tensor(images)
    if backend.standardize_data_format(data_format) == "channels_last":
        return _image.sobel_edges(_floats(images))
    made = _image.sobel_edges(_a.transpose(_floats(images), [0, 2, 3, 1]))
    return _a.transpose(made, [0, 3, 1, 2, 4])


def _bell(size, sigma):
    places = numpy.arange(size, dtype="float32") - (size - 1) / 2.0
    made = numpy.exp(-places ** 2 / (2.0 * sigma ** 2)).astype("float32")
    return made / made.sum()


def _filtered(images, rows, columns, padding):
    """Each channel with a filter of a column and a row of numbers."""
    kernel = numpy.outer(rows, columns).astype("float32")
    kernel = numpy.tile(kernel[:, :, None, None], [1, 1, images._shape[-1], 1])
    return nn.depthwise_conv2d(images, _m.cast(convert_to_tensor(kernel), images.dtype), [1, 1, 1, 1], padding)


def gaussian_blur(images, kernel_size=(3, 3), sigma=(1.0, 1.0), data_format=None):
    """Images whose pixels are means of those around them, by a bell; zeros lie outside."""
    @_batched
    def run(images):
        floats = _floats(images)
        made = _filtered(floats, _bell(kernel_size[0], float(sigma[0])), _bell(kernel_size[1], float(sigma[1])), "SAME")
        return _m.cast(made, images.dtype)
    return _last(run)(images, data_format=data_format)


def ssim(image1, image2, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, data_format=None):
    """How alike two images are, 1 for equal ones. Shapes: [..., h, w, c] to [...]."""
    first, second = (_floats(one) for one in (image1, image2))
    single = first._rank == 3
    if single:
        first, second = first[None], second[None]
    if backend.standardize_data_format(data_format) == "channels_first":
        first, second = (_a.transpose(one, [0, 2, 3, 1]) for one in (first, second))
    bell = _bell(filter_size, filter_sigma)

    def mean(x):
        return _filtered(x, bell, bell, "VALID")
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mean1, mean2 = mean(first), mean(second)
    light = (2.0 * mean1 * mean2 + c1) / (mean1 * mean1 + mean2 * mean2 + c1)
    together = mean(first * second) - mean1 * mean2
    apart = mean(first * first + second * second) - mean1 * mean1 - mean2 * mean2
    made = light * (2.0 * together + c2) / (apart + c2)
    made = _m.reduce_mean(_m.reduce_mean(made, [1, 2]), -1)
    return made[0] if single else made
