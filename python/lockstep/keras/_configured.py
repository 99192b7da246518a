"""What describes a layer, so that it can be made again: `get_config` and `from_config`."""

import inspect

from . import constraints, initializers, regularizers

_UNWRITTEN = ("lora_rank", "lora_alpha", "weights", "self", "data_format", "use_cudnn", "flash_attention",
              "quantization_config")
_KERAS_ONLY = ("quantization_config", "renorm", "renorm_clipping", "renorm_momentum", "data_format",
               "lora_rank", "lora_alpha", "sparse", "ragged", "optional", "rms_scaling")

_SIZES = ("kernel_size", "strides", "dilation_rate", "output_padding", "pool_size", "size", "target_shape", "dims")


def _is_of_package(function):
    function = getattr(function, "__func__", function)
    return str(getattr(function, "__module__", "")).startswith("lockstep")


class Configured:
    """What was given to `__init__`, as a config."""

    def get_config(self):
        """What `from_config` makes the layer of again."""
        args, kwargs = self._init_arguments
        try:
            names = [p.name for p in inspect.signature(type(self).__init__).parameters.values()
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][1:]
        except (TypeError, ValueError):
            names = []
        from . import saving
        config = {"name": self.name, "trainable": self.trainable, "dtype": saving.policy(self._policy.name)}
        if self.activity_regularizer is not None:
            config["activity_regularizer"] = saving.serialize_keras_object(self.activity_regularizer)
        if not _is_of_package(type(self).get_config):
            return config  # the class adds what it needs
        known = inspect.signature(type(self).__init__).parameters if names else {}
        own = dict(zip(names, args), **kwargs)
        given = {key: own.get(key, one.default) for key, one in known.items()
                 if key in own or one.default is not inspect.Parameter.empty and key not in _UNWRITTEN}
        given.update((key, one) for key, one in own.items() if key not in given)
        config.update({key: self._config_value(key, one) for key, one in given.items()
                       if key not in ("name", "dtype", "trainable")})
        return config

    def _config_value(self, key, value):
        from . import saving
        own = self.__dict__.get(key)
        if key in _SIZES and isinstance(own, tuple):
            value = own  # for each axis
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
        """The layer of `get_config`. Raises: TypeError for a config of another class."""
        from . import saving
        config = {key: saving.deserialize_keras_object(one) if isinstance(one, dict) and key not in (
            "dtype",) and not key.endswith(("initializer", "regularizer", "constraint")) else one
            for key, one in config.items()}
        if _is_of_package(cls.__init__):
            known = inspect.signature(cls.__init__).parameters
            config = {key: one for key, one in config.items()
                      if key not in _KERAS_ONLY or key in known}
        try:
            return cls(**config)
        except TypeError as error:
            raise TypeError(f"Error when deserializing class '{cls.__name__}' using config={config}.\n\n"
                            f"Exception encountered: {error}") from None
