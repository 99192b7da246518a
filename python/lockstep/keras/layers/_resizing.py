"""Steps and images of another size."""

from ... import _refused
from ..._tensor import convert_to_tensor
from .._layer import Layer
from .._native_layer import NativeLayer
from ._arguments import _channels_last, _pair


class UpSampling2D(NativeLayer):
    """Repeats rows and columns, or takes the line between them."""

    def __init__(self, size=(2, 2), data_format=None, interpolation="nearest", **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.size = _pair(size)
        self._kind, self.interpolation = self._KINDS.get(interpolation, "UpSampling2D"), interpolation

    _KINDS = {"nearest": "UpSampling2D", "bilinear": "BilinearUpSampling2D"}

    def _options(self):
        """Raises: ValueError for another interpolation, when the layer is first called; NotImplementedError for Keras's others."""
        if self.interpolation not in self._KINDS:
            kinds = {"bicubic", "lanczos3", "lanczos5", *self._KINDS}
            if self.interpolation not in kinds:
                raise ValueError(f"`interpolation` argument should be one of {sorted(kinds)}. Received: {self.interpolation}")
            _refused.only("UpSampling2D", interpolation=(self.interpolation, *self._KINDS))
        return {"size": self.size}


class UpSampling1D(Layer):
    """Each step `size` times."""

    def __init__(self, size=2, **kwargs):
        super().__init__(**kwargs)
        self.size = int(size)

    def call(self, inputs):
        from ... import ops_array
        return ops_array.repeat(inputs, self.size, axis=1)


def _shaped_as(inputs, height, width, pads, fill_value):
    """Images with the proportions of `height` and `width`: padded by `fill_value`, else cropped to the middle."""
    from ... import ops_array, ops_math
    sizes = inputs._shape[-3:-1]
    whole, most, least = (int, max, min) if None not in sizes else (
        lambda one: ops_math.cast(one, "int32"), ops_math.maximum, ops_math.minimum)
    if None in sizes:
        sizes = [ops_array.shape(inputs)[axis] for axis in (-3, -2)]
    own_height, own_width = sizes
    wanted = (_scaled(own_width, height, width, whole), _scaled(own_height, width, height, whole))
    if pads:
        rows, columns = (most(own, one) for own, one in zip(sizes, wanted))
        top, left = (rows - own_height) // 2, (columns - own_width) // 2
        edges = [[top, rows - own_height - top], [left, columns - own_width - left], [0, 0]]
        edges = [[0, 0]] * (inputs._rank - 3) + edges
        return ops_array.pad(inputs, edges, constant_values=ops_math.cast(fill_value, inputs.dtype))
    rows, columns = (most(least(own, one), 1) for own, one in zip(sizes, wanted))
    top, left = (own_height - rows) // 2, (own_width - columns) // 2
    return inputs[..., top:top + rows, left:left + columns, :]


def _scaled(size, numerator, denominator, whole):
    """size * numerator / denominator in float32, rounded towards zero."""
    if isinstance(size, int):
        import numpy
        return whole(numpy.float32(size * numerator) / numpy.float32(denominator))
    from ... import ops_math
    return whole(ops_math.cast(size * numerator, "float32") / float(denominator))


class Resizing(Layer):
    """Images of another size; with `crop_to_aspect_ratio` of their middle with the result's proportions, with
    `pad_to_aspect_ratio` of the image between borders of `fill_value`. Raises: ValueError where it is called, for arguments that
    exclude each other, and other kinds of filling and interpolation."""

    _KINDS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic")

    def __init__(self, height, width, interpolation="bilinear", crop_to_aspect_ratio=False, pad_to_aspect_ratio=False,
                 fill_mode="constant", fill_value=0.0, antialias=False, data_format=None, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.height, self.width, self.interpolation, self.antialias = height, width, interpolation, antialias
        self.crop_to_aspect_ratio, self.pad_to_aspect_ratio = crop_to_aspect_ratio, pad_to_aspect_ratio
        self.fill_mode, self.fill_value = fill_mode, fill_value

    def call(self, inputs):
        from ... import image, math
        from .._policy import numbers_in
        if self.interpolation not in self._KINDS:
            raise ValueError(f"Invalid value for argument `interpolation`. Expected of one {self._KINDS}. Received: "
                             f"interpolation={self.interpolation}")
        if self.fill_mode != "constant":
            raise ValueError("Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: "
                             f"fill_mode={self.fill_mode}")
        if self.crop_to_aspect_ratio and self.pad_to_aspect_ratio:
            raise ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.")
        inputs = convert_to_tensor(inputs)
        whole = inputs.dtype.is_integer
        if self.crop_to_aspect_ratio or self.pad_to_aspect_ratio:
            inputs = _shaped_as(inputs, self.height, self.width, self.pad_to_aspect_ratio, self.fill_value)
        made = image.resize(inputs, (self.height, self.width), self.interpolation, antialias=self.antialias)
        if not whole or made.dtype == inputs.dtype:
            return made
        dtype = inputs.dtype
        return numbers_in(math.round(made if dtype.name == "int32" else math.maximum(made, dtype.min)), dtype)


class CenterCrop(Layer):
    """The middle of images. Smaller images are cropped to the proportions of the result and resized, as Keras does."""

    def __init__(self, height, width, data_format=None, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.height, self.width = height, width

    def call(self, inputs):
        inputs = self._computing(inputs)
        height, width = inputs._shape[-3:-1]
        if height < self.height or width < self.width:
            return self._resized(inputs, height, width)
        top, left = (height - self.height) // 2, (width - self.width) // 2
        return inputs[..., top:top + self.height, left:left + self.width, :]

    def _resized(self, inputs, height, width):
        """Images that are too small for the crop: the largest part in the middle with the proportions of the crop, resized."""
        from ... import image
        rows = min(height, int(float(width * self.height) / self.width))
        columns = min(width, int(float(height * self.width) / self.height))
        top, left = (height - rows) // 2, (width - columns) // 2
        return image.resize(inputs[..., top:top + rows, left:left + columns, :], (self.height, self.width))
