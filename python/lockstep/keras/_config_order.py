"""Keras's order of what configs of layers hold, and what is there of its own when nothing was given."""

_KERNEL = ("use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
           "kernel_constraint bias_constraint ")
_CONV = "filters kernel_size strides padding data_format dilation_rate groups activation " + _KERNEL
_TRANSPOSED = "filters kernel_size strides padding output_padding data_format dilation_rate activation " + _KERNEL
_DEPTHWISE = _CONV.replace("filters ", "depth_multiplier ").replace("groups ", "").replace("kernel_", "depthwise_").replace(
    "depthwise_size", "kernel_size")
_SEPARABLE = ("depth_multiplier filters kernel_size strides padding data_format dilation_rate activation use_bias "
              "depthwise_initializer pointwise_initializer bias_initializer depthwise_regularizer pointwise_regularizer "
              "bias_regularizer activity_regularizer depthwise_constraint pointwise_constraint bias_constraint")
_POOL = "pool_size padding strides data_format"
_SCALES = ("beta_initializer gamma_initializer {}beta_regularizer gamma_regularizer beta_constraint gamma_constraint ")
_STEPS = "return_sequences return_state go_backwards stateful unroll zero_output_for_mask "
_RECURRENT = ("use_bias kernel_initializer recurrent_initializer bias_initializer {}kernel_regularizer recurrent_regularizer "
              "bias_regularizer activity_regularizer kernel_constraint recurrent_constraint bias_constraint dropout "
              "recurrent_dropout ")
_FORGETS = _RECURRENT.format("unit_forget_bias ")
_PLAIN = _RECURRENT.format("")
_ORDERS = {
    "Dense": "units activation " + _KERNEL.replace("activity_regularizer ", "") + "quantization_config",
    "EinsumDense": "output_shape equation activation bias_axes " + _KERNEL.replace("use_bias ", "") + "quantization_config",
    "Embedding": "input_dim output_dim embeddings_initializer embeddings_regularizer activity_regularizer "
                 "embeddings_constraint mask_zero quantization_config",
    "BatchNormalization": "axis momentum epsilon center scale " + _SCALES.format(
        "moving_mean_initializer moving_variance_initializer ") + "synchronized renorm renorm_clipping renorm_momentum",
    "LayerNormalization": "axis epsilon center scale rms_scaling " + _SCALES.format(""),
    "GroupNormalization": "groups axis epsilon center scale " + _SCALES.format(""),
    "MultiHeadAttention": "num_heads key_dim value_dim dropout use_bias use_gate output_shape attention_axes sliding_window " +
                          _KERNEL.replace("use_bias ", "") + "seed",
    "Resizing": "data_format height width interpolation crop_to_aspect_ratio pad_to_aspect_ratio fill_mode fill_value antialias",
    "CenterCrop": "data_format height width", "RandomFlip": "data_format seed mode",
    "RandomRotation": "data_format factor fill_mode fill_value interpolation seed",
    "Dropout": "rate seed noise_shape", "Flatten": "data_format", "UpSampling2D": "size data_format interpolation",
    "ZeroPadding1D": "padding data_format", "ZeroPadding2D": "padding data_format", "Cropping2D": "cropping data_format",
    "Bidirectional": "merge_mode layer backward_layer", "RNN": _STEPS + "cell",
    "LSTM": _STEPS + "units activation recurrent_activation " + _FORGETS + "seed",
    "GRU": _STEPS + "units activation recurrent_activation " + _PLAIN + "reset_after seed",
    "SimpleRNN": _STEPS + "units activation " + _PLAIN,
    "LSTMCell": "units activation recurrent_activation " + _PLAIN.replace("activity_regularizer ", "").replace(
        "use_bias ", "use_bias unit_forget_bias ") + "seed",
    "GRUCell": "units activation recurrent_activation " + _PLAIN.replace("activity_regularizer ", "") + "reset_after seed",
    "SimpleRNNCell": "units activation " + _PLAIN.replace("activity_regularizer ", "") + "seed",
    **{f"Conv{rank}D": _CONV for rank in (1, 2, 3)}, **{f"Conv{rank}DTranspose": _TRANSPOSED for rank in (1, 2, 3)},
    **{f"DepthwiseConv{rank}D": _DEPTHWISE for rank in (1, 2)}, **{f"SeparableConv{rank}D": _SEPARABLE for rank in (1, 2)},
    **{f"{kind}Pooling{rank}D": _POOL for kind in ("Max", "Average") for rank in (1, 2, 3)},
    **{f"Global{kind}Pooling{rank}D": "data_format keepdims" for kind in ("Max", "Average") for rank in (1, 2, 3)},
}
_ORDERS = {kind: order.split() for kind, order in _ORDERS.items()}
_OWN = {"data_format": "channels_last", "rms_scaling": False, "renorm": False, "renorm_momentum": 0.99, "use_bias": True,
        "dropout": 0.0, "recurrent_dropout": 0.0, "activation": "linear", "synchronized": False, "use_gate": False,
        "antialias": False}
_FIRST = {"kernel": "GlorotUniform", "bias": "Zeros", "beta": "Zeros", "gamma": "Ones"}


def _value(layer, key):
    from . import initializers, saving
    if key in layer.__dict__ and not key.startswith("output"):
        return layer._config_value(key, layer.__dict__[key])
    if key.endswith("_initializer"):
        return saving.serialize_keras_object(initializers.get(_FIRST[key.partition("_")[0]]))
    return _OWN.get(key)


def _kind(layer):
    """The name of the class of the package that a layer's class is or is derived from."""
    package = __name__.partition(".")[0] + "."
    return next(one.__name__ for one in type(layer).__mro__ if one.__module__.startswith(package))


def in_order(layer, config):
    """A layer's config as Keras has it."""
    kind = _kind(layer)
    order = _ORDERS.get(kind)
    if order is None:
        return config
    made = {key: config[key] for key in ("name", "trainable", "dtype")}
    made.update((key, config[key] if key in config else _value(layer, key)) for key in order)
    if kind.endswith(("1D", "1DTranspose")):
        made.update([(key, (made[key],)) for key in ("kernel_size", "strides", "dilation_rate", "pool_size")
                     if isinstance(made.get(key), int)])
    made.update((key, one) for key, one in config.items() if key not in made and one is not None)
    return made


def is_own(layer, key, value):
    """Whether a layer's config has this of its own when nothing was given."""
    if key not in _ORDERS.get(_kind(layer), ()):
        return False
    if key.endswith("_initializer") and key.partition("_")[0] in _FIRST:
        return isinstance(value, dict) and value.get("class_name") == _FIRST[key.partition("_")[0]]
    return value == _OWN.get(key)
