"""Filters that slide over images and steps."""

from .. import initializers
from ._arguments import _channels_last, _one, _padding, _pair, _positive, _window
from ._dense import _Kernel


class Conv2D(_Kernel):
    """Filters that slide over images [n, h, w, c]."""

    _kind = "Conv2D"
    _size = staticmethod(_pair)
    _paddings = ("valid", "same")

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None,
                 dilation_rate=1, groups=1, activation=None, use_bias=True,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", **kwargs):
        _channels_last(data_format)
        super().__init__(activation, use_bias, kernel_initializer, bias_initializer, **kwargs)
        self.filters = None if filters is None else _positive(
            filters, "Invalid value for argument `filters`. Expected a strictly positive value. Received "
            f"filters={filters}.")
        self.kernel_size = _window(self._size, kernel_size, "kernel_size")
        self.strides = _window(self._size, strides, "strides")
        self.padding = _padding(padding, self._paddings)
        self.dilation_rate = _window(self._size, dilation_rate, "dilation_rate")
        self.groups = groups

    def _options(self):
        return dict(self._kernel_options(), filters=self.filters or 0, kernel_size=self.kernel_size,
                    strides=self.strides, padding=self.padding, dilation_rate=self.dilation_rate,
                    groups=self.groups)


class Conv1D(Conv2D):
    """Filters that slide over steps [n, w, c]; padding may be "causal", too."""

    _kind = "Conv1D"
    _size = staticmethod(_one)
    _paddings = ("valid", "same", "causal")


class Conv2DTranspose(Conv2D):
    """The adjoint of Conv2D, which makes images larger."""

    _kind = "Conv2DTranspose"

    def __init__(self, filters, kernel_size, strides=1, padding="valid", output_padding=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, **kwargs)
        self.output_padding = None if output_padding is None else _pair(output_padding)
        strides, dilations = (tuple(_pair(one)) for one in (self.strides, self.dilation_rate))
        if max(strides) > 1 and max(dilations) > 1:
            raise ValueError("`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                             f"strides={strides} and dilation_rate={dilations}")
        for axis, (more, stride) in enumerate(zip(self.output_padding or (), strides)):
            if more >= stride:
                raise ValueError("`output_padding` must be strictly less than `strides` for all dimensions. At dimension "
                                 f"{axis}, `output_padding` is {more} but `strides` is {stride}. Received: "
                                 f"output_padding={tuple(self.output_padding)}, strides={strides}")

    def _options(self):
        made = super()._options()
        return made if self.output_padding is None else dict(made, output_padding=self.output_padding)


class SeparableConv2D(Conv2D):
    """A depthwise convolution, then one with 1 x 1 filters."""

    _kind = "SeparableConv2D"

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None,
                 dilation_rate=1, depth_multiplier=1, activation=None, use_bias=True,
                 depthwise_initializer="glorot_uniform", pointwise_initializer="glorot_uniform", depthwise_regularizer=None,
                 pointwise_regularizer=None, depthwise_constraint=None, pointwise_constraint=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, 1,
                         activation, use_bias, depthwise_initializer, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = self.kernel_initializer
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self._keep_in_python(depthwise=(depthwise_regularizer, depthwise_constraint),
                             pointwise=(pointwise_regularizer, pointwise_constraint))

    def _options(self):
        kernels = initializers.one_after_another([self.depthwise_initializer, self.pointwise_initializer])
        return dict(super()._options(), depth_multiplier=self.depth_multiplier, kernel_initializer=kernels)


class DepthwiseConv2D(Conv2D):
    """A filter of its own for each channel."""

    _kind = "DepthwiseConv2D"

    def __init__(self, kernel_size, strides=1, padding="valid", depth_multiplier=1, data_format=None,
                 dilation_rate=1, activation=None, use_bias=True,
                 depthwise_initializer="glorot_uniform", bias_initializer="zeros", depthwise_regularizer=None,
                 depthwise_constraint=None, **kwargs):
        super().__init__(None, kernel_size, strides, padding, data_format, dilation_rate, 1, activation,
                         use_bias, depthwise_initializer, bias_initializer, kernel_regularizer=depthwise_regularizer,
                         kernel_constraint=depthwise_constraint, **kwargs)
        self.depthwise_regularizer, self.depthwise_constraint = self.kernel_regularizer, self.kernel_constraint
        self.depth_multiplier = depth_multiplier

    def _options(self):
        return dict(super()._options(), depth_multiplier=self.depth_multiplier)


Convolution1D, Convolution2D, SeparableConvolution2D = Conv1D, Conv2D, SeparableConv2D
Convolution2DTranspose = Conv2DTranspose
