"""Steps and images of another size."""

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
        self._kind = {"nearest": "UpSampling2D", "bilinear": "BilinearUpSampling2D"}[interpolation]

    def _options(self):
        return {"size": self.size}


class UpSampling1D(Layer):
    """Each step `size` times."""

    def __init__(self, size=2, **kwargs):
        super().__init__(**kwargs)
        self.size = int(size)

    def call(self, inputs):
        from ... import ops_array
        return ops_array.repeat(inputs, self.size, axis=1)


class Resizing(Layer):
    """Images of another size."""

    def __init__(self, height, width, interpolation="bilinear", crop_to_aspect_ratio=False,
                 pad_to_aspect_ratio=False, fill_mode="constant", fill_value=0.0, data_format=None, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        if crop_to_aspect_ratio or pad_to_aspect_ratio:
            raise NotImplementedError("images are resized whole; crop them by tf.image first")
        self.height, self.width, self.interpolation = height, width, interpolation

    def call(self, inputs):
        from ... import image, math
        from .._policy import numbers_in
        inputs = convert_to_tensor(inputs)
        made = image.resize(inputs, (self.height, self.width), self.interpolation)
        return numbers_in(math.round(made), inputs.dtype) if inputs.dtype.is_integer else made


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
