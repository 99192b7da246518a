"""Functions of matrices for `keras.ops`."""

from .. import linalg as _linalg, ops_array as _a, ops_math as _m
from .._axes import axis_of, require_rank
from .._tensor import convert_to_tensor
from ._ops_dtypes import alike_floats as _alike_floats, axes_of as _axis, floats as _floats


def cholesky(x, upper=False):
    made = _linalg.cholesky(_floats(x))
    return _a.matrix_transpose(made) if upper else made


def cholesky_inverse(x, upper=False):
    """The inverse of the matrix whose Cholesky factor `x` is."""
    x = require_rank(_floats(x), 2, "x")
    lower = _a.matrix_transpose(x) if upper else x
    unit = _a.eye(x._shape[-1], dtype=x.dtype, batch_shape=x._shape[:-2] or None)
    half = _linalg.triangular_solve(lower, unit, lower=True)
    return _m.matmul(half, half, transpose_a=True)


def eigh(x):
    """(the eigenvalues of a symmetric matrix, the eigenvectors as columns)"""
    return _linalg.eigh(_floats(x))


def lstsq(a, b, rcond=None):
    """The x of the least |a x - b|, the shortest of them."""
    a, b = _alike_floats(a, b)
    column = b._rank == 1
    made = _m.matmul(_linalg.pinv(a, rcond), b[:, None] if column else b)
    return made[:, 0] if column else made


def lu_factor(x):
    """(L below the diagonal and U above it, to which place each row went, int32), by the largest element of each column."""
    x = _floats(x)
    rows, columns = x._shape[-2:]
    order = _a.expand_dims(_m.range(rows, dtype="int32"), -1) + _a.zeros_like(_m.cast(x[..., :1], "int32"))
    for step in range(min(rows, columns)):
        below = _m.abs(x[..., step:, step])
        chosen = _m.argmax(below, -1, "int32") + step
        swap = _swap(_a.one_hot(chosen, rows, dtype=x.dtype), step, rows, x.dtype)
        x = _m.matmul(swap, x)
        order = _m.matmul(_m.cast(swap, "int32"), order)
        column = x[..., step + 1:, step:step + 1]
        factors = column / x[..., step:step + 1, step:step + 1]
        rest = x[..., step + 1:, step + 1:] - factors * x[..., step:step + 1, step + 1:]
        x = _a.concat([x[..., :step + 1, :], _a.concat([x[..., step + 1:, :step], factors, rest], -1)], -2)
    return x, _m.cast(_a.argsort(order[..., 0]), "int32")


def _swap(chosen, step, rows, dtype):
    """The matrix that swaps a row with the one that `chosen` [..., rows] marks."""
    unit = _a.eye(rows, dtype=dtype)
    own = unit[step]
    apart = chosen - own
    return unit - _a.expand_dims(apart, -1) * _a.expand_dims(apart, -2)


def norm(x, ord=None, axis=None, keepdims=False):
    """NumPy's norm: of all elements, of vectors along an axis, or of matrices in two axes. Raises: ValueError for an order that
    there is not."""
    x = _floats(x)
    if ord is None:
        return _m.sqrt(_m.reduce_sum(_m.square(x), _axis(axis), keepdims))
    axes = list(range(x._rank)) if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    if len(axes) == 1:
        return _of_vectors(x, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError(f"Improper number of dimensions to norm. Received: ord={ord}, axis={axis}, x.shape={tuple(x._shape)}")
    return _of_whole_matrices(x, ord, [axis_of(one, x._rank) for one in axes], keepdims)


def _of_vectors(x, ord, axis, keepdims):
    size = _m.abs(x)
    if isinstance(ord, str):
        raise ValueError(f"Invalid `ord` argument for vector norm. Received: ord={ord}")
    if ord == float("inf"):
        return _m.reduce_max(size, axis, keepdims)
    if ord == float("-inf"):
        return _m.reduce_min(size, axis, keepdims)
    if ord == 0:
        return _m.reduce_sum(_m.cast(_m.not_equal(x, _a.zeros_like(x)), x.dtype), axis, keepdims)
    if ord == 1:
        return _m.reduce_sum(size, axis, keepdims)
    if ord == 2:
        return _m.sqrt(_m.reduce_sum(_m.square(x), axis, keepdims))
    return _m.pow(_m.reduce_sum(_m.pow(size, float(ord)), axis, keepdims), 1.0 / ord)


def _of_whole_matrices(x, ord, axes, keepdims):
    rows, columns = axes
    if ord == "fro":
        made = _m.sqrt(_m.reduce_sum(_m.square(x), axes, True))
    elif ord in (1, -1, float("inf"), float("-inf")):
        summed, left = (rows, columns) if ord in (1, -1) else (columns, rows)
        most = _m.reduce_max if ord > 0 else _m.reduce_min
        made = most(_m.reduce_sum(_m.abs(x), summed, True), left, True)
    elif ord in (2, -2, "nuc"):
        order = [one for one in range(x._rank) if one not in axes] + axes
        values = _linalg.svd(_a.transpose(x, order), compute_uv=False)
        fold = {2: _m.reduce_max, -2: _m.reduce_min, "nuc": _m.reduce_sum}[ord]
        made = _a.expand_dims(fold(values, -1, True), -1)
        made = _a.transpose(made, [order.index(one) for one in range(x._rank)])
    else:
        raise ValueError(f"Invalid `ord` argument for matrix norm. Received: ord={ord}")
    return made if keepdims else _a.squeeze(made, axes)


def solve_triangular(a, b, lower=False):
    """The x of a x = b for a triangular matrix."""
    a, b = _alike_floats(a, b)
    if b._rank == a._rank - 1:
        return _a.squeeze(_linalg.triangular_solve(a, _a.expand_dims(b, -1), lower=lower), -1)
    return _linalg.triangular_solve(a, b, lower=lower)


def svd(x, full_matrices=True, compute_uv=True):
    """(u, singular values, v as rows); the values alone without `compute_uv`."""
    if not compute_uv:
        return _linalg.svd(_floats(x), compute_uv=False)
    values, u, v = _linalg.svd(_floats(x), full_matrices=full_matrices)
    return u, values, _a.matrix_transpose(v)


def qr(x, mode="reduced"):
    """(q, r). Raises: ValueError for a mode other than "reduced" and "complete"."""
    if mode not in ("reduced", "complete"):
        raise ValueError("`mode` argument value not supported. Expected one of {'reduced', 'complete'}. "
                         f"Received: mode={mode}")
    return tuple(_linalg.qr(_floats(x), full_matrices=mode == "complete"))


def det(x):
    return _linalg.det(_floats(x))


def inv(x):
    return _linalg.inv(_floats(x))


def solve(a, b):
    a, b = _alike_floats(a, b)
    if b._rank == a._rank - 1:
        return _a.squeeze(_linalg.solve(a, _a.expand_dims(b, -1)), -1)
    return _linalg.solve(a, b)


def logdet(x):
    return _linalg.logdet(_floats(x))


def slogdet(x):
    return tuple(_linalg.slogdet(_floats(x)))


def matrix_rank(x, tol=None):
    return _linalg.matrix_rank(_floats(x), tol)


def pinv(x, rcond=None):
    return _linalg.pinv(_floats(x), rcond)


def jvp(fun, primals, tangents, has_aux=False):
    """(fun(*primals), how it changes along the tangents), and with `has_aux` what `fun` gives besides."""
    from ..autodiff import ForwardAccumulator
    primals = [convert_to_tensor(one) for one in primals]
    tangents = [_m.cast(one, place.dtype) for one, place in zip(tangents, primals)]
    with ForwardAccumulator(primals, tangents) as accumulator:
        made = fun(*primals)
        made, besides = made if has_aux else (made, None)
    change = accumulator.jvp(made)
    return (made, change, besides) if has_aux else (made, change)
