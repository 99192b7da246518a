"""A layer whose kernel is kept from stretching."""

from ... import ops_array, ops_math
from .. import initializers
from .._input_spec import InputSpec
from .._layer import Layer
from ._passing import Wrapper


class SpectralNormalization(Wrapper):
    """A layer with a kernel, or a table, which each call while training divides by about its largest singular value, as
    `power_iterations` steps find it.

    Raises: ValueError for what is no layer, for one without a kernel, and for no steps."""

    def __init__(self, layer, power_iterations=1, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError(f"Layer {layer} supplied to Wrapper isn't a supported layer type. Please ensure wrapped layer is a "
                             "valid Keras layer.")
        super().__init__(layer, **kwargs)
        if power_iterations <= 0:
            raise ValueError("`power_iterations` should be greater than zero. Received: "
                             f"`power_iterations={power_iterations}`")
        self.power_iterations = power_iterations

    def build(self, input_shape):
        if not self.layer.built:
            self.layer.build(input_shape)
        self.input_spec = InputSpec(shape=[None] + list(input_shape[1:]))
        for name in ("kernel", "embeddings"):
            if hasattr(self.layer, name):
                self.kernel = getattr(self.layer, name)
                break
        else:
            raise ValueError(f"{type(self.layer).__name__} object has no attribute 'kernel' nor 'embeddings'")
        self.kernel_shape = tuple(self.kernel.shape)
        self.vector_u = self.add_weight(shape=(1, self.kernel_shape[-1]), initializer=initializers.TruncatedNormal(stddev=0.02),
                                        name="vector_u", trainable=False)

    def _own_variables(self):
        return [self.kernel, *super()._own_variables()] if self.__dict__.get("kernel") is not None else []

    def call(self, inputs, training=False):
        if training:
            u, kernel = self._normalized()
            self.vector_u.assign(u)
            self.kernel.assign(kernel)
        given = {"training": training} if "training" in self.layer._call_parameters() else {}
        return self.layer(inputs, **given)

    def _normalized(self):
        """(what the next call begins with, the kernel divided by its largest singular value)"""
        from ... import math
        kernel = self.kernel.value()
        rows = ops_array.reshape(kernel, [-1, self.kernel_shape[-1]])
        u = self.vector_u.value()
        for _ in range(self.power_iterations):
            v = math.l2_normalize(ops_math.matmul(u, rows, transpose_b=True), -1)
            u = math.l2_normalize(ops_math.matmul(v, rows), -1)
        u, v = ops_array.stop_gradient(u), ops_array.stop_gradient(v)
        sigma = ops_math.matmul(ops_math.matmul(v, rows), u, transpose_b=True)
        return u, ops_array.reshape(kernel / ops_array.reshape(sigma, []), self.kernel_shape)

    def compute_output_shape(self, input_shape):
        """The shape of what the layer gives for an input of a shape."""
        return self.layer.compute_output_shape(input_shape)
