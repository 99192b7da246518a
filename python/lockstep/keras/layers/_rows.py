"""Convolutions over steps [n, w, c] that are made of those over images of one row."""

from ... import nn
from ..._tensor import convert_to_tensor
from .. import activations, initializers
from .._layer import Layer
from ._arguments import _channels_last, _one, _transposed_size


class _Rows(Layer):
    """What these layers share: a bias, an activation, and images of one row."""

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, activation=None,
                 use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", **kwargs):
        super().__init__(**kwargs)
        _channels_last(data_format)
        if padding not in ("valid", "same"):
            raise ValueError(f"padding must be valid or same; got {padding!r}")
        self.filters, self.kernel_size, self.strides = filters, _one(kernel_size), _one(strides)
        self.padding, self.dilation_rate, self.use_bias = padding, _one(dilation_rate), use_bias
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def _make_bias(self, size):
        if self.use_bias:
            self.bias = self.add_weight(shape=(size,), initializer=self.bias_initializer, name="bias")

    def call(self, inputs):
        from ...ops_array import expand_dims, squeeze
        made = squeeze(self._over_images(expand_dims(convert_to_tensor(inputs), 1)), [1])
        made = made + self.bias if self.use_bias else made
        return made if self.activation is None else self.activation(made)


class Conv1DTranspose(_Rows):
    """The adjoint of Conv1D, which makes rows of steps longer. Shapes: kernel [k, filters, in]."""

    def __init__(self, filters, kernel_size, strides=1, padding="valid", output_padding=None, data_format=None,
                 dilation_rate=1, **kwargs):
        if _one(dilation_rate) != 1:
            raise NotImplementedError(f"Conv1DTranspose with dilation_rate is not built; got {dilation_rate}")
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, **kwargs)
        self.output_padding = None if output_padding is None else _one(output_padding)

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(self.kernel_size, self.filters, input_shape[-1]),
                                      initializer=self.kernel_initializer, name="kernel")
        self._make_bias(self.filters)

    def _over_images(self, images):
        size = _transposed_size(images._shape[2], self.strides, self.kernel_size, self.padding, self.output_padding)
        rows = images._shape[0] if images._shape[0] is not None else -1
        return nn.conv2d_transpose(images, self.kernel[None], [rows, 1, size, self.filters], [1, 1, self.strides, 1],
                                   self.padding.upper())


class DepthwiseConv1D(_Rows):
    """A filter of its own for each channel. Shapes: kernel [k, in, depth_multiplier]."""

    def __init__(self, kernel_size, strides=1, padding="valid", depth_multiplier=1, data_format=None, dilation_rate=1,
                 activation=None, use_bias=True, depthwise_initializer="glorot_uniform", bias_initializer="zeros", **kwargs):
        super().__init__(None, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
                         depthwise_initializer, bias_initializer, **kwargs)
        self.depth_multiplier = depth_multiplier

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(self.kernel_size, input_shape[-1], self.depth_multiplier),
                                      initializer=self.kernel_initializer, name="kernel")
        self._make_bias(input_shape[-1] * self.depth_multiplier)

    def _over_images(self, images, kernel=None):
        kernel = self.kernel if kernel is None else kernel
        return nn.depthwise_conv2d(images, kernel[None], [1, self.strides, self.strides, 1], self.padding.upper(),
                                   dilations=[1, self.dilation_rate])


class SeparableConv1D(DepthwiseConv1D):
    """A depthwise convolution, then one with filters of one step."""

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
                 depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
                 pointwise_initializer="glorot_uniform", bias_initializer="zeros", **kwargs):
        super().__init__(kernel_size, strides, padding, depth_multiplier, data_format, dilation_rate, activation, use_bias,
                         depthwise_initializer, bias_initializer, **kwargs)
        self.filters = filters
        self.pointwise_initializer = initializers.get(pointwise_initializer)

    def build(self, input_shape):
        channels = input_shape[-1]
        self.depthwise_kernel = self.add_weight(shape=(self.kernel_size, channels, self.depth_multiplier),
                                                initializer=self.kernel_initializer, name="depthwise_kernel")
        self.pointwise_kernel = self.add_weight(shape=(1, channels * self.depth_multiplier, self.filters),
                                                initializer=self.pointwise_initializer, name="pointwise_kernel")
        self._make_bias(self.filters)

    def _over_images(self, images, kernel=None):
        made = super()._over_images(images, self.depthwise_kernel)
        return nn.conv2d(made, self.pointwise_kernel[None], [1, 1, 1, 1], "VALID")


Convolution1DTranspose, SeparableConvolution1D = Conv1DTranspose, SeparableConv1D
