"""Diagonals beside the main one, and bands of them: `tf.linalg.diag`, `diag_part` and `set_diag` with `k`."""

from . import ops_array
from ._axes import axis_of, require_rank
from ._tensor import convert_to_tensor
from .errors import InvalidArgumentError


def _band(k):
    """(lower, upper) of a diagonal or a band. Raises: ValueError for a band that ends below its beginning."""
    if not isinstance(k, (tuple, list)):
        return int(k), int(k)
    lower, upper = int(k[0]), int(k[-1])
    if lower > upper:
        raise ValueError(f"k[0] must not be larger than k[1]; got {tuple(k)}")
    return lower, upper


def _length(rows, columns, k):
    return min(rows + min(k, 0), columns - max(k, 0))


def _offset(k, align, most, length):
    """Where a diagonal of the band begins in its row."""
    above, below = align.split("_")
    return most - length if (above if k >= 0 else below) == "RIGHT" else 0


def _padded(value, before, after, axis):
    paddings = [[0, 0]] * value._rank
    paddings[axis_of(axis, value._rank)] = [before, after]
    return ops_array.pad(value, paddings)


def _rows_of(diagonal, k, align, rows, columns):
    """(number, elements) of each diagonal that a band holds."""
    lower, upper = k
    if lower == upper:
        return [(lower, diagonal)]
    most = diagonal._shape[-1]
    made = []
    for i, number in enumerate(range(upper, lower - 1, -1)):
        length = _length(rows, columns, number)
        begin = _offset(number, align, most, length)
        made.append((number, diagonal[..., i, begin:begin + length]))
    return made


def _sizes(diagonal, k, num_rows, num_cols):
    lower, upper = k
    most = require_rank(diagonal, 1, "diagonal")._shape[-1]
    rows, columns = most - min(upper, 0), most + max(lower, 0)
    if num_rows < 0 and num_cols < 0:
        rows = columns = max(rows, columns)
    rows, columns = (rows if num_rows < 0 else num_rows), (columns if num_cols < 0 else num_cols)
    longest = max(_length(rows, columns, number) for number in range(lower, upper + 1))
    if longest != most:
        raise ValueError(f"the diagonals k = {k} of {rows} x {columns} matrices have {longest} elements; got {most}")
    return rows, columns


def _laid(parts, rows, columns):
    """Matrices with these diagonals, and zeros beside them."""
    whole = None
    for number, elements in parts:
        length = require_rank(elements, 1, "diagonal")._shape[-1]
        one = ops_array.diag(elements)
        top, left = max(-number, 0), max(number, 0)
        one = _padded(_padded(one, top, rows - top - length, -2), left, columns - left - length, -1)
        whole = one if whole is None else whole + one
    return whole


def _where_band(k, rows, columns):
    import numpy
    beside = numpy.arange(columns)[None, :] - numpy.arange(rows)[:, None]
    return convert_to_tensor((beside >= k[0]) & (beside <= k[1]))


def diag(diagonal, k, num_rows, num_cols, padding_value, align):
    """Matrices of a diagonal, or of a band of them whose rows are padded."""
    diagonal, k = convert_to_tensor(diagonal), _band(k)
    rows, columns = _sizes(diagonal, k, num_rows, num_cols)
    made = _laid(_rows_of(diagonal, k, align, rows, columns), rows, columns)
    if isinstance(padding_value, (int, float)) and padding_value == 0:
        return made
    return ops_array.where(_where_band(k, rows, columns), made, convert_to_tensor(padding_value, dtype=made.dtype))


def _one_part(value, number):
    rows, columns = value._shape[-2:]
    length = _length(rows, columns, number)
    top, left = max(-number, 0), max(number, 0)
    return ops_array.diag_part(value[..., top:top + length, left:left + length])


def diag_part(value, k, padding_value, align):
    """A diagonal of matrices, or the rows of a band, padded to the longest. Raises: ValueError for one that is outside."""
    value, k = convert_to_tensor(value), _band(k)
    rows, columns = value._shape[-2:]
    if not -rows < k[0] <= k[1] < columns:
        raise ValueError(f"diagonals k = {k} are not all inside of {rows} x {columns} matrices")
    if k[0] == k[1]:
        return _one_part(value, k[0])
    numbers = range(k[1], k[0] - 1, -1)
    most = max(_length(rows, columns, one) for one in numbers)
    made = []
    for number in numbers:
        part = _one_part(value, number)
        length = part._shape[-1]
        begin = _offset(number, align, most, length)
        padded = _padded(part, begin, most - begin - length, -1)
        if length < most:
            inside = convert_to_tensor([begin <= i < begin + length for i in range(most)])
            padded = ops_array.where(inside, padded, convert_to_tensor(padding_value, dtype=part.dtype))
        made.append(padded)
    return ops_array.stack(made, axis=-2)


def set_diag(value, diagonal, k, align):
    """Matrices with other diagonals."""
    value, k = convert_to_tensor(value), _band(k)
    rows, columns = value._shape[-2:]
    diagonal = convert_to_tensor(diagonal, dtype=value.dtype)
    return ops_array.where(_where_band(k, rows, columns), _laid(_rows_of(diagonal, k, align, rows, columns), rows, columns), value)


def tensor_diag(diagonal, name=None):
    """Zeros with the elements of a tensor where the first half of the place is the second one. Shapes: [...] to [..., ...]."""
    diagonal = convert_to_tensor(diagonal)
    sizes = ops_array.sizes_of(diagonal)
    return ops_array.reshape(ops_array.diag(ops_array.reshape(diagonal, [-1])), sizes * 2)


def tensor_diag_part(input, name=None):
    """The inverse of `tensor_diag`. Raises: InvalidArgumentError for an odd number of axes, or halves that differ."""
    value = convert_to_tensor(input)
    half = value._rank // 2
    first, second = value._shape[:half], value._shape[half:]
    if value._rank % 2 or not value._rank:
        raise InvalidArgumentError(None, None, f"The rank of the tensor should be even and positive, got shape {value.shape}")
    for axis, (one, other) in enumerate(zip(first, second)):
        if one != other and None not in (one, other):
            raise InvalidArgumentError(None, None, f"Invalid shape {value.shape}: dimensions {axis} and {half + axis} do "
                                                   "not match.")
    sizes = ops_array.sizes_of(value, range(half))
    count = ops_array._product(sizes)
    return ops_array.reshape(ops_array.diag_part(ops_array.reshape(value, [count, count])), sizes)
