"""Layers over volumes [n, d, h, w, c]: Conv3D, pooling, padding. Made of the ops over images, so they have gradients."""

from ... import nn
from ..._tensor import convert_to_tensor
from .. import activations, constraints, initializers, regularizers
from .._layer import Layer
from ._arguments import _channels_last, _padding, _transposed_size


def _three(value):
    return (int(value),) * 3 if isinstance(value, int) else tuple(int(one) for one in value)


class Conv3D(Layer):
    """Filters that slide over volumes. Shapes: x [n, d, h, w, in]; kernel [kd, kh, kw, in, filters]; bias [filters]."""

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1),
                 groups=1, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        _channels_last(data_format)
        if groups != 1:
            raise NotImplementedError(f"Conv3D with groups is not built; got groups={groups}")
        self.filters, self.kernel_size, self.strides = filters, _three(kernel_size), _three(strides)
        self.padding, self.dilation_rate, self.use_bias = _padding(padding), _three(dilation_rate), use_bias
        self.activation = activations.get(activation)
        self.kernel_initializer, self.bias_initializer = initializers.get(kernel_initializer), initializers.get(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = regularizers.get(kernel_regularizer), regularizers.get(bias_regularizer)
        self.kernel_constraint, self.bias_constraint = constraints.get(kernel_constraint), constraints.get(bias_constraint)

    def _kernel_shape(self, channels):
        return self.kernel_size + (channels, self.filters)

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=self._kernel_shape(input_shape[-1]), initializer=self.kernel_initializer,
                                      name="kernel", regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        if self.use_bias:
            self.bias = self.add_weight(shape=(self.filters,), initializer=self.bias_initializer, name="bias",
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)

    def _convolved(self, inputs):
        return nn.conv3d(inputs, self.kernel, [1, *self.strides, 1], self.padding.upper(),
                         dilations=[1, *self.dilation_rate, 1])

    def call(self, inputs):
        made = self._convolved(inputs)
        if self.use_bias:
            made = made + self.bias
        return made if self.activation is None else self.activation(made)


class Conv3DTranspose(Conv3D):
    """The adjoint of Conv3D, which makes volumes larger. Shapes: kernel [kd, kh, kw, filters, in]."""

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format=None, output_padding=None,
                 **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, **kwargs)
        self.output_padding = None if output_padding is None else _three(output_padding)
        if self.dilation_rate != (1, 1, 1):
            raise NotImplementedError(f"Conv3DTranspose with dilation_rate is not built; got {self.dilation_rate}")

    def _kernel_shape(self, channels):
        return self.kernel_size + (self.filters, channels)

    def _convolved(self, inputs):
        sizes = [_transposed_size(size, stride, window, self.padding, more) for size, stride, window, more in
                 zip(inputs._shape[1:4], self.strides, self.kernel_size, self.output_padding or [None] * 3)]
        return nn.conv3d_transpose(inputs, self.kernel, [inputs._shape[0], *sizes, self.filters], [1, *self.strides, 1],
                                   self.padding.upper())


class MaxPooling3D(Layer):
    """The largest element of every window."""

    _pool = staticmethod(nn.max_pool3d)

    def __init__(self, pool_size=(2, 2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(**kwargs)
        _channels_last(data_format)
        self.pool_size = _three(pool_size)
        self.strides = self.pool_size if strides is None else _three(strides)
        self.padding = padding.lower()

    def call(self, inputs):
        return type(self)._pool(inputs, self.pool_size, self.strides, self.padding.upper())


class AveragePooling3D(MaxPooling3D):
    """The mean of every window."""

    _pool = staticmethod(nn.avg_pool3d)


class GlobalAveragePooling3D(Layer):
    """The mean of each channel."""

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        super().__init__(**kwargs)
        _channels_last(data_format)
        self.keepdims = keepdims

    def _reduced(self, inputs):
        from ...ops_math import reduce_mean
        return reduce_mean(self._computing(inputs), axis=[1, 2, 3], keepdims=self.keepdims)

    def call(self, inputs):
        return self._reduced(convert_to_tensor(inputs))


class GlobalMaxPooling3D(GlobalAveragePooling3D):
    """The largest element of each channel."""

    def _reduced(self, inputs):
        from ...ops_math import reduce_max
        return reduce_max(inputs, axis=[1, 2, 3], keepdims=self.keepdims)


class UpSampling3D(Layer):
    """Repeats the elements along the three axes."""

    def __init__(self, size=(2, 2, 2), data_format=None, **kwargs):
        super().__init__(**kwargs)
        _channels_last(data_format)
        self.size = _three(size)

    def call(self, inputs):
        from ...ops_array import repeat
        for axis, count in enumerate(self.size, 1):
            inputs = repeat(inputs, count, axis=axis)
        return inputs


def _pairs(value):
    """The ends of three axes. Raises: ValueError for what is neither a number nor three of them, each a number or two."""
    if isinstance(value, int):
        return [(value, value)] * 3
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise ValueError("`padding` should be either an int, a tuple of 3 ints (symmetric_dim1_pad, symmetric_dim2_pad, "
                         "symmetric_dim3_pad), or a tuple of 3 tuples of 2 ints. "
                         f"Received: padding={value}.")
    return [(one, one) if isinstance(one, int) else tuple(one) for one in value]


class ZeroPadding3D(Layer):
    """Zeros around volumes."""

    def __init__(self, padding=((1, 1), (1, 1), (1, 1)), data_format=None, **kwargs):
        super().__init__(**kwargs)
        _channels_last(data_format)
        self.padding = _pairs(padding)

    def call(self, inputs):
        from ...ops_array import pad
        return pad(inputs, [[0, 0], *[list(one) for one in self.padding], [0, 0]])


class Cropping3D(Layer):
    """Volumes without their margins."""

    def __init__(self, cropping=((1, 1), (1, 1), (1, 1)), data_format=None, **kwargs):
        super().__init__(**kwargs)
        _channels_last(data_format)
        self.cropping = _pairs(cropping)

    def call(self, inputs):
        inner = [slice(before, size - after) for (before, after), size in zip(self.cropping, inputs._shape[1:4])]
        return inputs[:, inner[0], inner[1], inner[2], :]


Convolution3D, Convolution3DTranspose = Conv3D, Conv3DTranspose
MaxPool3D, AvgPool3D = MaxPooling3D, AveragePooling3D
GlobalAvgPool3D, GlobalMaxPool3D = GlobalAveragePooling3D, GlobalMaxPooling3D
