"""Matrices: `tf.linalg`."""

import collections

from . import _native as n
from ._tensor import convert_to_tensor
from . import ops_array as _array
from ._diagonals import tensor_diag, tensor_diag_part  # noqa: F401
from .ops_array import band_part, eye, matrix_transpose, trace  # noqa: F401
from .ops_math import cast as _cast, cross, einsum, global_norm, matmul, matvec, norm, tensordot  # noqa: F401
from .nn import l2_normalize, moments  # noqa: F401

adjoint = matrix_transpose


def _decomposed(function, tensor, shapes):
    """What `function(numpy, array)` gives, tensors of these shapes; they have no gradient."""
    import numpy
    from ._function import TensorSpec
    from ._host_calls import numpy_function
    tensor = convert_to_tensor(tensor)
    dtype = tensor.dtype

    def compute(array):
        return tuple(numpy.asarray(one, dtype=dtype.as_numpy_dtype, order="C") for one in function(numpy, array))
    if tensor._symbolic:
        return tuple(numpy_function(compute, [tensor], [TensorSpec(shape, dtype) for shape in shapes]))
    return tuple(convert_to_tensor(one) for one in compute(tensor.numpy()))


def _custom(name, forward, backward):
    """A function that NumPy computes, with a gradient of tensors: `backward(inputs, result, gradient)`."""
    def compute(*tensors):
        import numpy
        from ._function import TensorSpec, custom_gradient
        from ._host_calls import numpy_function
        from .errors import InvalidArgumentError

        def host(*arrays):
            try:
                return numpy.asarray(forward(numpy, *arrays), dtype=arrays[0].dtype, order="C")
            except numpy.linalg.LinAlgError:
                raise InvalidArgumentError(None, None, _FAULTS.get(name, "Input is not invertible.")) from None

        @custom_gradient
        def function(*inputs):
            if any(one._symbolic for one in inputs):
                shape = _shape_of(name, inputs)
                result = numpy_function(host, list(inputs), TensorSpec(shape, inputs[0].dtype))
            else:
                result = convert_to_tensor(host(*[one.numpy() for one in inputs]))
            return result, lambda gradient: backward(inputs, result, gradient)
        first = convert_to_tensor(tensors[0])
        return function(first, *[convert_to_tensor(one, dtype_hint=first.dtype) for one in tensors[1:]])
    return compute


_FAULTS = {"cholesky": "Cholesky decomposition was not successful. The input might not be valid."}


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
_cholesky = _custom("cholesky", lambda numpy, a: numpy.linalg.cholesky(a), _cholesky_back)
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
    sign = _decomposed(lambda numpy, a: (numpy.linalg.slogdet(a)[0],), value, [value._shape[:-2]])[0]
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
    left out, as in TensorFlow, and no gradient flows to the matrix."""
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
    """The pseudo-inverse, computed by NumPy; no gradient flows. Shapes: [..., m, n] to [..., n, m]."""
    import numpy
    value = convert_to_tensor(a)
    *batch, rows, columns = value._shape
    if rcond is None:
        rcond = 10 * max(rows, columns) * numpy.finfo(value.dtype.as_numpy_dtype).eps
    return _decomposed(lambda numpy, array: (numpy.linalg.pinv(array, rcond),), value, [[*batch, columns, rows]])[0]


def matrix_rank(a, tol=None, validate_args=False, name=None):
    """How many singular values are not 0, computed by NumPy, int32. Shapes: [..., m, n] to [...]."""
    value = convert_to_tensor(a)
    made = _decomposed(lambda numpy, array: (numpy.linalg.matrix_rank(array, tol),), value, [value._shape[:-2]])[0]
    return _cast(made, "int32")


def expm(input, name=None):
    """The exponential of matrices, by scaling, a Taylor sum and squaring. Eager."""
    import numpy
    value = convert_to_tensor(input)
    x = value.numpy().astype("float64")
    times = max(0, int(numpy.ceil(numpy.log2(max(numpy.abs(x).sum(-1).max(initial=0), 1e-30)))) + 4)
    x = x / 2.0 ** times
    part = total = numpy.broadcast_to(numpy.eye(x.shape[-1]), x.shape)
    for i in range(1, 18):
        part = part @ x / i
        total = total + part
    for _ in range(times):
        total = total @ total
    return convert_to_tensor(total.astype(value.dtype.as_numpy_dtype))


def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with a diagonal, the k-th, or with a band of them, k = (lowest, highest), whose rows are aligned as `align` says
    above and below the main one. Raises: ValueError for sizes that do not fit."""
    if k == 0 and num_rows < 0 and num_cols < 0:
        return _array.diag(diagonal)
    from ._diagonals import diag as make
    return make(diagonal, k, num_rows, num_cols, padding_value, align)


def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    """The k-th diagonal of matrices, or a band of them. Raises: ValueError for one that is outside."""
    if k == 0:
        return _array.diag_part(input)
    from ._diagonals import diag_part as take
    return take(input, k, padding_value, align)


def set_diag(input, diagonal, name=None, k=0, align="RIGHT_LEFT"):
    """Matrices with another diagonal."""
    from . import ops_array
    value = convert_to_tensor(input)
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


Qr = collections.namedtuple("Qr", ["q", "r"])


def qr(input, full_matrices=False, name=None):
    """(q, r), computed by NumPy; no gradient flows. Shapes: [..., m, n] to [..., m, k] and [..., k, n], k the smaller size, or
    with full_matrices m."""
    input = convert_to_tensor(input)
    *batch, rows, columns = input._shape
    kept = rows if full_matrices else min(rows, columns)
    return Qr(*_decomposed(lambda numpy, a: numpy.linalg.qr(a, "complete" if full_matrices else "reduced"), input,
                           [[*batch, rows, kept], [*batch, kept, columns]]))


Svd = collections.namedtuple("Svd", ["s", "u", "v"])


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """(s, u, v), or s alone, computed by NumPy; no gradient flows. Shapes: [..., m, n] to [..., k], [..., m, k] and [..., n, k],
    k the smaller size, or with full_matrices u [..., m, m] and v [..., n, n]."""
    tensor = convert_to_tensor(tensor)
    *batch, rows, columns = tensor._shape
    least = min(rows, columns)
    if not compute_uv:
        return _decomposed(lambda numpy, a: (numpy.linalg.svd(a, compute_uv=False),), tensor, [[*batch, least]])[0]

    def parts(numpy, array):
        u, s, vh = numpy.linalg.svd(array, full_matrices=full_matrices)
        return s, u, numpy.swapaxes(vh, -1, -2)
    return Svd(*_decomposed(parts, tensor, [[*batch, least], [*batch, rows, rows if full_matrices else least],
                                            [*batch, columns, columns if full_matrices else least]]))


Eigh = collections.namedtuple("SelfAdjointEigV2", ["e", "v"])


def eigh(tensor, name=None):
    """(values, vectors) of symmetric matrices, computed by NumPy; no gradient flows. Shapes: [..., n, n] to [..., n] and
    [..., n, n]."""
    tensor = convert_to_tensor(tensor)
    return Eigh(*_decomposed(lambda numpy, a: numpy.linalg.eigh(a), tensor, [tensor._shape[:-1], tensor._shape]))


def eigvalsh(tensor, name=None):
    """The eigenvalues of symmetric matrices, from the smallest; no gradient flows. Shapes: [..., n, n] to [..., n]."""
    tensor = convert_to_tensor(tensor)
    return _decomposed(lambda numpy, a: (numpy.linalg.eigvalsh(a),), tensor, [tensor._shape[:-1]])[0]


_ = n
