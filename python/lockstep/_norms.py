"""Norms of matrices: `tf.norm` along two axes."""

from . import ops_array, ops_math
from ._axes import axis_of


def _largest_sum(size, summed, over, keepdims):
    """The largest of the sums along one axis."""
    made = ops_math.reduce_max(ops_math.reduce_sum(size, summed, True), over, True)
    return made if keepdims else ops_array.squeeze(made, [summed, over])


def of_matrices(tensor, ord, axes, keepdims):
    """The norm of the matrices in two axes: 1, inf, or 2, which has no gradient. Raises: ValueError for another one."""
    rows, columns = [axis_of(axis, tensor._rank) for axis in axes]
    if ord == 1:
        return _largest_sum(ops_math.abs(tensor), rows, columns, keepdims)
    if ord == float("inf"):
        return _largest_sum(ops_math.abs(tensor), columns, rows, keepdims)
    if ord != 2:
        raise ValueError(f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}")
    from .linalg import svd
    others = [axis for axis in range(tensor._rank) if axis not in (rows, columns)]
    made = ops_math.reduce_max(svd(ops_array.transpose(tensor, [*others, rows, columns]), compute_uv=False), -1)
    for axis in sorted((rows, columns)) if keepdims else ():
        made = ops_array.expand_dims(made, axis)
    return made
