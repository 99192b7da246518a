"""The mean or the largest element of windows that cover steps, images and volumes: as many as are wanted."""

from .. import backend
from .._layer import Layer
from .._ops_windows import adaptive_average_pool, adaptive_max_pool

_SIZES = {1: "tuple of 1 integer", 2: "(height, width) tuple", 3: "(depth, height, width) tuple"}


class _Adaptive(Layer):
    """So many windows for each axis. Raises: TypeError for a size that is neither a number nor one for each axis."""

    _axes = 1
    _pool = None

    def __init__(self, output_size, *, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = backend.standardize_data_format(data_format)
        sizes = (output_size,) * self._axes if isinstance(output_size, int) else output_size
        if not isinstance(sizes, (tuple, list)) or len(sizes) != self._axes:
            raise TypeError(f"`output_size` must be an integer or {_SIZES[self._axes]}. Received: {output_size} of type "
                            f"{type(output_size)}")
        self.output_size = tuple(sizes)

    def call(self, inputs):
        return type(self)._pool(inputs, self.output_size, self.data_format)

    def compute_output_shape(self, input_shape):
        """The shape of what the layer gives for an input of a shape."""
        if self.data_format == "channels_first":
            return (input_shape[0], input_shape[1], *self.output_size)
        return (input_shape[0], *self.output_size, input_shape[-1])

    def get_config(self):
        config = super().get_config()
        config.update(output_size=self.output_size, data_format=self.data_format)
        return config


class AdaptiveAveragePooling1D(_Adaptive):
    """The means of windows of steps."""

    _pool = staticmethod(adaptive_average_pool)


class AdaptiveAveragePooling2D(_Adaptive):
    """The means of windows of images."""

    _axes = 2
    _pool = staticmethod(adaptive_average_pool)


class AdaptiveAveragePooling3D(_Adaptive):
    """The means of windows of volumes."""

    _axes = 3
    _pool = staticmethod(adaptive_average_pool)


class AdaptiveMaxPooling1D(_Adaptive):
    """The largest elements of windows of steps."""

    _pool = staticmethod(adaptive_max_pool)


class AdaptiveMaxPooling2D(_Adaptive):
    """The largest elements of windows of images."""

    _axes = 2
    _pool = staticmethod(adaptive_max_pool)


class AdaptiveMaxPooling3D(_Adaptive):
    """The largest elements of windows of volumes."""

    _axes = 3
    _pool = staticmethod(adaptive_max_pool)
