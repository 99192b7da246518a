"""The places of a model's inputs."""

from ... import _refused
from .. import backend
from .._layer import Layer
from .._names import auto_name
from .._symbols import KerasTensor, Node, standard_shape


def Input(shape=None, batch_size=None, dtype=None, sparse=None, ragged=None, batch_shape=None,
          name=None, tensor=None, optional=False):
    """A symbolic input of examples of `shape`. Raises: as `InputLayer`."""
    return InputLayer(shape=shape, batch_size=batch_size, dtype=dtype, sparse=sparse, ragged=ragged, batch_shape=batch_shape,
                      input_tensor=tensor, name=name, optional=optional).output


class InputLayer(Layer):
    """The place of an input in a model.

    Args: shape: of one example; batch_shape: instead of it, with the batch's size in front; input_tensor: a symbolic tensor
    that becomes the input.
    Raises: ValueError for no shape, for two, or for one that is none."""

    def __init__(self, shape=None, batch_size=None, dtype=None, sparse=None, ragged=None,
                 batch_shape=None, input_tensor=None, optional=False, name=None, input_shape=None, **kwargs):
        _refused.no_more("InputLayer.__init__", kwargs)
        super().__init__(name=name or auto_name("input_layer"))
        if input_tensor is None:
            sizes = _batch_shape(input_shape if shape is None else shape, batch_size, batch_shape)
            input_tensor = KerasTensor(sizes, dtype or backend.floatx(), sparse=sparse, ragged=ragged, name=name)
        elif not isinstance(input_tensor, KerasTensor):
            raise ValueError("Argument `input_tensor` must be a KerasTensor. Received invalid type: "
                             f"input_tensor={input_tensor} (of type {type(input_tensor)})")
        self.batch_shape = input_tensor.shape
        self.optional = optional
        input_tensor._node = node = Node(self, (), {})
        input_tensor._index = 0
        node.outputs = input_tensor
        self._inbound.append(node)
        object.__setattr__(self, "built", True)

    dtype = property(lambda self: self.output.dtype)
    sparse = property(lambda self: self.output.sparse)
    ragged = property(lambda self: self.output.ragged)

    def call(self):
        raise NotImplementedError

    def get_config(self):
        return {"batch_shape": self.batch_shape, "dtype": self.output.dtype, "sparse": self.sparse, "ragged": self.ragged,
                "name": self.name, "optional": self.optional}


def _batch_shape(shape, batch_size, batch_shape):
    if batch_shape is not None:
        for name, one in (("shape", shape), ("batch_size", batch_size)):
            if one is not None:
                raise ValueError(f"You cannot pass both `{name}` and `batch_shape` at the same time.")
        return standard_shape(batch_shape)
    if shape is None:
        raise ValueError("You must pass a `shape` argument.")
    return (batch_size, *standard_shape(shape))
