"""`tf.compat.v1.manip`: ops that move elements, as version 1 calls them."""

from ..._blocks import batch_to_space as batch_to_space_nd, space_to_batch as space_to_batch_nd  # noqa: F401
from ...ops_array import gather_nd, reshape, reverse, roll, scatter_nd, tile  # noqa: F401
