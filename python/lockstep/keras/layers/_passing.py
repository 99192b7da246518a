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
        self.supports_masking = mask is not None
        object.__setattr__(self, "built", True)

    def compute_mask(self, inputs, mask=None):
        return self._mask(inputs, mask) if callable(self._mask) else self._mask

    def call(self, inputs):
        return self.function(inputs, **self.arguments)


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

    def call(self, inputs):
        return inputs


class Wrapper(Layer):
    """A layer around another one."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer
