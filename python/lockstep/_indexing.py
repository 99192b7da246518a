"""Elements at places that are computed: batches of places, places that may be outside, rows read backwards."""

from . import _native as n
from . import _value_shapes, ops_array, ops_math
from ._tensor import convert_to_tensor, op
from .errors import InvalidArgumentError


def _numbers(size, rank, axis, dtype):
    """0, 1, ... up to `size` along one of `rank` axes."""
    if _value_shapes.is_value(size):
        made = _value_shapes.arange(0, size, 1, dtype)
    else:
        made = ops_math.range(0, size, dtype=dtype)
    return ops_array.reshape(made, [-1 if i == axis else 1 for i in range(rank)])


def gather_nd_in_batches(params, indices, batch_dims):
    """`gather_nd` of each element of the first `batch_dims` axes, which both have. Shapes: params [b..., p...],
    indices [b..., i..., k]; result [b..., i..., rest of p].

    Raises: ValueError for more batch axes than there are."""
    if not 0 <= batch_dims < indices._rank or batch_dims >= params._rank:
        raise ValueError(f"batch_dims = {batch_dims} must be less than rank(params) = {params._rank} and than "
                         f"rank(indices) = {indices._rank}")
    rank = indices._rank
    shape = ops_array.sizes_of(indices)[:-1] + [1]
    own = [ops_array.broadcast_to(_numbers(size, rank, axis, indices.dtype), shape)
           for axis, size in enumerate(ops_array.sizes_of(params, range(batch_dims)))]
    return op(n.gather_nd, params, ops_array.concat([*own, indices], -1))


def _inside(indices, sizes):
    """Whether each place, the last axis of `indices`, lies in axes of these sizes."""
    limits = ops_math.cast(ops_array.stack(sizes), indices.dtype)
    return ops_math.reduce_all(ops_math.logical_and(indices >= 0, indices < limits), axis=-1)


def is_ignoring(policy):
    """Whether places outside are left out. Raises: InvalidArgumentError for a policy that is none."""
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise InvalidArgumentError(None, None, f"unknown bad_indices_policy: {policy}")
    return policy == "IGNORE"


def gather_nd_inside(params, indices, gather, batch_dims):
    """`gather(params, indices)` with zeros for the places that are outside."""
    inside = _inside(indices, ops_array.sizes_of(params, range(batch_dims, batch_dims + indices._shape[-1])))
    made = gather(params, ops_array.where(inside[..., None], indices, ops_array.zeros_like(indices)))
    whole = ops_array.reshape(inside, ops_array.sizes_of(inside) + [1] * (made._rank - inside._rank))
    return ops_array.where(whole, made, ops_array.zeros_like(made))


def reverse_sequence(input, lengths, seq_axis, batch_axis):
    """The first `lengths[i]` steps along `seq_axis` in the other order, i counting along `batch_axis`.

    Raises: InvalidArgumentError for lengths that no row has, or for one axis that is both."""
    if seq_axis == batch_axis:
        raise InvalidArgumentError(None, None, f"batch_dim == seq_dim == {seq_axis}")
    steps, rows = ops_array.sizes_of(input, [seq_axis, batch_axis])
    known = n.static_value(lengths)
    if known is not None and not _value_shapes.is_value(steps):
        for i, length in enumerate(known.numpy().tolist()):
            if not 0 <= length <= steps:
                said = f"seq_lens({i}) < 0" if length < 0 else f"seq_lens({i}) > input.dims({seq_axis})"
                raise InvalidArgumentError(None, None, said)
    others = [axis for axis in range(input._rank) if axis not in (batch_axis, seq_axis)]
    order = [batch_axis, seq_axis, *others]
    ends = ops_array.expand_dims(ops_math.cast(lengths, "int64"), 1)
    places = _numbers(steps, 2, 1, "int64") + ops_array.zeros_like(ends)
    places = ops_array.where(places < ends, ends - 1 - places, places)
    made = op(n.gather, ops_array.transpose(input, order), places, 1, 1)
    return ops_array.transpose(made, [order.index(axis) for axis in range(input._rank)])
