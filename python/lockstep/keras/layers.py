"""Keras's layers: `keras.layers`."""

from .. import _native, nest
from .._dtypes import as_dtype
from .._tensor import Tensor, convert_to_tensor
from . import constraints, initializers, regularizers
from ._base import (InputSpec, KerasTensor, Layer, NativeLayer, apply_op,  # noqa: F401
                    current_training)


def Input(shape=None, batch_size=None, dtype=None, sparse=None, ragged=None, batch_shape=None,
          name=None, tensor=None, optional=False):
    """A symbolic input of examples of `shape`."""
    if batch_shape is None:
        if shape is None:
            raise ValueError("You must pass a `shape` argument.")
        batch_shape = (batch_size,) + tuple(shape if isinstance(shape, (list, tuple)) else (shape,))
    layer = InputLayer(batch_shape=batch_shape, dtype=dtype, name=name)
    return layer.output


class InputLayer(Layer):
    """The place of an input in a model."""

    def __init__(self, shape=None, batch_size=None, dtype=None, sparse=None, ragged=None,
                 batch_shape=None, input_tensor=None, name=None, input_shape=None, **kwargs):
        super().__init__(name=name or _input_name())
        shape = input_shape if shape is None else shape
        if batch_shape is None:
            batch_shape = (batch_size,) + tuple(shape)
        from ._base import Node
        self.batch_shape = tuple(batch_shape)
        node = Node(self, (), {})
        made = KerasTensor(batch_shape, dtype or "float32", name=self.name, node=node)
        node.outputs = made
        self._inbound.append(node)
        object.__setattr__(self, "built", True)

    def call(self):
        raise NotImplementedError

    def get_config(self):
        return {"batch_shape": list(self.batch_shape), "dtype": self.output.dtype, "sparse": False,
                "ragged": False, "name": self.name}


def _input_name():
    from ._base import auto_name
    return auto_name("input_layer")


def _pair(value):
    return (int(value), int(value)) if isinstance(value, int) else tuple(int(one) for one in value)


def _one(value):
    return int(value[0] if isinstance(value, (list, tuple)) else value)


def _given(**options):
    return {key: value for key, value in options.items() if value is not None}


def _channels_last(data_format):
    if data_format not in (None, "channels_last"):
        raise ValueError(f"data_format must be channels_last; got {data_format}")


class _Kernel(NativeLayer):
    """What layers with a kernel and a bias share."""

    def __init__(self, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        from . import activations
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def _kernel_options(self):
        return _given(activation=self._activation_option(self.activation), use_bias=self.use_bias,
                      kernel_initializer=initializers.native(self.kernel_initializer),
                      bias_initializer=initializers.native(self.bias_initializer),
                      kernel_regularizer=regularizers.native(self.kernel_regularizer),
                      bias_regularizer=regularizers.native(self.bias_regularizer),
                      kernel_constraint=constraints.native(self.kernel_constraint),
                      bias_constraint=constraints.native(self.bias_constraint))


class Dense(_Kernel):
    """activation(x W + b) on the last axis. Shapes: x [n, ..., in]; kernel [in, units]; bias [units]."""

    _kind = "Dense"

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 lora_rank=None, lora_alpha=None, **kwargs):
        if not isinstance(units, int) or units <= 0:
            raise ValueError("Received an invalid value for `units`, expected a positive integer. "
                             f"Received: units={units}")
        super().__init__(activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                         bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
                         **kwargs)
        self.units = units

    def _options(self):
        return dict(self._kernel_options(), units=self.units)


class Embedding(NativeLayer):
    """Row x[...] of a table [input_dim, output_dim]."""

    _kind = "Embedding"

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform",
                 embeddings_regularizer=None, embeddings_constraint=None, mask_zero=False, weights=None,
                 lora_rank=None, **kwargs):
        kwargs.pop("input_length", None)
        super().__init__(**kwargs)
        self.input_dim, self.output_dim, self.mask_zero = input_dim, output_dim, mask_zero
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)

    def _options(self):
        return _given(input_dim=self.input_dim, output_dim=self.output_dim,
                      embeddings_initializer=initializers.native(self.embeddings_initializer),
                      embeddings_regularizer=regularizers.native(self.embeddings_regularizer),
                      embeddings_constraint=constraints.native(self.embeddings_constraint))

    def _cast_input(self, one):
        one = super()._cast_input(one)
        if isinstance(one, Tensor) and not one.dtype.is_integer:
            return _native.cast(one, as_dtype("int32"))
        return one


class Conv2D(_Kernel):
    """Filters that slide over images [n, h, w, c]."""

    _kind = "Conv2D"
    _size = staticmethod(_pair)

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None,
                 dilation_rate=1, groups=1, activation=None, use_bias=True,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", **kwargs):
        _channels_last(data_format)
        super().__init__(activation, use_bias, kernel_initializer, bias_initializer, **kwargs)
        self.filters = filters
        self.kernel_size = self._size(kernel_size)
        self.strides = self._size(strides)
        self.padding = padding.lower()
        self.dilation_rate = self._size(dilation_rate)
        self.groups = groups

    def _options(self):
        return dict(self._kernel_options(), filters=self.filters, kernel_size=self.kernel_size,
                    strides=self.strides, padding=self.padding, dilation_rate=self.dilation_rate,
                    groups=self.groups)


class Conv1D(Conv2D):
    """Filters that slide over steps [n, w, c]; padding may be "causal", too."""

    _kind = "Conv1D"
    _size = staticmethod(_one)


class Conv2DTranspose(Conv2D):
    """The adjoint of Conv2D, which makes images larger."""

    _kind = "Conv2DTranspose"

    def __init__(self, filters, kernel_size, strides=1, padding="valid", output_padding=None, **kwargs):
        if output_padding is not None:
            raise NotImplementedError("output_padding is not built")
        super().__init__(filters, kernel_size, strides, padding, **kwargs)


class SeparableConv2D(Conv2D):
    """A depthwise convolution, then one with 1 x 1 filters."""

    _kind = "SeparableConv2D"

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None,
                 dilation_rate=1, depth_multiplier=1, activation=None, use_bias=True,
                 depthwise_initializer="glorot_uniform", pointwise_initializer="glorot_uniform", **kwargs):
        kwargs = {key: value for key, value in kwargs.items()
                  if not key.startswith(("depthwise_", "pointwise_"))}
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, 1,
                         activation, use_bias, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self._own_first = (depthwise_initializer, pointwise_initializer) != ("glorot_uniform",) * 2

    def _options(self):
        made = dict(super()._options(), depth_multiplier=self.depth_multiplier)
        if self._own_first:
            made["kernel_initializer"] = self._first_values()
        return made

    def _first_values(self):
        """One initializer for both kernels; the depthwise one is made first."""
        order = iter((self.depthwise_initializer, self.pointwise_initializer))
        return _native.python_initializer(lambda shape, dtype: next(order)(shape, dtype))


class DepthwiseConv2D(Conv2D):
    """A filter of its own for each channel."""

    _kind = "DepthwiseConv2D"

    def __init__(self, kernel_size, strides=1, padding="valid", depth_multiplier=1, data_format=None,
                 dilation_rate=1, activation=None, use_bias=True,
                 depthwise_initializer="glorot_uniform", bias_initializer="zeros", **kwargs):
        super().__init__(0, kernel_size, strides, padding, data_format, dilation_rate, 1, activation,
                         use_bias, depthwise_initializer, bias_initializer, **kwargs)
        self.depth_multiplier = depth_multiplier

    def _options(self):
        return dict(super()._options(), depth_multiplier=self.depth_multiplier)


Convolution1D, Convolution2D, SeparableConvolution2D = Conv1D, Conv2D, SeparableConv2D
Convolution2DTranspose = Conv2DTranspose


class MaxPooling2D(NativeLayer):
    """The largest element of every window."""

    _kind = "MaxPooling2D"
    _size = staticmethod(_pair)

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.pool_size = self._size(pool_size)
        self.strides = self.pool_size if strides is None else self._size(strides)
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

    _kind = "GlobalAveragePooling2D"

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.keepdims = keepdims

    def _options(self):
        return {"keepdims": self.keepdims}


class GlobalMaxPooling2D(GlobalAveragePooling2D):
    """The largest element of each channel."""

    _kind = "GlobalMaxPooling2D"


class GlobalAveragePooling1D(GlobalAveragePooling2D):
    """The mean over steps."""

    _kind = "GlobalAveragePooling1D"


class GlobalMaxPooling1D(GlobalAveragePooling2D):
    """The largest element over steps."""

    _kind = "GlobalMaxPooling1D"


MaxPool2D, AvgPool2D, MaxPool1D, AvgPool1D = (MaxPooling2D, AveragePooling2D, MaxPooling1D,
                                              AveragePooling1D)
GlobalAvgPool2D, GlobalMaxPool2D = GlobalAveragePooling2D, GlobalMaxPooling2D
GlobalAvgPool1D, GlobalMaxPool1D = GlobalAveragePooling1D, GlobalMaxPooling1D


class UpSampling2D(NativeLayer):
    """Repeats rows and columns, or takes the line between them."""

    def __init__(self, size=(2, 2), data_format=None, interpolation="nearest", **kwargs):
        _channels_last(data_format)
        super().__init__(**kwargs)
        self.size = _pair(size)
        self._kind = {"nearest": "UpSampling2D", "bilinear": "BilinearUpSampling2D"}[interpolation]

    def _options(self):
        return {"size": self.size}


class BatchNormalization(NativeLayer):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with the batch's statistics while training,
    else the moving ones."""

    _kind = "BatchNormalization"

    def __init__(self, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True,
                 beta_initializer="zeros", gamma_initializer="ones",
                 moving_mean_initializer="zeros", moving_variance_initializer="ones",
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, synchronized=False, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
        self.center, self.scale, self.synchronized = center, scale, synchronized
        self._first = {"beta_initializer": beta_initializer, "gamma_initializer": gamma_initializer,
                       "moving_mean_initializer": moving_mean_initializer,
                       "moving_variance_initializer": moving_variance_initializer}

    def _options(self):
        made = {"axis": self.axis, "momentum": float(self.momentum), "epsilon": float(self.epsilon),
                "center": self.center, "scale": self.scale, "synchronized": self.synchronized}
        made.update({key: initializers.native(one) for key, one in self._first.items()})
        return made


class LayerNormalization(NativeLayer):
    """Each example (and place along the other axes) gets mean 0 and variance 1, then gamma and beta."""

    _kind = "LayerNormalization"

    def __init__(self, axis=-1, epsilon=0.001, center=True, scale=True, beta_initializer="zeros",
                 gamma_initializer="ones", beta_regularizer=None, gamma_regularizer=None,
                 beta_constraint=None, gamma_constraint=None, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self._first = {"beta_initializer": beta_initializer, "gamma_initializer": gamma_initializer}

    def _options(self):
        axis = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        made = {"axis": list(axis), "epsilon": float(self.epsilon), "center": self.center,
                "scale": self.scale}
        made.update({key: initializers.native(one) for key, one in self._first.items()})
        return made


class GroupNormalization(NativeLayer):
    """Each example's groups of channels get mean 0 and variance 1."""

    _kind = "GroupNormalization"

    def __init__(self, groups=32, axis=-1, epsilon=1e-3, center=True, scale=True, **kwargs):
        super().__init__(**kwargs)
        self.groups, self.axis, self.epsilon = groups, axis, epsilon
        self.center, self.scale = center, scale

    def _options(self):
        return {"groups": self.groups, "axis": self.axis, "epsilon": float(self.epsilon),
                "center": self.center, "scale": self.scale}


class RMSNormalization(NativeLayer):
    """x * scale / sqrt(mean x^2 + epsilon)."""

    _kind = "RMSNormalization"

    def __init__(self, axis=-1, epsilon=1e-6, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon

    def _options(self):
        axis = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        return {"axis": list(axis), "epsilon": float(self.epsilon)}


class UnitNormalization(NativeLayer):
    """Vectors of length 1."""

    _kind = "UnitNormalization"

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def _options(self):
        return {"axis": list(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]}


def _seed(seed):
    from . import utils
    return utils.default_seed() if seed is None else int(seed)


class Dropout(NativeLayer):
    """While training, sets elements to 0 with probability `rate` and divides the others by 1 - rate."""

    _kind = "Dropout"

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        if not 0 <= rate <= 1:
            raise ValueError("Invalid value received for argument `rate`. Expected a float value between "
                             f"0 and 1. Received: rate={rate}")
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed
        self._drawn = _seed(seed)

    def _options(self):
        made = _given(rate=float(self.rate), seed=self._drawn)
        if self.noise_shape is not None:
            made["noise_shape"] = [-1 if one is None else int(one) for one in self.noise_shape]
        return made


class SpatialDropout1D(Dropout):
    """Drops whole channels of steps."""

    _kind = "SpatialDropout1D"

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(rate, None, seed, **kwargs)


class SpatialDropout2D(SpatialDropout1D):
    """Drops whole channels of images."""

    _kind = "SpatialDropout2D"

    def __init__(self, rate, data_format=None, seed=None, **kwargs):
        _channels_last(data_format)
        super().__init__(rate, seed, **kwargs)


class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance of normal inputs."""

    _kind = "AlphaDropout"


class GaussianDropout(Dropout):
    """While training, multiplies by normals of mean 1."""

    _kind = "GaussianDropout"

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(rate, None, seed, **kwargs)


class GaussianNoise(NativeLayer):
    """While training, adds normals."""

    _kind = "GaussianNoise"

    def __init__(self, stddev, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.stddev, self._drawn = stddev, _seed(seed)

    def _options(self):
        return _given(stddev=float(self.stddev), seed=self._drawn)


class ReLU(NativeLayer):
    """max(x, 0), with a slope below the threshold and a largest value."""

    _kind = "ReLU"

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs):
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def _options(self):
        return _given(max_value=None if self.max_value is None else float(self.max_value),
                      negative_slope=float(self.negative_slope or 0),
                      threshold=float(self.threshold or 0))


class LeakyReLU(NativeLayer):
    """x above 0, else negative_slope * x."""

    _kind = "LeakyReLU"

    def __init__(self, negative_slope=0.3, **kwargs):
        negative_slope = kwargs.pop("alpha", negative_slope)
        super().__init__(**kwargs)
        self.negative_slope = negative_slope

    def _options(self):
        return {"negative_slope": float(self.negative_slope)}


class ELU(NativeLayer):
    """x from 0 on, else alpha * (e^x - 1)."""

    _kind = "ELU"

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def _options(self):
        return {"alpha": float(self.alpha)}


class PReLU(NativeLayer):
    """x from 0 on, else alpha * x with a trained alpha."""

    _kind = "PReLU"

    def __init__(self, alpha_initializer="Zeros", alpha_regularizer=None, alpha_constraint=None,
                 shared_axes=None, **kwargs):
        super().__init__(**kwargs)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.shared_axes = shared_axes or []

    def _options(self):
        axes = self.shared_axes if isinstance(self.shared_axes, (list, tuple)) else [self.shared_axes]
        return {"alpha_initializer": initializers.native(self.alpha_initializer),
                "shared_axes": list(axes)}


class Softmax(NativeLayer):
    """exp(x) / sum(exp(x)) along `axis`."""

    _kind = "Softmax"

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def _options(self):
        return {"axis": self.axis}


class Activation(Layer):
    """Applies a function."""

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        from . import activations
        self.activation = activations.get(activation)
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        return self.activation(inputs)


class _Recurrent(NativeLayer):
    """What recurrent layers share."""

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros", unit_forget_bias=True, kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0,
                 recurrent_dropout=0.0, seed=None, return_sequences=False, return_state=False,
                 go_backwards=False, stateful=False, unroll=False, use_cudnn="auto", reset_after=True,
                 zero_output_for_mask=False, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if dropout or recurrent_dropout or stateful:
            raise NotImplementedError("recurrent layers have no dropout inside and are not stateful; put "
                                      "a Dropout layer before them")
        self.units = units
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards
        from . import activations
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self._plain = {"use_bias": use_bias, "unit_forget_bias": unit_forget_bias,
                       "reset_after": reset_after, "zero_output_for_mask": zero_output_for_mask}
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self._regularizers = {"kernel_regularizer": kernel_regularizer,
                              "recurrent_regularizer": recurrent_regularizer,
                              "bias_regularizer": bias_regularizer}

    def _options(self):
        from . import activations
        made = dict(self._plain, units=self.units, return_sequences=self.return_sequences,
                    go_backwards=self.go_backwards,
                    kernel_initializer=initializers.native(self.kernel_initializer),
                    recurrent_initializer=initializers.native(self.recurrent_initializer),
                    bias_initializer=initializers.native(self.bias_initializer),
                    activation=activations.native_name(self.activation) or "tanh",
                    recurrent_activation=activations.native_name(self.recurrent_activation)
                    or "sigmoid")
        made.update({key: regularizers.native(one) for key, one in self._regularizers.items()
                     if one is not None})
        return made

    def get_config(self):
        config = super().get_config()
        for key in {"LSTM": ("reset_after",), "GRU": ("unit_forget_bias",)}.get(self._kind, (
                "reset_after", "unit_forget_bias", "recurrent_activation")):
            config.pop(key, None)  # what Keras's layer of this kind does not take
        return config

    def call(self, sequences, initial_state=None, mask=None, training=False):
        inputs = [convert_to_tensor(one) for one in (
            sequences if isinstance(sequences, (list, tuple)) else [sequences])]
        if initial_state is not None:
            inputs.extend(convert_to_tensor(one) for one in nest.flatten(initial_state))
        if mask is not None:
            inputs.append(convert_to_tensor(mask))
        if self.return_state:
            return list(self._impl.call_with_states(inputs, bool(training)))
        return self._run(inputs, training)


class LSTM(_Recurrent):
    """Long short-term memory. Shapes: x [n, t, features]; result [n, units] or [n, t, units]."""

    _kind = "LSTM"


class GRU(_Recurrent):
    """Gated recurrent units."""

    _kind = "GRU"


class SimpleRNN(_Recurrent):
    """h = activation(x W + h U + b)."""

    _kind = "SimpleRNN"


class Bidirectional(NativeLayer):
    """A recurrent layer and a second one that goes the other way."""

    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "forward_layer", layer)
        self.merge_mode = merge_mode

    def _make(self):
        modes = {"concat": 0, "sum": 1, "mul": 2, "ave": 3, None: 4}
        layer = self.forward_layer
        inner = _native.make_layer(layer._kind, layer._options())
        inner.set_name(layer.name)
        return _native.make_bidirectional(inner, modes[self.merge_mode])


class TimeDistributed(NativeLayer):
    """A layer at each step apart."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "layer", layer)

    def _make(self):
        return _native.make_time_distributed(self.layer._impl)


class MultiHeadAttention(NativeLayer):
    """Several heads that look for keys that fit their queries. Shapes: query [n, t, d], value [n, s, e],
    key [n, s, d]; result [n, t, d]."""

    _kind = "MultiHeadAttention"

    def __init__(self, num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True,
                 output_shape=None, attention_axes=None, flash_attention=None,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", seed=None, **kwargs):
        super().__init__(**kwargs)
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim
        self.dropout, self.use_bias, self._output_size = dropout, use_bias, output_shape
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self._causal = False
        self._drawn = _seed(seed) if dropout else None

    def _options(self):
        return _given(num_heads=self.num_heads, key_dim=self.key_dim, value_dim=self.value_dim,
                      dropout=float(self.dropout), use_bias=self.use_bias,
                      output_shape=self._output_size, use_causal_mask=self._causal, seed=self._drawn,
                      kernel_initializer=initializers.native(self.kernel_initializer),
                      bias_initializer=initializers.native(self.bias_initializer))

    def call(self, query, value, key=None, query_mask=None, value_mask=None, key_mask=None,
             attention_mask=None, return_attention_scores=False, training=False,
             use_causal_mask=False):
        if return_attention_scores:
            raise NotImplementedError("the scores are never made as a tensor")
        if use_causal_mask and self._impl_layer is None:
            object.__setattr__(self, "_causal", True)
        inputs = [convert_to_tensor(query), convert_to_tensor(value),
                  convert_to_tensor(value if key is None else key)]
        mask = attention_mask
        if use_causal_mask and not self._causal:
            from .. import ops_array, ops_math
            size = (inputs[0]._shape[1], inputs[1]._shape[1])
            mask = ops_math.cast(ops_array.band_part(ops_array.ones(size), -1, 0), "bool")
        if mask is not None:
            inputs.append(_native.cast(convert_to_tensor(mask), as_dtype("bool")))
        return self._run(inputs, training)


class Attention(NativeLayer):
    """softmax(query key^T) value. Inputs: [query, value] or [query, value, key]."""

    _kind = "Attention"

    def __init__(self, use_scale=False, score_mode="dot", dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.use_scale, self.score_mode, self.dropout = use_scale, score_mode, dropout

    def _options(self):
        return {"use_scale": self.use_scale, "dropout": float(self.dropout),
                "concat_scores": self.score_mode == "concat"}

    def call(self, inputs, mask=None, training=False, return_attention_scores=False,
             use_causal_mask=False):
        inputs = [convert_to_tensor(one) for one in inputs]
        return self._run(inputs, training)


class AdditiveAttention(Attention):
    """The same with the scores sum(scale * tanh(query + key))."""

    _kind = "AdditiveAttention"

    def __init__(self, use_scale=True, dropout=0.0, **kwargs):
        super().__init__(use_scale, "dot", dropout, **kwargs)


class Flatten(Layer):
    """[n, ...] to [n, product of the rest]."""

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        size = 1
        for one in inputs._shape[1:]:
            if one is None:
                raise ValueError("Flatten needs known sizes; got " + str(inputs.shape))
            size *= one
        if inputs._rank == 1:
            return _native.expand_dims(inputs, -1)
        return _native.reshape(inputs, [-1, size])


class Reshape(Layer):
    """[n, ...] to [n, target_shape...]."""

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        target = list(self.target_shape)
        if -1 in target and None not in inputs._shape[1:]:
            size = 1
            for one in inputs._shape[1:]:
                size *= one
            for one in target:
                size //= one if one != -1 else 1
            target[target.index(-1)] = size
        return _native.reshape(inputs, [-1] + target)


class Permute(Layer):
    """Axis i + 1 of the result is axis dims[i] of the input, counted from 1."""

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs):
        return _native.transpose(inputs, [0] + list(self.dims))


class RepeatVector(Layer):
    """[n, c] to [n, times, c]."""

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n

    def call(self, inputs):
        return _native.tile(_native.expand_dims(inputs, 1), [1, self.n, 1])


def _sides(value):
    if isinstance(value, int):
        return (value,) * 4
    first, second = value
    first = (first, first) if isinstance(first, int) else first
    second = (second, second) if isinstance(second, int) else second
    return tuple(first) + tuple(second)


class ZeroPadding2D(NativeLayer):
    """Zeros around images."""

    _kind = "ZeroPadding2D"

    def __init__(self, padding=(1, 1), data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.padding = _sides(padding)

    def _options(self):
        return {"padding": self.padding}


class Cropping2D(NativeLayer):
    """Images without their borders."""

    _kind = "Cropping2D"

    def __init__(self, cropping=((0, 0), (0, 0)), data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.cropping = _sides(cropping)

    def _options(self):
        return {"cropping": self.cropping}


class Rescaling(Layer):
    """x * scale + offset."""

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def _cast_input(self, one):
        one = super()._cast_input(one)
        return _native.cast(one, self._dtype) if isinstance(one, Tensor) else one

    def call(self, inputs):
        return inputs * self.scale + self.offset


class Lambda(Layer):
    """Any function."""

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "function", function)
        self.arguments = arguments or {}
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        return self.function(inputs, **self.arguments)


class Identity(Layer):
    """The input."""

    def call(self, inputs):
        return inputs


class Normalization(Layer):
    """(x - mean) / sqrt(variance), of given numbers or those of data that `adapt` has seen."""

    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis
        self.mean, self.variance = mean, variance

    def adapt(self, data):
        import numpy
        data = numpy.asarray(data)
        axes = tuple(i for i in range(data.ndim) if self.axis is not None
                     and i != self.axis % data.ndim)
        axes = axes if self.axis is not None else None
        self.mean = data.mean(axes).astype("float32")
        self.variance = data.var(axes).astype("float32")

    def call(self, inputs):
        from .. import ops_math
        return (inputs - self.mean) / ops_math.maximum(
            ops_math.sqrt(convert_to_tensor(self.variance)), 1e-7)


class _Merge(Layer):
    """A function of several inputs."""

    def call(self, inputs):
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError("A merge layer should be called on a list of at least 2 inputs. "
                             f"Received: inputs={inputs}")
        return self._merge(list(inputs))

    def _fold(self, inputs, function):
        made = inputs[0]
        for one in inputs[1:]:
            made = function(made, one)
        return made


class Add(_Merge):
    """The sum."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.add)


class Subtract(_Merge):
    """The difference of two."""

    def _merge(self, inputs):
        return _native.subtract(inputs[0], inputs[1])


class Multiply(_Merge):
    """The product."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.multiply)


class Average(_Merge):
    """The mean."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.add) / len(inputs)


class Maximum(_Merge):
    """The largest."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.maximum)


class Minimum(_Merge):
    """The smallest."""

    def _merge(self, inputs):
        return self._fold(inputs, _native.minimum)


class Concatenate(_Merge):
    """One after another along `axis`."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def _merge(self, inputs):
        return _native.concat(inputs, self.axis)


class Dot(_Merge):
    """Sums of products along axes."""

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    def _merge(self, inputs):
        a, b = inputs
        left, right = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if self.normalize:
            a = _native.l2_normalize(a, [left], 1e-12)
            b = _native.l2_normalize(b, [right], 1e-12)
        if a._rank == 2 and b._rank == 2:
            return _native.reduce_sum(_native.multiply(a, b), [1], True)
        return _native.matmul(a, b, left % a._rank == 1, right % b._rank == 2)


class Masking(Layer):
    """Steps whose elements all equal `mask_value` become 0. What follows has no mask: give it to its call."""

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs, mask=None):
        from .. import ops_math
        return ops_math.reduce_any(ops_math.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs):
        from .. import ops_math
        kept = ops_math.reduce_any(ops_math.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        return inputs * ops_math.cast(kept, inputs.dtype)


class ActivityRegularization(Layer):
    """The input, whose size is added to the loss."""

    def __init__(self, l1=0.0, l2=0.0, **kwargs):
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.l1, self.l2 = l1, l2

    def call(self, inputs):
        return inputs


def _ends(value):
    return (value, value) if isinstance(value, int) else tuple(value)


class ZeroPadding1D(Layer):
    """Zeros before and behind the steps."""

    def __init__(self, padding=1, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.padding = _ends(padding)

    def call(self, inputs):
        from .. import ops_array
        return ops_array.pad(inputs, [[0, 0], list(self.padding), [0, 0]])


class Cropping1D(Layer):
    """Steps without the first and the last ones."""

    def __init__(self, cropping=(1, 1), **kwargs):
        super().__init__(**kwargs)
        self.cropping = _ends(cropping)

    def call(self, inputs):
        first, last = self.cropping
        return inputs[:, first:-last] if last else inputs[:, first:]


class UpSampling1D(Layer):
    """Each step `size` times."""

    def __init__(self, size=2, **kwargs):
        super().__init__(**kwargs)
        self.size = int(size)

    def call(self, inputs):
        from .. import ops_array
        return ops_array.repeat(inputs, self.size, axis=1)


class Resizing(Layer):
    """Images of another size."""

    def __init__(self, height, width, interpolation="bilinear", crop_to_aspect_ratio=False,
                 pad_to_aspect_ratio=False, fill_mode="constant", fill_value=0.0, data_format=None, **kwargs):
        super().__init__(**kwargs)
        if crop_to_aspect_ratio or pad_to_aspect_ratio:
            raise NotImplementedError("images are resized whole; crop them by tf.image first")
        self.height, self.width, self.interpolation = height, width, interpolation

    def call(self, inputs):
        from .. import image
        return image.resize(inputs, (self.height, self.width), self.interpolation)


class CenterCrop(Layer):
    """The middle of images."""

    def __init__(self, height, width, **kwargs):
        super().__init__(**kwargs)
        self.height, self.width = height, width

    def call(self, inputs):
        top = (inputs._shape[-3] - self.height) // 2
        left = (inputs._shape[-2] - self.width) // 2
        return inputs[..., top:top + self.height, left:left + self.width, :]


class CategoryEncoding(Layer):
    """Integers as rows: one_hot, multi_hot or count."""

    def __init__(self, num_tokens=None, output_mode="multi_hot", sparse=False, **kwargs):
        super().__init__(**kwargs)
        self.num_tokens, self.output_mode = num_tokens, output_mode

    def _cast_input(self, one):
        return one

    def call(self, inputs, count_weights=None):
        from .. import ops_array, ops_math
        rows = ops_array.one_hot(ops_math.cast(convert_to_tensor(inputs), "int32"), self.num_tokens)
        if self.output_mode == "one_hot":
            return rows if rows._rank < 3 or rows._shape[-2] != 1 else ops_array.squeeze(rows, -2)
        fold = ops_math.reduce_max if self.output_mode == "multi_hot" else ops_math.reduce_sum
        return fold(rows, axis=-2) if rows._rank > 1 else rows


class EinsumDense(Layer):
    """einsum(equation, x, kernel) + bias."""

    def __init__(self, equation, output_shape, activation=None, bias_axes=None,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", **kwargs):
        super().__init__(**kwargs)
        from . import activations
        self.equation, self.bias_axes = equation, bias_axes
        self.partial_output_shape = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.activation = activations.get(activation)
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer

    def build(self, input_shape):
        sides, out = self.equation.replace(" ", "").split("->")
        left, kernel = sides.split(",")
        sizes = {}
        given = list(input_shape)
        names = left.replace("...", "")
        for name, size in zip(reversed(names), reversed(given)):
            sizes[name] = size
        ends = out.replace("...", "")
        for name, size in zip(reversed(ends), reversed(self.partial_output_shape)):
            if size is not None:
                sizes[name] = size
        self.kernel = self.add_weight(shape=[sizes[one] for one in kernel], name="kernel",
                                      initializer=self.kernel_initializer)
        self.bias = None
        if self.bias_axes:
            first = min(ends.index(one) for one in self.bias_axes)
            self.bias = self.add_weight(shape=[sizes[one] if one in self.bias_axes else 1
                                               for one in ends[first:]], name="bias",
                                        initializer=self.bias_initializer)

    def call(self, inputs):
        from .. import ops_math
        made = ops_math.einsum(self.equation, inputs, self.kernel)
        return self.activation(made if self.bias is None else made + self.bias)


class _RandomImages(Layer):
    """While training, images changed at random, the same for all of a batch's pixels."""

    def __init__(self, seed=None, **kwargs):
        kwargs.pop("data_format", None)
        super().__init__(**kwargs)
        from .random import SeedGenerator
        self.seed = seed
        object.__setattr__(self, "generator", SeedGenerator(seed))

    def _drawn(self, inputs, low=0.0, high=1.0):
        from .. import ops_array, random
        count = ops_array.shape(inputs)[0] if inputs._rank == 4 else 1
        drawn = random.stateless_uniform([count, 1, 1, 1], self.generator.next(), low, high)
        return drawn if inputs._rank == 4 else drawn[0]


class RandomFlip(_RandomImages):
    """Flips images at random."""

    def __init__(self, mode="horizontal_and_vertical", seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.mode = mode

    def call(self, inputs, training=True):
        from .. import ops_array
        if not training:
            return inputs
        for axis, name in ((-2, "horizontal"), (-3, "vertical")):
            if name in self.mode:
                inputs = ops_array.where(self._drawn(inputs) < 0.5, inputs, ops_array.reverse(
                    inputs, [axis + inputs._rank]))
        return inputs


class RandomBrightness(_RandomImages):
    """Adds a random number to each image."""

    def __init__(self, factor, value_range=(0, 255), seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.factor = (-factor, factor) if isinstance(factor, (int, float)) else tuple(factor)
        self.value_range = value_range

    def call(self, inputs, training=True):
        from .. import ops_math
        if not training:
            return inputs
        low, high = self.value_range
        moved = inputs + self._drawn(inputs, *self.factor) * float(high - low)
        return ops_math.clip_by_value(moved, float(low), float(high))


class RandomContrast(_RandomImages):
    """Widens or narrows the range of each image."""

    def __init__(self, factor, seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.factor = (1 - factor, 1 + factor) if isinstance(factor, (int, float)) else (
            1 - factor[0], 1 + factor[1])

    def call(self, inputs, training=True):
        from .. import ops_math
        if not training:
            return inputs
        mean = ops_math.reduce_mean(inputs, axis=[-3, -2], keepdims=True)
        return (inputs - mean) * self._drawn(inputs, *self.factor) + mean


class Wrapper(Layer):
    """A layer around another one."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer


def serialize(layer):
    """A layer as {class_name, config}."""
    from . import saving
    return saving.serialize_keras_object(layer)


def deserialize(config, custom_objects=None):
    """The layer of {class_name, config}."""
    from . import saving
    return saving.deserialize_keras_object(config, custom_objects)


def dot(inputs, axes=-1, **kwargs):
    return Dot(axes, **kwargs)(inputs)


def add(inputs, **kwargs):
    return Add(**kwargs)(inputs)


def subtract(inputs, **kwargs):
    return Subtract(**kwargs)(inputs)


def multiply(inputs, **kwargs):
    return Multiply(**kwargs)(inputs)


def average(inputs, **kwargs):
    return Average(**kwargs)(inputs)


def maximum(inputs, **kwargs):
    return Maximum(**kwargs)(inputs)


def minimum(inputs, **kwargs):
    return Minimum(**kwargs)(inputs)


def concatenate(inputs, axis=-1, **kwargs):
    return Concatenate(axis, **kwargs)(inputs)


_ = (apply_op, current_training)


from ._vocabulary import (Discretization, Hashing, IntegerLookup, StringLookup,  # noqa: E402,F401
                          TextVectorization)
from ._volumes import (AveragePooling3D, AvgPool3D, Conv3D, Conv3DTranspose, Convolution3D,  # noqa: E402,F401
                       Convolution3DTranspose, Cropping3D, GlobalAveragePooling3D, GlobalAvgPool3D,
                       GlobalMaxPool3D, GlobalMaxPooling3D, MaxPool3D, MaxPooling3D, UpSampling3D,
                       ZeroPadding3D)

from ._rows import (Conv1DTranspose, Convolution1DTranspose, DepthwiseConv1D,  # noqa: E402,F401
                    SeparableConv1D, SeparableConvolution1D)
