"""`tf.sparse` with the arguments of version 1, where they differ."""

from ... import sparse as _sparse
from ...sparse import *  # noqa: F401,F403
from ._older_arguments import with_old as _with_old

reduce_sum = _with_old(_sparse.reduce_sum, "keep_dims", "reduction_axes")
reduce_max = _with_old(_sparse.reduce_max, "keep_dims", "reduction_axes")
concat = _with_old(_sparse.concat, "expand_nonconcat_dim")


def __getattr__(name):
    return getattr(_sparse, name)


def add(a, b, threshold=None, thresh=None):
    """The sum, without what is smaller than `threshold` (or `thresh`) in absolute value."""
    if threshold is not None and thresh is not None:
        raise ValueError("threshold and thresh are one argument; got both")
    return _sparse.add(a, b, threshold if threshold is not None else thresh or 0)


def split(keyword_required=None, sp_input=None, num_split=None, axis=None, name=None, split_dim=None):
    """`num_split` parts along an axis. Raises: ValueError for arguments without their names."""
    if keyword_required is not None:
        raise ValueError("Keyword arguments are required for this function.")
    return _sparse.split(sp_input, num_split, split_dim if axis is None else axis)
