"""A layer around a function of a SavedModel."""

from .. import _resolution
from .._layer import Layer


class TFSMLayer(Layer):
    """A function of a SavedModel as a layer; its variables are the layer's weights, which are trained.

    Args:
      filepath: the folder of the SavedModel.
      call_endpoint: the name of the function, an attribute of the loaded object or a signature: "serve" of what `model.export`
        writes, often "serving_default" of others.
      call_training_endpoint: the same for calls with `training=True`.
      trainable: whether the weights are trained.
    Raises: OSError where there is no SavedModel; ValueError for a function that it does not have."""

    def __init__(self, filepath, call_endpoint="serve", call_training_endpoint=None, trainable=True, name=None, dtype=None):
        super().__init__(trainable=trainable, name=name, dtype=dtype)
        from ...saved_model import load
        self.filepath, self.call_endpoint, self.call_training_endpoint = filepath, call_endpoint, call_training_endpoint
        loaded = load(filepath)
        functions = [_endpoint(loaded, one) for one in (call_endpoint, call_training_endpoint) if one]
        set_ = object.__setattr__
        set_(self, "_reloaded_obj", loaded)
        set_(self, "call_endpoint_fn", functions[0])
        set_(self, "call_training_endpoint_fn", functions[-1] if call_training_endpoint else None)
        self._take_weights([concrete for function in functions for concrete in getattr(function, "concrete_functions", [function])])
        self.built = True

    def _take_weights(self, concretes):
        """Makes weights with the values of the functions' variables, which the functions read from now on."""
        weights = {}
        for one in sorted((one for concrete in concretes for one in concrete.variables), key=lambda one: not one.trainable):
            if one._v.key not in weights:
                name = one._v.name.replace("/", "_")
                made = weights[one._v.key] = self.add_weight(one.shape, "zeros", one.dtype, one.trainable, autocast=False, name=name)
                made.assign(one.value())
        for concrete in concretes:
            concrete.replace_variables(weights)

    def call(self, inputs, training=False, **kwargs):
        """The function's results. Shapes: as the function has them."""
        function = self.call_training_endpoint_fn if training and self.call_training_endpoint_fn is not None else self.call_endpoint_fn
        return function(inputs, **kwargs)

    @classmethod
    def from_config(cls, config, custom_objects=None, safe_mode=None):
        """The layer that `get_config` describes. Raises: ValueError in safe mode, which is the default, as it reads another file."""
        _resolution.require_unsafe("a `TFSMLayer`, which reads another SavedModel", safe_mode)
        return cls(**config)

    def get_config(self):
        """What the layer is made of again, while the folder is there."""
        return {**super().get_config(), "filepath": self.filepath, "call_endpoint": self.call_endpoint,
                "call_training_endpoint": self.call_training_endpoint}


def _endpoint(loaded, name):
    found = getattr(loaded, name, None)
    if callable(found):
        return found
    if name in loaded.signatures:
        return loaded.signatures[name]
    raise ValueError(f"The endpoint '{name}' is neither an attribute of the reloaded SavedModel, nor an entry in the `signatures` field of "
                     "the reloaded SavedModel. Select another endpoint via the `call_endpoint` argument. Available endpoints for this "
                     f"SavedModel: {list(loaded.signatures)}")
