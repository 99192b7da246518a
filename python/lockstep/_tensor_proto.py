"""Tensors as the bytes of TensorFlow's TensorProto, and back."""

from . import _native, errors
from ._dtypes import as_dtype
from ._messages import Message, make_ndarray
from ._tensor import Tensor, convert_to_tensor

_SHORT = {1: "float", 2: "double", 19: "half"}  # what TensorFlow calls a few dtypes in messages


def _varint(value):
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)


def _field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _shape_bytes(shape):
    return b"".join(_field(2, b"" if size == 0 else b"\x08" + _varint(size)) for size in shape)


def serialize(tensor):
    """The bytes of a tensor of this process."""
    head = b"\x08" + _varint(tensor._dtype) + _field(2, _shape_bytes(tensor._shape))
    if tensor._dtype == 7:
        return head + b"".join(_field(8, one) for one in tensor._strings())
    body = _bytes_of(tensor)
    return head + (_field(4, body) if body else b"")


def _bytes_of(tensor):
    if tensor._dtype == 14:  # NumPy has no bfloat16 of its own: the upper halves of float32
        import numpy
        wide = _native.cast(tensor, as_dtype("float32")).numpy().astype("<f4")
        return (wide.reshape(-1).view(numpy.uint32) >> 16).astype("<u2").tobytes()
    return tensor.numpy().tobytes()


def parse(data, dtype):
    """The tensor of such bytes. Raises: InvalidArgumentError for other bytes and other dtypes."""
    dtype = as_dtype(dtype)
    try:
        proto = Message("TensorProto", data)
        shape = [one.size for one in proto.tensor_shape.dim]
    except (errors.DataLossError, ValueError, TypeError):
        proto = None
    if proto is None or not proto.dtype:
        raise errors.InvalidArgumentError(
            None, None, f"Could not parse `serialized` as TensorProto; got {len(data)} bytes, {bytes(data[:16])!r}...; give "
            "what tf.io.serialize_tensor has made")
    if proto.dtype != int(dtype):
        from ._dtypes import of_number
        own = of_number(proto.dtype)
        raise errors.InvalidArgumentError(
            None, None, f"Type mismatch between parsed tensor ({_SHORT.get(proto.dtype, own.name)}) and dtype "
            f"({_SHORT.get(int(dtype), dtype.name)}); write out_type=tf.{own.name}")
    try:
        return _tensor_of(proto, dtype, shape)
    except ValueError as error:
        raise errors.InvalidArgumentError(
            None, None, f"Could not parse `serialized` as TensorProto of shape {shape}: {error}") from None


def _tensor_of(proto, dtype, shape):
    import numpy
    if dtype == "string":
        return _native.from_strings(make_ndarray(proto).reshape(-1).tolist(), shape)
    if dtype == "bfloat16":
        halves = numpy.frombuffer(proto.tensor_content, "<u2")
        wide = (halves.astype(numpy.uint32) << 16).view(numpy.float32).reshape(shape)
        return _native.cast(convert_to_tensor(wide), dtype)
    if 0 in shape:
        return convert_to_tensor(numpy.zeros(shape, dtype.as_numpy_dtype))
    return convert_to_tensor(make_ndarray(proto), dtype=dtype)


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """A TensorProto of values. Fewer values than the shape holds are followed by repeats of the last one; with
    `allow_broadcast` only a single value is repeated, with `verify_shape` the values must have the shape. Raises: TypeError
    for values of another dtype or shape; ValueError for too many of them."""
    made = convert_to_tensor(values, dtype=dtype)
    if shape is not None:
        from . import ops_array
        count = 1
        for size in shape:
            count *= int(size)
        have = made.shape.num_elements()
        is_single = list(made._shape) in ([], [1])
        if (not is_single and have != count) if allow_broadcast else verify_shape and list(shape) != list(made._shape):
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {tuple(made._shape)}.")
        if have == 1 and count != 1 and not isinstance(values, Tensor):
            made = ops_array.fill(list(shape), ops_array.reshape(made, []))
        elif have > count or not have and count:
            raise ValueError(f"Too many elements provided. Takes at most {count}, but got {have}." if have else
                             f"[make_tensor_proto] no values fill the shape {tuple(shape)}")
        elif have < count:
            flat = ops_array.reshape(made, [-1])
            rest = ops_array.fill([count - have], flat[have - 1])
            made = ops_array.reshape(ops_array.concat([flat, rest], 0), list(shape))
        else:
            made = ops_array.reshape(made, list(shape))
    return Message("TensorProto", serialize(made))
