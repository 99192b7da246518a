"""The places of a model's inputs."""

from .._layer import Layer
from .._symbols import KerasTensor


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
        from .._symbols import Node
        self.batch_shape = tuple(batch_shape)
        node = Node(self, (), {})
        made = KerasTensor(batch_shape, dtype or "float32", name=self.name, node=node)
        node.outputs = made
        self._inbound.append(node)
        object.__setattr__(self, "built", True)

    def call(self):
        raise NotImplementedError

    def get_config(self):
        return {"batch_shape": self.batch_shape, "dtype": self.output.dtype, "sparse": False, "ragged": False,
                "name": self.name, "optional": False}


def _input_name():
    from .._names import auto_name
    return auto_name("input_layer")
