"""Nested Python values, specs and tensors as the message StructuredValue, and back."""

import collections

from .. import _native
from .._dtypes import DType, TensorShape, as_dtype
from .._function import TensorSpec
from .._tensor import Tensor, convert_to_tensor
from .._tensor_proto import serialize
from ._files import broken, checked_array
from ._protos import Message

_MOST_DEPTH = 100  # of nested values in a file
# TensorFlow's numbers of the classes of specs that have parts.
_RAGGED = 3


def shape_proto(shape):
    """A TensorShape, or a list of sizes, as a message."""
    shape = shape if isinstance(shape, TensorShape) else TensorShape(shape)
    made = Message("TensorShapeProto")
    if shape.rank is None:
        made.unknown_rank = True
        return made
    for size in shape:
        made.dim.add(size=-1 if size is None else int(size))
    return made


def shape_of(proto):
    """The TensorShape of a message."""
    if proto.unknown_rank:
        return TensorShape(None)
    return TensorShape([None if one.size < 0 else one.size for one in proto.dim])


def encode(value):
    """The message of a value. Raises: NotImplementedError for one that a file cannot hold."""
    made = Message("StructuredValue")
    if value is None:
        made.none_value = Message("NoneValue")
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int):
        made.int64_value = value
    elif isinstance(value, float):
        made.float64_value = value
    elif isinstance(value, str):
        made.string_value = value
    elif isinstance(value, TensorSpec):
        made.tensor_spec_value = Message("TensorSpecProto", name=value.name, shape=shape_proto(value.shape), dtype=int(value.dtype))
    elif isinstance(value, DType):
        made.tensor_dtype_value = int(value)
    elif isinstance(value, TensorShape):
        made.tensor_shape_value = shape_proto(value)
    elif isinstance(value, (Tensor, _native.Tensor)) or hasattr(value, "__array__"):
        made.tensor_value = Message("TensorProto", serialize(convert_to_tensor(value)))
    else:
        _encode_nested(value, made)
    return made


def _encode_nested(value, made):
    if isinstance(value, tuple) and hasattr(value, "_fields") and value._fields:
        pairs = [Message("PairValue", key=key, value=encode(one)) for key, one in zip(value._fields, value)]
        made.named_tuple_value = Message("NamedTupleValue", name=type(value).__name__, values=pairs)
    elif isinstance(value, (list, tuple)):
        held = Message("StructuredList", values=[encode(one) for one in value])
        if isinstance(value, tuple):
            made.tuple_value = held
        else:
            made.list_value = held
    elif isinstance(value, dict) and all(isinstance(one, str) for one in value):
        made.dict_value = Message("StructuredDict", fields={key: encode(one) for key, one in value.items()})
    else:
        raise NotImplementedError(f"[saved_model] arguments and results of functions must be tensors, Python values or their lists, "
                                  f"tuples and dicts with texts as keys; got {type(value).__name__}")


def decode(proto, depth=0):
    """The value of a message. Raises: DataLossError for nesting without end; UnimplementedError for a spec of another kind."""
    if depth > _MOST_DEPTH:
        raise broken(f"values must be nested at most {_MOST_DEPTH} deep")
    kind = proto.WhichOneof("kind") or "none_value"
    held = getattr(proto, kind)
    if kind == "none_value":
        return None
    if kind in ("list_value", "tuple_value"):
        values = [decode(one, depth + 1) for one in held.values]
        return values if kind == "list_value" else tuple(values)
    if kind == "dict_value":
        return {key: decode(one, depth + 1) for key, one in sorted(held.fields.items())}
    if kind == "named_tuple_value":
        fields = [one.key for one in held.values]
        return named_tuple(held.name, fields)(*[decode(one.value, depth + 1) for one in held.values])
    if kind in ("tensor_spec_value", "bounded_tensor_spec_value"):
        return TensorSpec(shape_of(held.shape), as_dtype(held.dtype), held.name or None)
    if kind == "tensor_shape_value":
        return shape_of(held)
    if kind == "tensor_dtype_value":
        return as_dtype(held)
    if kind in ("tensor_value", "numpy_value"):
        return checked_array(held) if kind == "numpy_value" else convert_to_tensor(checked_array(held), dtype=as_dtype(held.dtype))
    if kind == "type_spec_value":
        return _type_spec(held, depth)
    return held


def named_tuple(name, fields):
    """A class of named tuples. Raises: DataLossError for names that Python does not take."""
    try:
        return collections.namedtuple(name, fields)
    except ValueError as error:
        raise broken(f"a named tuple must have names that are identifiers; {error}") from None


def _type_spec(proto, depth):
    if proto.type_spec_class == _RAGGED:
        from ..ragged import RaggedTensorSpec
        state = decode(proto.type_state, depth + 1)
        if isinstance(state, tuple) and len(state) >= 4:
            return RaggedTensorSpec(*state[:4])
    return OtherSpec(proto.type_spec_class_name, proto.type_spec_class)


class OtherSpec:
    """A spec of a kind that Lockstep does not read: a function that has one in its arguments cannot be called."""

    def __init__(self, name, number):
        self.name, self.number = name, number

    def __repr__(self):
        return f"<spec of the class {self.name or self.number!r}>"
