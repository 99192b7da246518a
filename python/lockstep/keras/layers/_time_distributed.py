"""A layer or a model that sees each step of a sequence apart."""

from ... import ops_array
from .._layer import Layer
from ._passing import Wrapper


class TimeDistributed(Wrapper):
    """A layer at each step apart. Shapes: [n, t, ...]; all steps of all examples are one batch of the layer's.

    Raises: ValueError for what is no layer."""

    _passes_masks = True

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError("Please initialize `TimeDistributed` layer with a `keras.layers.Layer` instance. "
                             f"Received: {layer}")
        super().__init__(layer, **kwargs)

    def build(self, input_shape):
        """Builds the layer for one step of `input_shape`, [n, t, ...]."""
        if not self.layer.built and len(input_shape) > 2:
            self.layer.build((input_shape[0], *input_shape[2:]))
        super().build(input_shape)

    def call(self, inputs, training=False, mask=None):
        if inputs._rank < 3:
            raise ValueError("`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, "
                             f"received: {tuple(inputs._shape)}")
        known = self.layer._call_parameters()
        given = {"training": training} if "training" in known else {}
        if mask is not None and "mask" in known:
            given["mask"] = ops_array.reshape(mask, [-1] + list(mask._shape)[2:])
        made = self.layer(ops_array.reshape(inputs, [-1] + _rest(inputs, 2)), **given)
        steps = inputs._shape[1]
        front = [-1, ops_array.shape(inputs)[1] if steps in (None, -1) else steps]
        return ops_array.reshape(made, front + _rest(made, 1))


def _rest(tensor, axis):
    """The sizes from an axis on, as they are known, or as values where a run tells them."""
    return [ops_array.shape(tensor)[i] if size in (None, -1) else size
            for i, size in enumerate(tensor._shape) if i >= axis]
