"""Keras 3's names: layers, models, training."""

from .. import _refused
from .._variable import Variable as _Variable
from . import (activations, backend, callbacks, constraints, datasets, initializers,  # noqa: F401
               layers, losses, metrics, ops, optimizers, random, regularizers, utils,
               preprocessing)
from ._input_spec import InputSpec  # noqa: F401
from ._layer import Layer  # noqa: F401
from ._symbols import KerasTensor  # noqa: F401
from ._policy import DTypePolicy  # noqa: F401
from .layers import Input  # noqa: F401
from .losses import Loss  # noqa: F401
from .metrics import Metric  # noqa: F401
from .models import Functional, Model, Sequential  # noqa: F401
from .optimizers import Optimizer  # noqa: F401
from .dtype_policies import FloatDTypePolicy  # noqa: F401
from . import _resolution, applications, dtype_policies, mixed_precision, models, saving, tree  # noqa: F401
from .initializers import Initializer  # noqa: F401
from .regularizers import Regularizer  # noqa: F401

__version__ = "3.12.0"
layers.Layer = Layer
layers.InputSpec = InputSpec


class config:
    floatx = staticmethod(backend.floatx)
    set_floatx = staticmethod(backend.set_floatx)
    epsilon = staticmethod(backend.epsilon)
    set_epsilon = staticmethod(backend.set_epsilon)
    image_data_format = staticmethod(backend.image_data_format)
    set_image_data_format = staticmethod(backend.set_image_data_format)
    enable_interactive_logging = staticmethod(utils.enable_interactive_logging)
    disable_interactive_logging = staticmethod(utils.disable_interactive_logging)
    is_interactive_logging_enabled = staticmethod(utils.is_interactive_logging_enabled)
    backend = staticmethod(backend.backend)
    dtype_policy = staticmethod(mixed_precision.dtype_policy)
    set_dtype_policy = staticmethod(mixed_precision.set_dtype_policy)

    enable_unsafe_deserialization = staticmethod(_resolution.enable_unsafe_deserialization)

    @staticmethod
    def disable_traceback_filtering():
        from .. import _native
        _native.keep_frames(True)

    @staticmethod
    def enable_traceback_filtering():
        from .. import _native
        _native.keep_frames(False)



def name_scope(name, **kwargs):
    """A prefix of the names of variables."""
    _refused.no_more("name_scope", kwargs, ("caller", "deduplicate", "override_parent"))
    from .._function import name_scope as scope
    return scope(name)


def device(device_name):
    """The time in which ops run on a device, as with `tf.device`."""
    from .. import device as scope
    return scope(device_name)


def Variable(initializer, shape=None, dtype=None, trainable=True, autocast=True, aggregation=None, synchronization="auto",
             name=None, **kwargs):
    """A variable as Keras makes it: of an array, or of an initializer and a shape. Raises: ValueError without a shape."""
    _refused.no_more("Variable", kwargs)
    from ._names import auto_name
    from ._variables import Autocast, options
    placed = options(aggregation, synchronization)
    if isinstance(initializer, (str, dict, Initializer)) or callable(initializer):
        if shape is None:
            raise ValueError("When creating a Variable from an initializer, the `shape` argument should be specified. "
                             f"Received: initializer={initializer} and shape={shape}")
        maker = initializers.get(initializer)
        value = maker(shape, dtype=dtype or backend.floatx())
    else:
        from .._tensor import convert_to_tensor
        typed = hasattr(initializer, "dtype") or isinstance(initializer, bool)
        value = convert_to_tensor(initializer, dtype=None if typed else dtype)
        value = value if dtype is None else ops.cast(value, dtype)
    made = (Autocast if autocast else _Variable)(value, trainable=trainable, name=name or "variable", **placed)
    made._keras_path, made._is_of_keras = name or auto_name("variable"), True
    return made


def version():
    return __version__
