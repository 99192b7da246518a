"""Layers that hand their input on, as it is or by a function of the user's."""

from .. import regularizers
from .._layer import Layer
from .._symbols import has_symbols


class Lambda(Layer):
    """Any function."""

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "function", function)
        self.arguments = arguments or {}
        self._mask = mask
        self._output_shape = output_shape
        self.supports_masking = mask is not None
        object.__setattr__(self, "built", True)

    def compute_mask(self, inputs, mask=None):
        return self._mask(inputs, mask) if callable(self._mask) else self._mask

    def call(self, inputs):
        return self.function(inputs, **self.arguments)

    def get_config(self):
        """What `from_config` makes the layer of again; a lambda as byte code."""
        return {key: value for key, value in super().get_config().items() if key not in ("output_shape", "mask") or value is not None}

    def _config_value(self, key, value):
        from .. import saving
        if key == "arguments":
            return saving.serialize_keras_object(self.arguments)
        return _described(value) if callable(value) else value

    @classmethod
    def from_config(cls, config, custom_objects=None, safe_mode=None):
        """The layer that `get_config` describes. Raises: ValueError for byte code in safe mode, which is the default."""
        made = {key: _resolved(value, custom_objects, safe_mode) if key in ("function", "output_shape", "mask", "arguments") else value
                for key, value in config.items()}
        if not callable(made.get("function")):
            raise TypeError(f"[load] the function of a Lambda layer must be a function; got {config.get('function')!r}")
        shape = made.get("output_shape")
        if isinstance(shape, list) and all(isinstance(one, (int, type(None))) for one in shape):
            made["output_shape"] = tuple(shape)
        return cls(**made)


def _described(function):
    from .. import _lambda_code, _resolution, saving
    if getattr(function, "__name__", None) == "<lambda>" and not _resolution.is_copying():
        code, defaults, closure = _lambda_code.dumped(function)
        return {"class_name": "__lambda__", "config": {"code": code, "defaults": defaults, "closure": closure}}
    made = saving.serialize_keras_object(function)
    if isinstance(made, str):  # a function of the package
        return {"module": "builtins", "class_name": "function", "config": made, "registered_name": "function"}
    return made


def _resolved(value, custom_objects, safe_mode):
    from .. import _lambda_code, _resolution, saving
    if isinstance(value, dict) and value.get("class_name") == "__lambda__":
        _resolution.require_unsafe("a `Lambda` layer whose `function` is a Python lambda", safe_mode)
        inner = value["config"]
        return _lambda_code.loaded([inner["code"], inner["defaults"], inner["closure"]])
    return saving.deserialize_keras_object(value, custom_objects)


class Identity(Layer):
    """The input."""

    _passes_masks = True

    def call(self, inputs):
        return inputs


class Masking(Layer):
    """Steps whose elements all equal `mask_value` become 0, and do not count for the layers behind."""

    _passes_masks = True

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.mask_value = mask_value
        object.__setattr__(self, "built", True)

    def compute_mask(self, inputs, mask=None):
        return self._kept(inputs, False)

    def _kept(self, inputs, keepdims):
        from .. import ops
        if not has_symbols(inputs):
            inputs = self._computing(inputs)
        return ops.any(ops.not_equal(inputs, self.mask_value), axis=-1, keepdims=keepdims)

    def call(self, inputs):
        from .. import ops
        return ops.where(self._kept(inputs, True), inputs, ops.zeros_like(inputs))


class ActivityRegularization(Layer):
    """The input, whose size is added to the loss."""

    _passes_masks = True

    def __init__(self, l1=0.0, l2=0.0, **kwargs):
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.l1, self.l2 = l1, l2

    def get_config(self):
        """What `from_config` makes the layer of again: the sizes stand for the regularizer."""
        config = super().get_config()
        config.pop("activity_regularizer", None)
        return config

    def call(self, inputs):
        return inputs


class Wrapper(Layer):
    """A layer around another one."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer
