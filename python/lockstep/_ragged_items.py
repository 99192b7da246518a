"""What `RaggedTensor.__getitem__` picks."""

from . import _ragged_rows as rows_of
from ._tensor import convert_to_tensor, integers, is_tensor


def _spelled(value, keys):
    """The keys with slices in place of an ellipsis. Raises: ValueError for two of them, or for more keys than axes."""
    axes = [one for one in keys if one is not None and one is not Ellipsis]
    places = [i for i, one in enumerate(keys) if one is Ellipsis]
    if len(places) > 1:
        raise ValueError("Multiple ellipses are not allowed in an index")
    if not places:
        return keys
    missing = value.shape.rank - len(axes)
    return keys[:places[0]] + [slice(None)] * missing + keys[places[0] + 1:]


def _number(key):
    if is_tensor(key) and convert_to_tensor(key)._symbolic:
        return key
    if isinstance(key, int) or hasattr(key, "__index__"):
        return int(integers(key, "an index"))
    raise TypeError(f"rows are picked by numbers and slices; got {key!r}")


def _row(value, key):
    """Row `key`. Raises: IndexError outside, where the number of rows is known."""
    number, count = _number(key), value.row_splits._shape[0]
    if isinstance(number, int) and count is not None:
        if not 1 - count <= number < count - 1:
            raise IndexError(f"Row key {number} out of bounds")
        number %= count - 1
    elif isinstance(number, int) and number < 0:
        number = rows_of.count_of(value) + number
    begin, end = value.row_splits[number], value.row_splits[number + 1]
    if not begin._symbolic:
        begin, end = int(begin), int(end)
    return value.values[begin:end]


def _outer(value, key):
    if key == slice(None):
        return value
    kind = value.row_splits.dtype
    return rows_of.picked(value, rows_of.numbers(rows_of.count_of(value), kind)[key])


def item(value, keys):
    """`value[keys]` of a tensor or a ragged one."""
    if not rows_of.is_ragged(value):
        return value[tuple(keys)] if keys else value
    keys = _spelled(value, list(keys))
    if not keys:
        return value
    first, rest = keys[0], keys[1:]
    if first is None:
        return _inner(value._as_only_row(), [slice(None), *rest])
    if isinstance(first, slice):
        return _inner(_outer(value, first), rest)
    return item(_row(value, first), rest)


def _inner(value, keys):
    """The keys from axis 1 on."""
    if not keys:
        return value
    first, rest = keys[0], keys[1:]
    if first is None:
        made = value._in_rows_of_one()
        return made.with_values(_inner(value, rest))
    if isinstance(first, slice):
        made = value if first == slice(None) else rows_of.cut(value, first)
        if not rest:
            return made
        inner = made.values
        return made.with_values(_inner(inner, rest) if rows_of.is_ragged(inner) else inner[(slice(None), *rest)])
    if value._uniform is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    number = int(integers(first, "an index"))
    if not -value._uniform <= number < value._uniform:
        raise IndexError(f"index {number} of axis 1 is out of bounds")
    made = rows_of.picked(value.values, value.row_splits[:-1] + number % value._uniform)
    return item(made, [slice(None), *rest]) if rest else made
