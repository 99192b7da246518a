"""Shapes that only a run tells: `tf.zeros([tf.shape(x)[0], 3])` where the batch is not known while tracing."""

from . import _native, errors
from ._dtypes import int64
from ._tensor import Tensor, convert_to_tensor, static_shape


def split_shape(shape):
    """(sizes as far as they are known, -1 for others; the shape as a vector for the run) of a shape. The second is None
    where all of it is known now. Raises: UnimplementedError where even the number of axes is not."""
    try:
        return static_shape(shape), None
    except errors.UnimplementedError:
        if isinstance(shape, Tensor):
            if shape._rank != 1 or shape._shape[0] < 0:
                raise
            return [-1] * shape._shape[0], _native.cast(shape, int64)
    parts, known = [], []
    for size in shape:
        try:
            known.append(static_shape([size])[0])
            parts.append(convert_to_tensor(known[-1], dtype=int64))
        except errors.UnimplementedError:
            known.append(-1)
            parts.append(_native.cast(convert_to_tensor(size), int64))
    return known, _native.stack(parts, 0)


def filled(known, sizes, value):
    """`value`, a scalar, in every element of a tensor of `sizes`, of which `known` is known now."""
    rank = len(known)
    nowhere = convert_to_tensor([], dtype=int64)
    made = _native.sparse_to_dense(_native.reshape(nowhere, [0, rank]), sizes, _native.cast(nowhere, value.dtype) if (
        value._dtype != 7) else _native.from_strings([], [0]), value, True)
    return _with_sizes(made, known)


def reshaped(tensor, known, sizes):
    """The elements in the shape `sizes`, where one may be -1 and follows."""
    one = convert_to_tensor(1, dtype=int64)
    unknown = _native.less(sizes, convert_to_tensor(0, dtype=int64))
    whole = _native.where(unknown, one, sizes)
    product = one
    for i in range(len(known)):
        product = product * whole[i]
    rest = _native.floordiv(_native.size_of(tensor, int64), product)
    place = filled(known, _native.where(unknown, rest, sizes), convert_to_tensor(False))
    return _with_sizes(_native.reshape_like(tensor, place), known)


def _with_sizes(tensor, known):
    """The same tensor with the sizes that are known, where one at most is not."""
    return _native.reshape(tensor, known) if known.count(-1) <= 1 and any(one >= 0 for one in known) else tensor


unknown_ranks = set()  # the ids of placeholders whose number of axes only a run tells; until then they are scalars


def _open(tensor):
    """Whether a scalar of a graph may be an array in a run."""
    return unknown_ranks and tensor._symbolic and tensor._rank == 0 and _native.has_graph()


def in_one_row(tensor):
    """Such a scalar as a vector of all its elements; any other tensor as it is."""
    return _native.placeholder_with_default(_native.reshape(tensor, [-1]), [-1], "PlaceholderWithDefault") if _open(
        tensor) else tensor


def open_shape(tensor, dtype):
    """The shape of such a scalar, which a run tells; None for any other tensor."""
    if not _open(tensor):
        return None
    made, = _native.emit("Shape", [tensor], {"out_type": ("type", int(dtype))})
    return _native.placeholder_with_default(made, [-1], "PlaceholderWithDefault")


def with_shape(tensor, sizes):
    """Such a scalar where its shape must be `sizes` (None: any size), which a run checks; any other tensor as it is."""
    if not _open(tensor):
        return tensor
    shape = [-1 if one is None else one for one in sizes]
    return _native.emit("PlaceholderWithDefault", [tensor], {"shape": ("list(int)", shape), "any_rank": ("b", True)})[0]
