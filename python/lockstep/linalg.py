"""Matrices: `tf.linalg`."""

import collections

from . import _native as n, _refused
from ._tensor import convert_to_tensor
from . import ops_array as _array
from ._axes import require_rank as _require_rank
from ._decompositions import computed, eigh, eigvalsh, qr, svd  # noqa: F401
from ._diagonals import tensor_diag, tensor_diag_part  # noqa: F401
from .ops_array import band_part, eye, matrix_transpose, trace  # noqa: F401
from .ops_math import cast as _cast, cross, einsum, global_norm, matmul, matvec, norm, reduce_max as _reduce_max, tensordot  # noqa: F401
from .nn import l2_normalize, moments  # noqa: F401

adjoint = matrix_transpose


def _custom(name, forward, backward, fault="Input is not invertible."):
    """A function that NumPy computes, with a gradient of tensors: `backward(inputs, result, gradient)`."""
    def compute(*tensors):
        first = convert_to_tensor(tensors[0])
        inputs = [first] + [convert_to_tensor(one, dtype_hint=first.dtype) for one in tensors[1:]]
        return computed(lambda numpy, *arrays: (forward(numpy, *arrays),), inputs, [_shape_of(name, inputs)],
                        lambda inputs, results, gradients: backward(inputs, results[0], gradients[0]), fault)[0]
    return compute


def _shape_of(name, inputs):
    if name in ("det", "logdet"):
        return list(inputs[0]._shape)[:-2]
    return list(inputs[-1]._shape)


def _outer(gradient, rank):
    """A gradient of scalars, shaped as matrices."""
    from . import ops_array
    return ops_array.expand_dims(ops_array.expand_dims(gradient, -1), -1)


def _inv_back(inputs, result, gradient):
    t = matrix_transpose(result)
    return -matmul(t, matmul(gradient, t))


def _det_back(inputs, result, gradient):
    return _outer(gradient * result, 2) * matrix_transpose(inv(inputs[0]))


def _solve_back(inputs, result, gradient):
    matrix, _ = inputs
    turned = matrix_transpose(matrix)
    # A graph traces the gradient together with the op, so that of an op of its own kind it would not end.
    other = matmul(inv(turned), gradient) if matrix._symbolic else solve(turned, gradient)
    return -matmul(other, matrix_transpose(result)), other


def _cholesky_back(inputs, root, gradient):
    inner = matmul(matrix_transpose(root), gradient)
    inner = band_part(inner, -1, 0) - diag(0.5 * diag_part(inner)) if inner._rank == 2 else \
        band_part(inner, -1, 0) * 1.0 - 0.5 * band_part(band_part(inner, 0, -1), -1, 0)
    back = inv(root)
    made = matmul(matmul(matrix_transpose(back), inner), back)
    return 0.5 * (made + matrix_transpose(made))


_inv = _custom("inv", lambda numpy, a: numpy.linalg.inv(a), _inv_back)
_det = _custom("det", lambda numpy, a: numpy.linalg.det(a), _det_back)
_solve = _custom("solve", lambda numpy, a, b: numpy.linalg.solve(a, b), _solve_back)
_cholesky = _custom("cholesky", lambda numpy, a: numpy.linalg.cholesky(a), _cholesky_back,
                    "Cholesky decomposition was not successful. The input might not be valid.")
_logdet = _custom("logdet", lambda numpy, a: numpy.linalg.slogdet(a)[1],
                  lambda inputs, result, gradient: _outer(gradient, 2) * matrix_transpose(inv(inputs[0])))


def inv(input, adjoint=False, name=None):
    """The inverse of matrices. Raises: InvalidArgumentError where there is none."""
    made = _inv(input)
    return matrix_transpose(made) if adjoint else made


def det(input, name=None):
    """The determinant of matrices."""
    return _det(input)


def solve(matrix, rhs, adjoint=False, name=None):
    """x with matrix x = rhs. Raises: InvalidArgumentError for a matrix without inverse."""
    return _solve(matrix_transpose(matrix) if adjoint else matrix, rhs)


def cholesky(input, name=None):
    """The lower root of positive matrices. Raises: InvalidArgumentError for others."""
    return _cholesky(input)


def logdet(matrix, name=None):
    """The logarithm of the determinant of positive matrices."""
    return _logdet(matrix)


_LogDet = collections.namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])


def slogdet(input, name=None):
    """(sign, log |determinant|)."""
    value = convert_to_tensor(input)
    sign = computed(lambda numpy, a: (numpy.linalg.slogdet(a)[0],), [value], [value._shape[:-2]])[0]
    return _LogDet(sign, _logdet(value))


def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """x with matrix x = rhs for a lower (or upper) triangular matrix."""
    matrix = convert_to_tensor(matrix)
    matrix = band_part(matrix, -1, 0) if lower else band_part(matrix, 0, -1)
    return solve(matrix_transpose(matrix) if adjoint else matrix, rhs)


def cholesky_solve(chol, rhs, name=None):
    """x with (chol chol^T) x = rhs."""
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """x that makes |matrix x - rhs|^2 + l2_regularizer |x|^2 least; of several such ones the shortest.

    With `fast` a matrix whose rows and columns are dependent is refused: InvalidArgumentError. Without it the regularizer is
    left out, as in TensorFlow."""
    matrix, rhs = convert_to_tensor(matrix), convert_to_tensor(rhs)
    if not fast:
        return matmul(pinv(matrix), rhs)
    t = matrix_transpose(matrix)
    wide = matrix._shape[-2] is not None and matrix._shape[-1] is not None and matrix._shape[-2] < matrix._shape[-1]
    inner = matmul(matrix, t) if wide else matmul(t, matrix)
    if l2_regularizer:
        inner = inner + l2_regularizer * eye(inner._shape[-1], dtype=matrix.dtype)
    return matmul(t, solve(inner, rhs)) if wide else solve(inner, matmul(t, rhs))


def pinv(a, rcond=None, validate_args=False, name=None):
    """The pseudo-inverse by singular values; those up to `rcond` (shape []; default 10 max(m, n) epsilon) of the greatest count as
    0. Shapes: [..., m, n] to [..., n, m]."""
    import numpy
    value = convert_to_tensor(a)
    if rcond is None:
        rcond = 10 * max(value._shape[-2:]) * numpy.finfo(value.dtype.as_numpy_dtype).eps
    s, u, v = svd(value)
    cut = _array.expand_dims(convert_to_tensor(rcond, dtype=value.dtype), -1) * _array.expand_dims(_reduce_max(s, -1), -1)
    s = _array.where(s > cut, s, float("inf") * _array.ones_like(s))
    return matmul(v / _array.expand_dims(s, -2), matrix_transpose(u))


def matrix_rank(a, tol=None, validate_args=False, name=None):
    """How many singular values are not 0, computed by NumPy, int32. Shapes: [..., m, n] to [...]."""
    value = convert_to_tensor(a)
    made = computed(lambda numpy, array: (numpy.linalg.matrix_rank(array, tol),), [value], [value._shape[:-2]])[0]
    return _cast(made, "int32")


def _exponential(numpy, array):
    """By scaling, a Taylor sum and squaring, in float64."""
    x = array.astype("float64")
    times = max(0, int(numpy.ceil(numpy.log2(max(numpy.abs(x).sum(-1).max(initial=0), 1e-30)))) + 4)
    x = x / 2.0 ** times
    part = total = numpy.broadcast_to(numpy.eye(x.shape[-1]), x.shape)
    for i in range(1, 18):
        part = part @ x / i
        total = total + part
    for _ in range(times):
        total = total @ total
    return (total,)


def _exponential_of(value, orders):
    """exp(value) with derivatives up to `orders`; outside of graphs of any order."""
    def backward(inputs, results, gradients):
        # The derivative of exp at x in the direction y is the upper right block of exp([[x, y], [0, x]]).
        x, size = matrix_transpose(inputs[0]), value._shape[-1]
        below = _array.concat([_array.zeros_like(x), x], -1)
        block = _array.concat([_array.concat([x, gradients[0]], -1), below], -2)
        return _exponential_of(block, orders - 1 if x._symbolic else orders)[..., :size, size:]
    return computed(_exponential, [value], [value._shape], backward if orders > 0 else None, orders=1)[0]


def expm(input, name=None):
    """The exponential of matrices. Shapes: [..., n, n] to the same."""
    return _exponential_of(_require_rank(convert_to_tensor(input), 2, "input"), orders=2)


_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with a diagonal, the k-th, or with a band of them, k = (lowest, highest), whose rows are aligned as `align` says
    above and below the main one. Raises: ValueError for sizes that do not fit."""
    _refused.attribute("linalg.diag", "align", align, _ALIGNMENTS)
    if k == 0 and num_rows < 0 and num_cols < 0:
        return _array.diag(diagonal)
    from ._diagonals import diag as make
    return make(diagonal, k, num_rows, num_cols, padding_value, align)


def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    """The k-th diagonal of matrices, or a band of them. Raises: ValueError for one that is outside."""
    _refused.attribute("linalg.diag_part", "align", align, _ALIGNMENTS)
    if k == 0:
        return _array.diag_part(input)
    from ._diagonals import diag_part as take
    return take(input, k, padding_value, align)


def set_diag(input, diagonal, name=None, k=0, align="RIGHT_LEFT"):
    """Matrices with another diagonal."""
    from . import ops_array
    value = _require_rank(convert_to_tensor(input), 2, "input")
    _refused.attribute("linalg.set_diag", "align", align, _ALIGNMENTS)
    if k != 0:
        from ._diagonals import set_diag as set_others
        return set_others(value, diagonal, k, align)
    mask = eye(value._shape[-2], value._shape[-1], dtype=value.dtype)
    whole = ops_array.expand_dims(convert_to_tensor(diagonal, dtype_hint=value.dtype), -1)
    return ops_array.where(mask > 0, whole + ops_array.zeros_like(value), value)


def normalize(tensor, ord="euclidean", axis=None, name=None):
    """(tensor / norm, norm)"""
    size = norm(tensor, ord=ord, axis=axis, keepdims=True)
    return convert_to_tensor(tensor) / size, size


_ = n
