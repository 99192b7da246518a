"""Tensors whose number of axes only a run tells: `_ranked` says so of those of functions; those of graphs are scalars until
then."""

from . import _native


origins = {}  # by the id of a tensor of a graph that `set_shape` has made: the tensor that it stood for before
unknown_ranks = set()  # the ids of placeholders whose number of axes only a run tells; until then they are scalars


def _open(tensor):
    """Whether a scalar of a graph may be an array in a run."""
    return unknown_ranks and tensor._symbolic and tensor._ranked and tensor._rank == 0 and _native.has_graph()


def in_one_row(tensor):
    """Such a tensor as a vector of all its elements; any other tensor as it is."""
    if not tensor._ranked:
        return _native.reshape(tensor, [-1])
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
