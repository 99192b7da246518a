"""Which classes and functions the configs of models may name.

A config comes from a file, so it is untrusted: a name resolves only to

- an object that the caller passes in `custom_objects` or has put into a custom object scope,
- an object registered by `keras.saving.register_keras_serializable`,
- a class of the package that a model consists of (a layer, initializer, loss, ...: `_kinds`),
- a function of the package that computes tensors from tensors and has no side effects (`_function_of_package`).

No module is imported and no attribute of an arbitrary module is read. Functions as byte code (`__lambda__`) are
loaded only when safe mode is off. Copies inside the process (`clone_model`, `Bidirectional`) trust the classes and
functions of the original: `Copying` records these while the original is described."""

import contextlib
import contextvars
import inspect

from .. import _random_initializers
from .._damage import no_damage

_safe_mode = contextvars.ContextVar("safe_mode", default=None)  # None: no scope
_copied = contextvars.ContextVar("copied", default=None)  # {(module, name): object} while a copy is made
_globally_unsafe = False


@contextlib.contextmanager
def safe_mode_scope(safe_mode):
    """The time in which loaders run with this safe mode, nested ones included."""
    before = _safe_mode.set(safe_mode)
    try:
        yield
    finally:
        _safe_mode.reset(before)


@contextlib.contextmanager
def copying():
    """The time in which an object of this process is described and made again: its classes and functions are trusted."""
    if _copied.get() is not None:
        yield
        return
    before = _copied.set({})
    try:
        yield
    finally:
        _copied.reset(before)


def enable_unsafe_deserialization():
    """Turns safe mode off for the whole process: files may hold functions as byte code."""
    global _globally_unsafe
    _globally_unsafe = True


def in_safe_mode():
    """The safe mode of the enclosing scope; None outside of scopes."""
    own = _safe_mode.get()
    return False if own is None and _globally_unsafe else own


def require_unsafe(what, safe_mode=None):
    """Raises: ValueError in safe mode, which is the default."""
    ambient = in_safe_mode()
    if (safe_mode if ambient is None else ambient) is False:
        return
    raise no_damage(ValueError(f"Requested the deserialization of {what}. This carries a potential risk of arbitrary code execution "
                          "and thus it is disallowed by default. If you trust the source of the artifact, you can override this "
                          "error by passing `safe_mode=False` to the loading function, or calling "
                          "`keras.config.enable_unsafe_deserialization()`."))


def note_copied(module, name, thing):
    """Records an object that a config names, while a copy is made."""
    copied = _copied.get()
    if copied is not None:
        copied[module, name] = thing


def is_copying():
    """Whether an object of this process is being copied."""
    return _copied.get() is not None


def copied_object(module, name):
    """The object that `note_copied` has recorded under a name; None outside of copies."""
    copied = _copied.get()
    return None if copied is None else copied.get((module, name))


def is_own_module(module):
    """Whether a config's module is one of Keras or of the package; configs of old versions name none."""
    return not module or str(module).split(".")[0] in ("keras", "lockstep", "builtins", "tf_keras", "tensorflow")


def _kinds():
    """The base classes of the parts of models."""
    from . import constraints, initializers, losses, metrics, regularizers
    from ._feature_space import FeaturePart
    from ._input_spec import InputSpec
    from ._layer import Layer
    from ._policy import DTypePolicy
    from ._policy_map import DTypePolicyMap
    from .optimizers import Optimizer, schedules
    from .random import SeedGenerator
    return (Layer, initializers.Initializer, regularizers.Regularizer, constraints.Constraint, losses.Loss, metrics.Metric,
            Optimizer, schedules.LearningRateSchedule, DTypePolicy, DTypePolicyMap, InputSpec, SeedGenerator, FeaturePart)


def class_of_package(module, name):
    """The package's class of a config's name; None where there is none that a model may consist of."""
    from . import _feature_space, constraints, dtype_policies, initializers, layers, losses, metrics, models, optimizers, random, \
        regularizers
    from ._operation import of_file
    from .optimizers import schedules
    if not isinstance(name, str) or name.startswith("_") or not is_own_module(module):
        return None
    if module == _random_initializers.MODULE and name in ("RandomNormal", "RandomUniform"):
        return getattr(_random_initializers, name)
    operation = of_file(module, name)
    if operation is not None:
        return operation
    kinds = _kinds()
    for room in (layers, models, initializers, regularizers, constraints, optimizers, schedules, losses, metrics,
                 dtype_policies, random, _feature_space):
        found = getattr(room, name, None)
        if inspect.isclass(found) and issubclass(found, kinds):
            return found
    return None


def function_of_package(module, name):
    """The package's function of tensors of a config's name; None where there is none without side effects."""
    from . import activations, losses, metrics, ops
    from ._operation import is_operation
    if not isinstance(name, str) or name.startswith("_") or not is_own_module(module):
        return None
    module = module or "builtins"
    if not str(module).startswith("keras.ops"):
        known = activations._ALIASES.get(name, name)
        if known in activations._BY_NAME:
            return activations._BY_NAME[known]
        for room in (losses, metrics):
            if name in room._SHORT or name in metrics._CORRELATIONS:
                found = getattr(room, name, None)
                if inspect.isfunction(found):
                    return found
    if str(module).startswith("keras.ops") and is_operation(name):
        return getattr(ops, name, None)
    return None
