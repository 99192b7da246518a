"""Types of values and functions, for annotations and `isinstance`: `tf.types`."""

import abc
import typing

import numpy

from ._function import ConcreteFunction as _Concrete, Function as _Function
from ._tensor import Tensor as _Tensor
from ._variable import Variable as _Variable


class _Callable(abc.ABC):
    """What `tf.function` makes, and its concrete functions."""


_Callable.register(_Function)
_Callable.register(_Concrete)


class _TraceType(abc.ABC):
    """What a trace of a function is for: an object of one's own gives it by `__tf_tracing_type__(context)`. Functions take
    such objects as values of Python: each gets a trace of its own."""

    @abc.abstractmethod
    def is_subtype_of(self, other):
        """Whether a trace for `other` serves this."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others):
        """What a trace for all of them is for; None where there is none."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context):
        """What the function gets while it is traced."""

    @abc.abstractmethod
    def __hash__(self):
        pass

    @abc.abstractmethod
    def __eq__(self, other):
        pass


@typing.runtime_checkable
class _SupportsTracingProtocol(typing.Protocol):
    """Objects that say what a trace for them is for."""

    def __tf_tracing_type__(self, context):
        """The `TraceType`."""


class _Distributed:
    """Values of replicas."""

    def __getattr__(self, name):
        if name not in ("PerReplica", "Mirrored"):
            raise AttributeError(f"module 'tensorflow.types.experimental.distributed' has no attribute {name!r}")
        from . import distribute
        return distribute.PerReplica


class experimental:
    """The types."""
    TensorLike = typing.Union[_Tensor, _Variable, int, float, bool, str, bytes, complex, tuple, list, numpy.ndarray,
                              numpy.generic]
    Callable = _Callable
    ConcreteFunction = _Concrete
    GenericFunction = PolymorphicFunction = _Function
    TraceType = _TraceType
    SupportsTracingProtocol = _SupportsTracingProtocol
    distributed = _Distributed()
