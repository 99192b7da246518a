"""Layers that multiply by a matrix."""

from .. import initializers
from .._layer import Layer
from .._native_layer import NativeLayer
from .._ops_sparse import dense
from ._arguments import _given, _keep_parts, _native_parts
from ._lora import LowRank


class _Kernel(NativeLayer):
    """What layers with a kernel and a bias share."""

    def __init__(self, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        from .. import activations
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        _keep_parts(self, kernel=(kernel_initializer, kernel_regularizer, kernel_constraint),
                    bias=(bias_initializer, bias_regularizer, bias_constraint))

    def _kernel_options(self):
        return _given(activation=self._activation_option(self.activation), use_bias=self.use_bias,
                      **_native_parts(self, "kernel", "bias"))


class Dense(LowRank, _Kernel):
    """activation(x W + b) on the last axis. Shapes: x [n, ..., in]; kernel [in, units]; bias [units]."""

    _passes_masks = True
    _computes = True
    _kind = "Dense"
    _keeps_rows = True

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
        self._set_lora(lora_rank, lora_alpha)

    def call(self, inputs, training=False):
        """Of a sparse tensor the same as of the dense one: the products are added in the same order, so that the results have the
        same bits, also where replicas share the rows."""
        return super().call(dense(inputs), training)

    def _options(self):
        return dict(self._kernel_options(), units=self.units)

    def _run_adapted(self, inputs):
        from ... import ops_math
        made = ops_math.tensordot(inputs, self._adapted(), 1)
        if self.use_bias:
            made = made + ops_math.cast(self.bias.value(), made.dtype)
        return made if self.activation is None else self.activation(made)


class EinsumDense(Layer):
    """einsum(equation, x, kernel) + bias."""

    def __init__(self, equation, output_shape, activation=None, bias_axes=None,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", **kwargs):
        super().__init__(**kwargs)
        from .. import activations
        self.equation, self.bias_axes = equation, bias_axes
        self.partial_output_shape = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape):
        sides, out = self.equation.replace(" ", "").split("->")
        left, kernel = sides.split(",")
        sizes = {}
        ends = out.replace("...", "")
        for names, given in ((left, list(input_shape)), (out, [None, *self.partial_output_shape])):
            behind = names.endswith("...")  # axes that the dots stand for are the last ones, else the first ones
            names = names.replace("...", "")
            pairs = zip(names, given) if behind else zip(reversed(names), reversed(given))
            sizes.update((name, size) for name, size in pairs if size is not None or name not in sizes)
        inputs = [axis for axis, one in enumerate(kernel) if one not in ends]
        self.kernel = self.add_weight(shape=[sizes[one] for one in kernel], name="kernel",
                                      initializer=initializers.of_axes(self.kernel_initializer, inputs))
        self.bias = None
        if self.bias_axes:
            first = min(ends.index(one) for one in self.bias_axes)
            shape = [sizes[one] if one in self.bias_axes else 1 for one in ends[first:]]
            if out.endswith("..."):
                shape += [1] * (len(input_shape) - len(left.replace("...", "")))
            self.bias = self.add_weight(shape=shape, name="bias", initializer=self.bias_initializer)

    def call(self, inputs):
        from ... import ops_math
        made = ops_math.einsum(self.equation, self._computing(inputs), self.kernel)
        return self.activation(made if self.bias is None else made + self.bias)
