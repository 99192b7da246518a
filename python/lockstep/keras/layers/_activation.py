"""Activations as layers."""

from ... import _logits, ops_array, ops_math
from ..._tensor import convert_to_tensor
from ...ragged import RaggedTensor
from .. import initializers
from .._layer import Layer
from .._native_layer import NativeLayer
from ._arguments import _given


class ReLU(NativeLayer):
    """max(x, 0), with a slope below the threshold and a largest value."""

    _passes_masks = True
    _kind = "ReLU"
    _keeps_rows = True

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs):
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def _options(self):
        return _given(max_value=None if self.max_value is None else float(self.max_value),
                      negative_slope=float(self.negative_slope or 0),
                      threshold=float(self.threshold or 0))


class LeakyReLU(NativeLayer):
    """x above 0, else negative_slope * x."""

    _passes_masks = True
    _computes = True
    _kind = "LeakyReLU"
    _keeps_rows = True

    def __init__(self, negative_slope=0.3, **kwargs):
        negative_slope = kwargs.pop("alpha", negative_slope)
        super().__init__(**kwargs)
        self.negative_slope = negative_slope

    def _options(self):
        return {"negative_slope": float(self.negative_slope)}


class ELU(NativeLayer):
    """x from 0 on, else alpha * (e^x - 1)."""

    _passes_masks = True
    _kind = "ELU"
    _keeps_rows = True

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def _options(self):
        return {"alpha": float(self.alpha)}


class PReLU(NativeLayer):
    """x from 0 on, else alpha * x with a trained alpha."""

    _passes_masks = True
    _kind = "PReLU"

    def __init__(self, alpha_initializer="Zeros", alpha_regularizer=None, alpha_constraint=None,
                 shared_axes=None, **kwargs):
        super().__init__(**kwargs)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self._keep_in_python(alpha=(alpha_regularizer, alpha_constraint))
        self.shared_axes = shared_axes or []

    def _options(self):
        axes = self.shared_axes if isinstance(self.shared_axes, (list, tuple)) else [self.shared_axes]
        return {"alpha_initializer": initializers.native(self.alpha_initializer),
                "shared_axes": list(axes)}


class Softmax(NativeLayer):
    """exp(x) / sum(exp(x)) along `axis`, an axis or several. Elements that `mask`, which broadcasts to the input, leaves out
    are 0 and do not count in the sum."""

    _passes_masks = True
    _kind = "Softmax"

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def _options(self):
        return {"axis": -1 if isinstance(self.axis, (list, tuple)) else self.axis}

    def call(self, inputs, mask=None):
        from .. import activations
        inputs = convert_to_tensor(inputs)
        if mask is not None:
            mask = convert_to_tensor(mask)
            sizes = list(zip(reversed(mask._shape), reversed(inputs._shape)))
            if mask._rank > inputs._rank or any(None not in pair and pair[0] not in (1, pair[1]) for pair in sizes):
                raise ValueError("The `mask` must be broadcastable to `inputs`. Received: "
                                 f"inputs.shape={tuple(inputs._shape)}, mask.shape={tuple(mask._shape)}")
            mask = mask if mask.dtype.is_bool else ops_math.greater(mask, ops_math.cast(0.5, mask.dtype))
            hidden = -3e4 if inputs.dtype.name == "float16" else -1e9
            inputs = ops_array.where(mask, inputs, ops_math.cast(hidden, inputs.dtype))
        if isinstance(self.axis, (list, tuple)):
            made = activations.softmax(inputs, self.axis[0] if len(self.axis) == 1 else self.axis)
        else:
            made = self._run([inputs], False)
        return made if mask is None else ops_array.where(mask, made, ops_array.zeros_like(made))

    def _run(self, inputs, training):
        made = super()._run(inputs, training)
        return _logits.note("Softmax", made, inputs[0]) if _logits.is_last(self.axis, inputs[0]) else made


class Activation(Layer):
    """Applies a function."""

    _passes_masks = True

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        from .. import activations
        self.activation = activations.get(activation)
        object.__setattr__(self, "built", True)

    def call(self, inputs):
        if isinstance(inputs, RaggedTensor):
            return inputs.with_flat_values(self.activation(inputs.flat_values))
        return self.activation(inputs)
