"""Version 1 style: graphs that are built first, sessions that run them, placeholders.

Names that version 2 has, too, are its own: `tf.compat.v1.constant` is `tf.constant`."""

import importlib as _importlib

from ._graph_defs import AttrValue, GraphDef, NodeDef, import_graph_def  # noqa: F401
from .meta_graphs import MetaGraphDef  # noqa: F401
from ._graphs import (Graph, GraphKeys, GraphOperation, control, control_flow_v2_enabled,  # noqa: F401
                      disable_control_flow_v2, disable_eager_execution,
                      disable_resource_variables, disable_v2_behavior, disable_v2_tensorshape, enable_control_flow_v2,
                      enable_eager_execution, enable_resource_variables, enable_v2_behavior, enable_v2_tensorshape,
                      executing_eagerly_outside_functions, get_default_graph, graph_gradients, graph_group,
                      graph_variable, in_graph, name_scope, reset_default_graph)
from ._sessions import (ConfigProto, GPUOptions, GraphOptions, InteractiveSession, OptimizerOptions,  # noqa: F401
                        RunMetadata, RunOptions, Session, get_default_session)
from ._first_values import variables_initializer as initialize_variables  # noqa: F401
from ._first_values import (global_variables_initializer, initialize_all_variables,  # noqa: F401
                            initialize_local_variables, is_variable_initialized, local_variables_initializer,
                            report_uninitialized_variables, tables_initializer, variables_initializer)
from ._placeholders import gradient_ops, placeholder, placeholder_with_default, sparse_placeholder  # noqa: F401
from ._value_parts import RaggedTensorValue, SparseTensorValue  # noqa: F401
from .accumulators import (ConditionalAccumulator, ConditionalAccumulatorBase,  # noqa: F401
                           SparseConditionalAccumulator)
from ._variables import (AUTO_REUSE, PartitionedVariable, VariableScope, add_to_collection,  # noqa: F401
                         add_to_collections, all_variables, fixed_size_partitioner, get_collection,
                         get_collection_ref, get_variable, get_variable_scope, global_variables, local_variables,
                         min_max_variable_partitioner, model_variables, moving_average_variables,
                         trainable_variables, variable_axis_size_partitioner, variable_scope)
from ...device_spec import DeviceSpecV1 as DeviceSpec  # noqa: F401
from ._templates import make_template  # noqa: F401
from ._initializers import (constant_initializer, glorot_uniform_initializer, ones_initializer,  # noqa: F401
                            random_normal_initializer, random_uniform_initializer, truncated_normal_initializer,
                            zeros_initializer)
from ._random import get_seed, random_normal, random_uniform, set_random_seed, truncated_normal  # noqa: F401
from ._functions import (AggregationMethod, Print, arg_max, arg_min,  # noqa: F401
                         assert_proper_iterable, assert_variables_initialized, batch_gather, clip_by_average_norm, colocate_with, cond,
                         container, convert_to_tensor_or_indexed_slices,
                         convert_to_tensor_or_sparse_tensor, count_up_to, dimension_at_index, dimension_value, div, get_local_variable,
                         gradients, hessians, is_numeric_tensor, multinomial, no_regularizer, py_func, resource_variables_enabled, setdiff1d,
                         sparse_to_dense, string_split, to_bfloat16, to_double, to_float, verify_tensor_all_finite, where_v2, while_loop)
from ._readers import (FixedLengthRecordReader, IdentityReader, ReaderBase, TFRecordReader, TextLineReader,  # noqa: F401
                       WholeFileReader)
from ..._variable import VariableAggregationV1 as VariableAggregation  # noqa: F401
from ...errors import OpError  # noqa: F401
from ...queue import QueueBase  # noqa: F401
from ._scattering import (batch_scatter_update, scatter_add, scatter_div, scatter_max, scatter_min,  # noqa: F401
                          scatter_mul, scatter_nd_add, scatter_nd_sub, scatter_nd_update, scatter_sub, scatter_update)
from ._initializers import glorot_normal_initializer, orthogonal_initializer, variance_scaling_initializer  # noqa: F401
from ._summary_messages import Summary, SummaryMetadata  # noqa: F401
from ._logging import logging  # noqa: F401
from ._moved import _MOVED
from ._older_arguments import find as find_older


_MODULES = ("train", "summary", "data", "losses", "metrics", "app", "flags", "gfile", "initializers", "nn", "python_io",
            "debugging", "manip", "math", "random", "sparse", "strings", "feature_column")


# What `lockstep` finds when it is asked for, and what it and this module have for themselves.
_LATER = ("CriticalSection", "DeviceSpec", "Module", "RaggedTensor", "RaggedTensorSpec", "SparseTensor", "SparseTensorSpec", "TypeSpec",
          "VERSION", "as_string", "make_ndarray", "make_tensor_proto", "type_spec_from_value")
_OWN = ("GraphOperation", "accumulators", "approximate_equal", "autodiff", "control", "device_spec", "find_older", "gradient_ops",
        "graph_gradients", "graph_group", "graph_variable", "hooks", "in_graph", "in_one_row", "inside_function", "integers", "lockstep_version",
        "max_of", "min_of", "module", "monitored", "n", "onnx", "op", "ops_array", "ops_math", "optimizers", "queue_runner",
        "replica_setter", "saving", "schedules", "session_manager", "static_shape", "supervisor", "sync_replicas", "train_cluster",
        "with_shape")


def __dir__():
    import lockstep
    from ._older_arguments import names
    found = {*globals(), *_MODULES, *_MOVED, *_LATER, *names(), *dir(lockstep)}.difference(_OWN)
    return sorted(one for one in found if not one.startswith("_"))


def __getattr__(name):
    if name == "__all__":
        import sys
        return [one for one in __dir__() if hasattr(sys.modules[__name__], one)]
    if name in _MODULES:
        module = _importlib.import_module("." + name, __name__)
        globals()[name] = module
        return module
    if name.startswith("__"):
        raise AttributeError(name)
    if name.endswith("VERSION"):
        from ... import version
        return getattr(version, name)
    if name == "layers":
        raise AttributeError("tf.compat.v1.layers went with Keras 3, as in TensorFlow: use tf.keras.layers")
    import lockstep
    older = find_older(name)
    if older is not None:
        globals()[name] = older
        return older
    if name in _MOVED:
        module, name = _MOVED[name]
        return getattr(getattr(lockstep, module), name)
    try:
        return getattr(lockstep, name)
    except AttributeError:
        raise AttributeError(f"module 'lockstep.compat.v1' has no attribute {name!r}") from None
