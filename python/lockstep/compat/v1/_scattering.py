"""Updates of a variable's rows as functions: `tf.compat.v1.scatter_add` and its relatives."""

from ... import ops_array
from ..._tensor import IndexedSlices, convert_to_tensor


def _rows(kind):
    def scatter(ref, indices, updates, use_locking=False, name=None):
        updates, indices = convert_to_tensor(updates, dtype_hint=ref.dtype), convert_to_tensor(indices)
        if updates._rank == 0:
            sizes = ops_array.concat([ops_array.shape(indices), ref.shape.as_list()[1:]], 0) if len(ref.shape) > 1 else ops_array.shape(indices)
            updates = ops_array.broadcast_to(updates, sizes)
        return getattr(ref, "scatter_" + kind)(IndexedSlices(updates, indices))
    scatter.__name__ = "scatter_" + kind
    scatter.__doc__ = f"The rows `indices` of a variable joined with `updates`, rows or one number for all: {kind}."
    return scatter


def _places(kind):
    def scatter(ref, indices, updates, use_locking=True, name=None):
        updates = convert_to_tensor(updates, dtype_hint=ref.dtype)
        return getattr(ref, "scatter_nd_" + kind)(convert_to_tensor(indices), updates)
    scatter.__name__ = "scatter_nd_" + kind
    scatter.__doc__ = f"The slices of a variable at places joined with `updates`: {kind}."
    return scatter


scatter_update, scatter_add, scatter_sub = _rows("update"), _rows("add"), _rows("sub")
scatter_mul, scatter_div, scatter_min, scatter_max = _rows("mul"), _rows("div"), _rows("min"), _rows("max")
scatter_nd_update, scatter_nd_add, scatter_nd_sub = _places("update"), _places("add"), _places("sub")


def batch_scatter_update(ref, indices, updates, use_locking=True, name=None):
    """As `Variable.batch_scatter_update`."""
    from ... import IndexedSlices
    return ref.batch_scatter_update(IndexedSlices(updates, indices))
