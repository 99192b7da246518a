"""Lockstep: distributed deep learning that gives the same bits on any number of devices.

`import lockstep as tf`: names, arguments, defaults and errors are TensorFlow's and Keras's for what
Lockstep has."""

import importlib as _importlib
import os as _os

from . import _native, _refused
from ._dtypes import (DType, Dimension, TensorShape, as_dtype, bfloat16, bool, double,  # noqa: F401
                      float16, float32, float64, half, int8, int16, int32, int64, resource, string,
                      uint8)
from ._tensor import (IndexedSlices, Tensor, convert_to_tensor, give_operators as _give,  # noqa: F401
                      install as _install)
from ._variable import (Variable, VariableAggregation, VariableSynchronization,  # noqa: F401
                        variable_creator_scope)

_hash = Variable.__hash__
_install()
_give(Variable)
Variable.__hash__ = _hash

from . import errors, nest, ops_array as _array, ops_math as _math  # noqa: E402,F401
from ._control_flow import (case, cond, foldl, foldr, map_fn, scan, switch_case,  # noqa: E402,F401
                            vectorized_map, while_loop)
from ._function import (Operation, TensorSpec, control_dependencies, custom_gradient,  # noqa: E402,F401
                        device, executing_eagerly, function, grad_pass_through, group, init_scope,
                        inside_function, name_scope, no_op, recompute_grad, tuple_of as tuple)
from ._host_calls import Assert, numpy_function, print_v2 as print, py_function  # noqa: E402,F401
from ._tensor_array import TensorArray  # noqa: E402,F401
from ._tape import GradientTape, UnconnectedGradients, gradients, hessians  # noqa: E402,F401
from .ops_array import (bitcast, boolean_mask, broadcast_dynamic_shape,  # noqa: E402,F401
                        broadcast_static_shape, broadcast_to, dynamic_partition,
                        dynamic_stitch, histogram_fixed_width, parallel_stack, reverse_sequence,
                        unravel_index,
                        concat, constant, ensure_shape, expand_dims, eye, fill, gather, gather_nd,
                        identity, identity_n, meshgrid, one_hot, ones, ones_like, pad, rank, repeat,
                        reshape, reverse, roll, scatter_nd, searchsorted, sequence_mask, shape,
                        shape_n, size, slice, sort, argsort, split, squeeze, stack, stop_gradient,
                        strided_slice, tensor_scatter_nd_add, tensor_scatter_nd_sub,
                        tensor_scatter_nd_max, tensor_scatter_nd_min, tensor_scatter_nd_update, tile, transpose, unique, unique_with_counts,
                        unstack, where, zeros, zeros_like)
from ._blocks import batch_to_space, space_to_batch, space_to_batch as space_to_batch_nd  # noqa: E402,F401
from .ops_math import *  # noqa: E402,F401,F403
from ._composites import is_tensor  # noqa: E402,F401
from .ops_math import (abs, add_n, argmax, argmin, cast, clip_by_global_norm,  # noqa: E402,F401
                       clip_by_norm, clip_by_value, cumsum, einsum, linspace, matmul, norm, range,
                       saturate_cast, tensordot)

newaxis = None
__version__ = "2.21.0"
lockstep_version = "0.1.0"


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Assigns a value to a variable, as version 1 has it."""
    return ref.assign(value)


def assign_add(ref, value, use_locking=None, name=None):
    """Adds to a variable, as version 1 has it."""
    return ref.assign_add(value)


def assign_sub(ref, value, use_locking=None, name=None):
    """Subtracts from a variable, as version 1 has it."""
    return ref.assign_sub(value)


def timestamp(name=None):
    """Seconds since 1970, as float64."""
    import time
    return convert_to_tensor(time.time(), dtype=float64)


def get_logger():
    """The logger "tensorflow" of Python's logging."""
    import logging
    return logging.getLogger("tensorflow")


def get_static_value(tensor, partial=False):
    """The value of a tensor as a NumPy array where it is known now, else None; what is no tensor is its own value."""
    _refused.only("get_static_value", partial=(partial, False))
    if isinstance(tensor, Variable):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    known = _native.static_value(tensor)
    return None if known is None else known.numpy()


def is_symbolic_tensor(tensor):
    """Whether the tensor is a value of a graph."""
    return isinstance(tensor, Tensor) and tensor._symbolic


_LAZY = ("autograph", "compat", "config", "data", "debugging", "distribute", "experimental", "io",
         "keras", "linalg", "math", "nn", "queue", "random", "strings", "summary", "train", "types", "version",
         "saved_model", "initializers", "losses", "metrics", "optimizers", "estimator", "test",
         "dtypes", "module", "image", "sysconfig", "profiler", "lite", "sparse", "ragged", "autodiff",
         "raw_ops", "bitwise", "sets", "graph_util", "onnx", "lookup", "signal", "feature_column")
_INITIALIZERS = {"zeros_initializer": "Zeros", "ones_initializer": "Ones",
                 "constant_initializer": "PlainConstant"}
_ELSEWHERE = {"RegisterGradient": ("._gradient_maps", ""), "no_gradient": ("._gradient_maps", ""),
              "AggregationMethod": (".compat.v1", ""), "assert_equal": (".debugging", ""),
              "assert_greater": (".debugging", ""), "assert_less": (".debugging", ""), "assert_rank": (".debugging", ""),
              "edit_distance": ("._edit_distance", ""), "OptionalSpec": (".experimental", ""), "TypeSpec": ("._type_specs", ""), "type_spec_from_value": ("._type_specs", ""),
              "get_current_name_scope": ("._function", ""), "histogram_fixed_width_bins": (".ops_array", ""),
              "random_normal_initializer": ("._random_initializers", "RandomNormal"),
              "random_uniform_initializer": ("._random_initializers", "RandomUniform")}
_ALIASES = {"initializers": "keras.initializers", "losses": "keras.losses", "metrics": "keras.metrics",
            "optimizers": "keras.optimizers", "dtypes": "_dtypes"}


def __getattr__(name):
    if name == "make_ndarray":
        from ._messages import make_ndarray
        return make_ndarray
    if name == "make_tensor_proto":
        from ._tensor_proto import make_tensor_proto
        return make_tensor_proto
    if name == "as_string":
        from .strings import as_string
        return as_string
    if name in ("SparseTensor", "SparseTensorSpec"):
        from . import sparse
        return getattr(sparse, name)
    if name in ("RaggedTensor", "RaggedTensorSpec"):
        from . import ragged
        return getattr(ragged, name)
    if name == "DeviceSpec":
        from .device_spec import DeviceSpec
        return DeviceSpec
    if name == "CriticalSection":
        from .critical_section import CriticalSection
        return CriticalSection
    if name in _INITIALIZERS:
        from .keras import initializers
        return getattr(initializers, _INITIALIZERS[name])
    if name in _ELSEWHERE:
        module, own = _ELSEWHERE[name]
        return getattr(_importlib.import_module(module, __name__), own or name)
    if name in ("Graph", "import_graph_def"):
        from .compat import v1
        return getattr(v1, name)
    if name == "Module":
        from .module import Module
        return Module
    if name in _LAZY:
        try:
            module = _importlib.import_module("." + _ALIASES.get(name, name), __name__)
        except ModuleNotFoundError as error:
            if not str(error.name).startswith(__name__):
                raise
            raise AttributeError(f"module 'lockstep' has no attribute {name!r}") from None
        globals()[name] = module
        return module
    raise AttributeError(f"module 'lockstep' has no attribute {name!r}")


def __dir__():
    return sorted(set(globals()) | set(_LAZY))


from . import _native as _library  # noqa: E402

if _library.race_check() != 0:
    from . import _threads
    _threads.install()
from . import _public  # noqa: E402

_public.guard_all(globals(), _os.path.dirname(_os.path.abspath(__file__)))
