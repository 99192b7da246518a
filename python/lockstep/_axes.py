"""Axes and ranks that arguments must have."""

from . import errors


def axis_of(axis, rank):
    """The place of an axis; negative ones count from the end. Raises: InvalidArgumentError for one that is not there."""
    if isinstance(rank, int) and not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            None, None, f"axis must be in [{-rank}, {rank}); got {axis} for a tensor of rank {rank}" if rank else
            f"an axis is needed; got a scalar, which has none, and axis {axis}")
    return axis % rank


def require_rank(tensor, least, name):
    """Raises: InvalidArgumentError, which names the argument, for a tensor with fewer than `least` axes."""
    if tensor._ranked and tensor._rank < least:
        raise errors.InvalidArgumentError(
            None, None, f"{name} must have at least {least} {'axis' if least == 1 else 'axes'}; got the shape {tuple(tensor._shape)}")
    return tensor
