"""The ops of a library's nodes: those on variables, lists and tables, and otherwise those that graphs of version 1 take."""

from .. import _native, errors, ops_array
from .._dtypes import as_dtype
from .._tensor import Tensor, convert_to_tensor
from .._tensor_array import TensorArray
from .._variable import Variable
from ..compat.v1 import _import_ops, _import_signatures
from ._files import checked_array

# Ops that are not run at once, though all their inputs are known: they read or change what is outside of the graph.
STATEFUL = frozenset("RandomUniform RandomStandardNormal RandomUniformInt TruncatedNormal RandomShuffle Multinomial PrintV2 Assert "
                     "Placeholder PlaceholderWithDefault TensorListReserve EmptyTensorList TensorListFromTensor".split())


def constant(node):
    """The tensor of a `Const` node."""
    proto = node.attr["value"].tensor
    return convert_to_tensor(checked_array(proto), dtype=as_dtype(proto.dtype))


def has_known_shape(op, value):
    """Whether the result of Shape, Size or Rank is known before a run."""
    if type(value) is not Tensor or value._rank is None:
        return False
    return op == "Rank" or all(size is not None and size >= 0 for size in value._shape)


def _dtype(node, name):
    return as_dtype(node.attr[name].type)


def _sizes(tensor):
    """The sizes of a list's elements; None where one is not known before something is written."""
    known = _native.static_value(convert_to_tensor(tensor))
    if known is None or not known._rank:
        return None
    sizes = known.numpy().tolist()
    return None if any(one < 0 for one in sizes) else sizes


def _number(tensor):
    known = _native.static_value(convert_to_tensor(tensor))
    return tensor if known is None else int(known._item())


def _reserved(node, inputs):
    return TensorArray(_dtype(node, "element_dtype"), size=_number(inputs[1]), element_shape=_sizes(inputs[0]))


def _from_rows(node, inputs):
    rows = inputs[0]
    sizes = list(rows._shape)
    count = sizes[0] if sizes[0] is not None and sizes[0] >= 0 else ops_array.shape(rows)[0]
    return TensorArray(rows.dtype, size=count, element_shape=[None if one is None or one < 0 else one for one in sizes[1:]]).unstack(rows)


def _read(node, inputs):
    variable = inputs[0]
    if not isinstance(variable, Variable):
        raise errors.UnimplementedError(None, None, f"[saved_model] only variables are read; got {type(variable).__name__}")
    return variable.value()


def _assigned(name):
    def run(node, inputs):
        getattr(inputs[0], name)(inputs[1])
        return []
    return run


def _gathered(node, inputs):
    return ops_array.gather(inputs[0].value(), inputs[1], batch_dims=node.attr["batch_dims"].i if "batch_dims" in node.attr else 0)


def _variable_shape(node, inputs):
    return convert_to_tensor(inputs[0].shape.as_list(), dtype=_dtype(node, "out_type") if "out_type" in node.attr else "int32")


def _asserted(node, inputs):
    from .._host_calls import Assert
    Assert(inputs[0], list(inputs[1:]))
    return []


def _filled(node, inputs):
    inputs[0].fill(inputs[1], inputs[2])
    return []


def _filled_from_file(node, inputs):
    inputs[0].fill_from_file(inputs[1], node)
    return []


_OPS = {
    "ReadVariableOp": _read, "AssignVariableOp": _assigned("assign"), "AssignAddVariableOp": _assigned("assign_add"),
    "AssignSubVariableOp": _assigned("assign_sub"), "ResourceGather": _gathered, "VariableShape": _variable_shape,
    "VarIsInitializedOp": lambda node, i: convert_to_tensor(True),
    "TensorListReserve": _reserved, "TensorListFromTensor": _from_rows,
    "TensorListSetItem": lambda node, i: i[0].write(i[1], i[2]), "TensorListGetItem": lambda node, i: i[0].read(i[1]),
    "TensorListStack": lambda node, i: i[0].stack(), "TensorListLength": lambda node, i: convert_to_tensor(i[0].size(), dtype="int32"),
    "LookupTableImportV2": _filled, "InitializeTableV2": _filled,
    "InitializeTableFromTextFileV2": _filled_from_file, "LookupTableFindV2": lambda node, i: i[0].find(i[1], i[2]),
    "LookupTableSizeV2": lambda node, i: i[0].size(),
    "Assert": _asserted, "PrintV2": lambda node, i: [], "NoOp": lambda node, i: [],
}
_ON_ANY = ("Identity", "StopGradient", "PreventGradient", "Snapshot", "IdentityN")


def run(node, inputs):
    """The values that a node gives. Raises: UnimplementedError that names the op where Lockstep does not have it."""
    if node.op in _ON_ANY and not all(type(one) is Tensor for one in inputs):
        return list(inputs)
    made = _OPS.get(node.op)
    if made is not None:
        found = made(node, inputs)
        return list(found) if isinstance(found, (list, tuple)) else [found]
    if not _import_ops.takes(node):
        raise errors.UnimplementedError(None, None, f"[saved_model] the op {node.op!r} is not one that Lockstep has")
    _import_signatures.check(node)
    return _import_ops.emit(node, [one.value() if isinstance(one, Variable) else one for one in inputs])
