"""Ops on the rows of ragged texts."""

from . import _native, ops_array
from ._dtypes import int64
from ._tensor import convert_to_tensor
from .ragged import RaggedTensor


def over_rows(function, data):
    """The innermost rows as `function(texts, splits)` makes them: (texts, splits)."""
    if isinstance(data.values, RaggedTensor):
        return data.with_values(over_rows(function, data.values))
    if data.values._rank > 1:
        raise NotImplementedError("rows of ragged texts whose last axis is not ragged; write tf.strings of .flat_values")
    values, splits = function(data.values, _native.cast(data.row_splits, int64))
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def reduce_join(data, axis, keepdims, separator):
    """`tf.strings.reduce_join` of a ragged tensor, one axis after another, from the last on."""
    from .strings import _axes_of
    rank = data.shape.rank
    if axis is None:
        made = _native.string_reduce_join(_native.reshape(data.flat_values, [-1]), separator)
        return ops_array.reshape(made, [1] * rank) if keepdims else made
    for one in sorted(_axes_of(axis, rank), reverse=True):
        data = _along(data, one, keepdims, separator)
    return data


def _along(data, axis, keepdims, separator):
    from . import strings
    if not isinstance(data, RaggedTensor):
        return strings.reduce_join(data, axis, keepdims, separator)
    inner = data.values
    if axis > 1 or axis == 1 and not isinstance(inner, RaggedTensor) and inner._rank > 1:
        if axis == 1:
            return _by_columns(data.to_list(), separator, keepdims)
        return data.with_values(_along(inner, axis - 1, keepdims, separator))
    if axis == 1 and not isinstance(inner, RaggedTensor):
        made = _native.string_join_rows(inner, _native.cast(data.row_splits, int64), separator)
        return ops_array.expand_dims(made, 1) if keepdims else made
    rows = data.to_list()
    made = _columns(rows, separator) if axis == 0 else [_columns(row, separator) for row in rows]
    if keepdims:
        made = [made] if axis == 0 else [[row] for row in made]
    return _texts(made)


def _columns(rows, separator):
    """Lists of texts, or of such lists, joined place by place; short ones give nothing where they have ended."""
    count = max(map(len, rows), default=0)
    columns = [[row[i] for row in rows if i < len(row)] for i in range(count)]
    return [separator.encode().join(one) if not isinstance(one[0], list) else _columns(one, separator)
            for one in columns]


def _by_columns(rows, separator, keepdims):
    made = [_columns(row, separator) for row in rows]
    return _texts([[row] for row in made] if keepdims else made)


def _texts(made):
    from .ragged import constant
    return constant(made, dtype="string") if any(isinstance(one, list) for one in made) else convert_to_tensor(
        made, dtype="string")
