"""Rows of tables that may lie in parts, and that may be no longer than a norm."""

from . import ops_array, ops_math
from ._tensor import convert_to_tensor


def _of_parts(parts, ids, strategy):
    """Rows of a table in parts. strategy: "div", row after row, or "mod", where part i has each row that leaves i."""
    if strategy not in ("div", "mod"):
        raise ValueError(f"Only 'div' and 'mod' are supported for partition_strategy. Received: {strategy!r}.")
    parts = [convert_to_tensor(one) for one in parts]
    if strategy == "mod":
        sizes = ops_array.stack([ops_math.cast(ops_array.shape(one)[0], ids.dtype) for one in parts])
        begins = ops_math.cumsum(sizes, exclusive=True)
        ids = ops_array.gather(begins, ids % len(parts)) + ids // len(parts)
    return ops_array.gather(ops_array.concat(parts, 0), ids)


def lookup(params, ids, max_norm=None, strategy="div"):
    """The rows of `params`, a table or a list of its parts, each scaled down to `max_norm` if it is longer."""
    ids = convert_to_tensor(ids)
    if isinstance(params, (list, tuple)):
        made = _of_parts(params, ids, strategy)
    else:
        made = ops_array.gather(params, ids)
    return within(made, ids, max_norm)


def within(rows, ids, max_norm):
    """The rows that `ids` have picked, each scaled down to `max_norm` if it is longer; None leaves them."""
    if max_norm is None:
        return rows
    return ops_math.clip_by_norm(rows, max_norm, list(range(convert_to_tensor(ids)._rank, rows._rank)))
