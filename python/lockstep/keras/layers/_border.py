"""Zeros around steps and images, or less of their borders."""

from .._layer import Layer
from .._native_layer import NativeLayer
from ._arguments import _channels_last, _ends, _sides


class ZeroPadding2D(NativeLayer):
    """Zeros around images."""

    _kind = "ZeroPadding2D"

    def __init__(self, padding=(1, 1), data_format=None, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.padding = _sides(padding)

    def _options(self):
        return {"padding": self.padding}


class Cropping2D(NativeLayer):
    """Images without their borders."""

    _kind = "Cropping2D"

    def __init__(self, cropping=((0, 0), (0, 0)), data_format=None, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.cropping = _sides(cropping)

    def _options(self):
        return {"cropping": self.cropping}


class ZeroPadding1D(Layer):
    """Zeros before and behind the steps."""

    def __init__(self, padding=1, data_format=None, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.padding = _ends(padding)

    def call(self, inputs):
        from ... import ops_array
        return ops_array.pad(inputs, [[0, 0], list(self.padding), [0, 0]])


class Cropping1D(Layer):
    """Steps without the first and the last ones."""

    def __init__(self, cropping=(1, 1), **kwargs):
        super().__init__(**kwargs)
        self.cropping = _ends(cropping)

    def call(self, inputs):
        first, last = self.cropping
        return inputs[:, first:-last] if last else inputs[:, first:]
