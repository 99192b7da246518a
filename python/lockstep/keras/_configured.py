"""What describes a layer, so that it can be made again: `get_config` and `from_config`."""

import functools
import inspect

from .. import _refused
from . import _config_order, constraints, initializers, regularizers

_UNWRITTEN = ("lora_rank", "lora_alpha", "weights", "self", "data_format", "use_cudnn", "flash_attention",
              "quantization_config")
# What configs of Keras hold for arguments that a class here may lack, and the values that change nothing.
_KERAS_ONLY = {"quantization_config": (None,), "renorm": (False,), "renorm_clipping": (None,), "renorm_momentum": (0.99,),
               "data_format": (None, "channels_last"), "lora_rank": (None,), "lora_alpha": (None,), "sparse": (False,),
               "ragged": (False,), "optional": (False,), "rms_scaling": (False,)}

_SIZES = ("kernel_size", "strides", "dilation_rate", "output_padding", "pool_size", "size", "target_shape", "dims")


def _is_of_package(function):
    function = getattr(function, "__func__", function)
    return str(getattr(function, "__module__", "")).startswith("lockstep")


def noting_arguments(init):
    """An `__init__` of a layer of the package that notes what a class derived from it gives."""
    @functools.wraps(init)
    def run(self, *args, **kwargs):
        self.__dict__.setdefault("_given_to_package", (init, args, kwargs))
        init(self, *args, **kwargs)
    return run


def _has_objects(value):
    """Whether a value of a config is an object or a dict, or a list of objects."""
    return isinstance(value, dict) or isinstance(value, list) and any(
        isinstance(one, dict) and "class_name" in one for one in value)


class Configured:
    """What was given to `__init__`, as a config."""

    def get_config(self):
        """What `from_config` makes the layer of again."""
        is_own = not _is_of_package(type(self).get_config)  # which adds what else it needs
        init, args, kwargs = self.__dict__.get("_given_to_package", (None, (), {})) if is_own else (
            type(self).__init__, *self._init_arguments)
        try:
            names = [p.name for p in inspect.signature(init).parameters.values()
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][1:]
        except (TypeError, ValueError):
            names = []
        from . import saving
        config = {"name": self.name, "trainable": self.trainable, "dtype": saving.policy(self._policy.name)}
        if self.activity_regularizer is not None:
            config["activity_regularizer"] = saving.serialize_keras_object(self.activity_regularizer)
        if init is None:
            return config
        known = inspect.signature(init).parameters if names else {}
        own = dict(zip(names, args), **kwargs)
        given = {key: own.get(key, one.default) for key, one in known.items()
                 if key in own or one.default is not inspect.Parameter.empty and key not in _UNWRITTEN}
        given.update((key, one) for key, one in own.items() if key not in given)
        config.update({key: self._config_value(key, one) for key, one in given.items()
                       if key not in ("name", "dtype", "trainable", "weights")})
        return _config_order.in_order(self, config)

    def _config_value(self, key, value):
        from . import saving
        own = self.__dict__.get(key)
        if key in _SIZES and isinstance(own, (tuple, int)):
            value = own  # for each axis
        if key in ("padding", "cropping") and isinstance(own, tuple):
            value = (own[:2], own[2:]) if len(own) == 4 else own
        if key.endswith(("initializer", "regularizer", "constraint", "activation")):
            value = self.__dict__.get(key, value)
            if key.endswith("activation"):
                from . import activations
                return saving.serialize_keras_object(activations.get(value)) if value is not None else \
                    ("linear" if key == "activation" else None)
            getter = {"initializer": initializers, "regularizer": regularizers,
                      "constraint": constraints}[key.rpartition("_")[2]]
            value = getter.get(value)
        try:
            return saving.serialize_keras_object(value)
        except NotImplementedError:
            raise NotImplementedError(
                f"Layer {type(self).__name__} was created by passing non-serializable argument values in "
                f"`__init__()` ({key}={value!r}), and therefore the layer must override `get_config()` in "
                "order to be serializable. Please implement `get_config()`.") from None

    @classmethod
    def from_config(cls, config):
        """The layer of `get_config`. Raises: TypeError for a config of another class; NotImplementedError for a value of Keras's
        that has no effect here."""
        from . import saving
        config = {key: saving.deserialize_keras_object(one) if _has_objects(one) and key not in (
            "dtype",) and not key.endswith(("initializer", "regularizer", "constraint")) else one
            for key, one in config.items()}
        if _is_of_package(cls.__init__):
            known = {key for one in cls.__mro__ if _is_of_package(one) and "__init__" in vars(one)
                     for key in inspect.signature(one.__init__).parameters}
            absent = [key for key in config if key in _KERAS_ONLY and key not in known]
            for key in absent:
                _refused.only(cls.__name__, **{key: (config[key], *_KERAS_ONLY[key])})
            config = {key: one for key, one in config.items() if key not in absent}
        try:
            return cls(**config)
        except TypeError as error:
            raise TypeError(f"Error when deserializing class '{cls.__name__}' using config={config}.\n\n"
                            f"Exception encountered: {error}") from None
