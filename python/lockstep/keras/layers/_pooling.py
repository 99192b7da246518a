"""The largest element or the mean of windows of images and steps."""

from ..._ragged_reduce import reduced
from ...ragged import RaggedTensor
from .._native_layer import NativeLayer
from ._arguments import _channels_last, _one, _pair, _window


class MaxPooling2D(NativeLayer):
    """The largest element of every window."""

    _kind = "MaxPooling2D"
    _size = staticmethod(_pair)

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.pool_size = _window(self._size, pool_size, "pool_size")
        self.strides = self.pool_size if strides is None else _window(self._size, strides, "strides")
        self.padding = padding.lower()

    def _options(self):
        return {"pool_size": self.pool_size, "strides": self.strides, "padding": self.padding}


class AveragePooling2D(MaxPooling2D):
    """The mean of every window."""

    _kind = "AveragePooling2D"


class MaxPooling1D(MaxPooling2D):
    """The largest element of every window of steps."""

    _kind = "MaxPooling1D"
    _size = staticmethod(_one)

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class AveragePooling1D(MaxPooling1D):
    """The mean of every window of steps."""

    _kind = "AveragePooling1D"


class GlobalAveragePooling2D(NativeLayer):
    """The mean of each channel."""

    _computes = True
    _kind = "GlobalAveragePooling2D"

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.keepdims = keepdims

    def _options(self):
        return {"keepdims": self.keepdims}


class GlobalMaxPooling2D(GlobalAveragePooling2D):
    """The largest element of each channel."""

    _computes = False
    _kind = "GlobalMaxPooling2D"


class GlobalAveragePooling1D(GlobalAveragePooling2D):
    """The mean over steps, of those that a mask lets count."""

    _kind = "GlobalAveragePooling1D"
    _passes_masks = True

    def compute_mask(self, inputs, mask=None):
        return None

    def call(self, inputs, mask=None):
        if isinstance(inputs, RaggedTensor):
            return reduced(self._computing(inputs), 1, "mean", self.keepdims)
        if mask is None:
            return super().call(inputs)
        from ... import ops_array, ops_math
        inputs = self._computing(inputs)
        kept = ops_array.expand_dims(ops_math.cast(mask, inputs.dtype), -1)
        return ops_math.reduce_sum(inputs * kept, 1, self.keepdims) / ops_math.reduce_sum(kept, 1, self.keepdims)


class GlobalMaxPooling1D(GlobalAveragePooling2D):
    """The largest element over steps."""

    _computes = False
    _kind = "GlobalMaxPooling1D"

    def call(self, inputs):
        return reduced(inputs, 1, "max", self.keepdims) if isinstance(inputs, RaggedTensor) else super().call(inputs)


MaxPool2D, AvgPool2D, MaxPool1D, AvgPool1D = (MaxPooling2D, AveragePooling2D, MaxPooling1D,
                                              AveragePooling1D)
GlobalAvgPool2D, GlobalMaxPool2D = GlobalAveragePooling2D, GlobalMaxPooling2D
GlobalAvgPool1D, GlobalMaxPool1D = GlobalAveragePooling1D, GlobalMaxPooling1D
