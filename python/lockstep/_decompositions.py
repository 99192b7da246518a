"""Matrix decompositions of `tf.linalg` that NumPy computes, with gradients of tensors.

The gradients are those that TensorFlow registers for SelfAdjointEigV2, Svd and Qr. Differences of equal eigenvalues or
singular values count as no gradient instead of infinity, as there.
"""

import collections

from ._tensor import convert_to_tensor
from .ops_array import band_part, concat, diag, diag_part, expand_dims, eye, matrix_transpose as turned, zeros_like
from .ops_math import matmul

Qr = collections.namedtuple("Qr", ["q", "r"])
Svd = collections.namedtuple("Svd", ["s", "u", "v"])
Eigh = collections.namedtuple("SelfAdjointEigV2", ["e", "v"])


def computed(function, inputs, shapes, backward=None, fault="Input is not invertible.", orders=2):
    """What `function(numpy, *arrays)` gives, tensors of these shapes and of the first input's dtype. `backward(inputs, results,
    gradients)` is what flows back to the inputs; without it nothing does. Derivatives are right up to `orders` in a graph, which
    traces the gradient together with the op, and of any order outside. Raises: InvalidArgumentError, `fault`, where NumPy finds
    none."""
    import numpy
    from ._function import TensorSpec, custom_gradient
    from ._host_calls import numpy_function
    from .errors import InvalidArgumentError
    dtype = inputs[0].dtype

    def host(*arrays):
        try:
            return tuple(numpy.asarray(one, dtype=dtype.as_numpy_dtype, order="C") for one in function(numpy, *arrays))
        except numpy.linalg.LinAlgError:
            raise InvalidArgumentError(None, None, fault) from None

    def compute(*inputs):
        symbolic = any(one._symbolic for one in inputs)
        if symbolic:
            results = tuple(numpy_function(host, list(inputs), [TensorSpec(shape, dtype) for shape in shapes]))
        else:
            results = tuple(convert_to_tensor(one) for one in host(*[one.numpy() for one in inputs]))

        def back(*gradients):
            if symbolic and orders == 1:
                return backward(inputs, results, gradients)
            # Results of NumPy depend on nothing; those that are computed here are differentiated in their turn.
            again = computed(function, inputs, shapes, backward, fault, orders - 1 if symbolic else orders)
            return backward(inputs, again, gradients)
        return results, back
    return custom_gradient(compute)(*inputs) if backward else compute(*inputs)[0]


def _or_zeros(gradients, results):
    return [zeros_like(result) if gradient is None else gradient for gradient, result in zip(gradients, results)]


def _inverse(x):
    """1 / x, and 0 for 0."""
    return x / (x * x + 1e-20)


def _inverse_differences(values):
    """[..., k, k]: 1 / (values[j] - values[i]) at [i, j], 0 on the diagonal."""
    same = eye(values._shape[-1], dtype=values.dtype)
    return (1 - same) * _inverse(expand_dims(values, -2) - expand_dims(values, -1) + same)


def _lower(matrix):
    """The gradient of the lower half of a symmetric matrix, the half that is read."""
    return band_part(matrix + turned(matrix), -1, 0) - diag(diag_part(matrix))


def _eigh_back(inputs, results, gradients):
    values, vectors = results
    of_values, of_vectors = _or_zeros(gradients, results)
    inner = diag(of_values) + _inverse_differences(values) * matmul(turned(vectors), of_vectors)
    return _lower(matmul(vectors, matmul(inner, turned(vectors))))


def eigh(tensor, name=None):
    """(values, vectors) of symmetric matrices, of which the lower half is read. Shapes: [..., n, n] to [..., n] and [..., n, n]."""
    tensor = convert_to_tensor(tensor)
    shape = list(tensor._shape)
    return Eigh(*computed(lambda numpy, a: numpy.linalg.eigh(a), [tensor], [shape[:-1], shape], _eigh_back))


def _eigvalsh_back(inputs, results, gradients):
    vectors = eigh(inputs[0]).v
    return _lower(matmul(vectors, expand_dims(gradients[0], -1) * turned(vectors)))


def eigvalsh(tensor, name=None):
    """The eigenvalues of symmetric matrices, from the smallest. Shapes: [..., n, n] to [..., n]."""
    tensor = convert_to_tensor(tensor)
    return computed(lambda numpy, a: (numpy.linalg.eigvalsh(a),), [tensor], [list(tensor._shape)[:-1]], _eigvalsh_back)[0]


def _singular_values_back(inputs, results, gradients):
    _, u, v = svd(inputs[0])
    return matmul(u, expand_dims(gradients[0], -1) * turned(v))


def _svd_back(inputs, results, gradients):
    s, u, v = results
    of_s, of_u, of_v = _or_zeros(gradients, results)
    rows, columns = inputs[0]._shape[-2:]
    if rows > columns:  # as for the other way round, where u is square
        return turned(_wide_svd_back(s, v, u, of_s, of_v, of_u))
    return _wide_svd_back(s, u, v, of_s, of_u, of_v)


def _wide_svd_back(s, u, v, of_s, of_u, of_v):
    """The gradient for matrices of no more rows, m, than columns: u [..., m, m], v [..., n, m] or [..., n, n]."""
    rows, columns, kept = u._shape[-1], v._shape[-2], v._shape[-1]
    v_1, of_v_1 = v[..., :rows], of_v[..., :rows]
    scale, rates = expand_dims(s, -2), _inverse_differences(s * s)
    by_u, by_v = rates * matmul(turned(u), of_u), rates * matmul(turned(v_1), of_v_1)
    inner = diag(of_s) + (by_u + turned(by_u)) * scale + expand_dims(s, -1) * (by_v + turned(by_v))
    made = matmul(u, matmul(inner, turned(v_1)))
    if rows == columns:
        return made
    outside = turned(of_v_1) - matmul(matmul(turned(of_v_1), v_1), turned(v_1))
    if kept > rows:
        v_2, of_v_2 = v[..., rows:], of_v[..., rows:]
        outside -= matmul(matmul(turned(v_1), of_v_2), turned(v_2))
    return made + matmul(u * _inverse(scale), outside)


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """(s, u, v), or s alone. Shapes: [..., m, n] to [..., k], [..., m, k] and [..., n, k], k the smaller size, or with
    full_matrices u [..., m, m] and v [..., n, n]. Its gradient raises NotImplementedError with full_matrices where the sizes
    differ by more than one: the vectors that are left are not determined."""
    tensor = convert_to_tensor(tensor)
    *batch, rows, columns = tensor._shape
    least = min(rows, columns)
    if not compute_uv:
        return computed(lambda numpy, a: (numpy.linalg.svd(a, compute_uv=False),), [tensor], [[*batch, least]],
                        _singular_values_back)[0]

    def parts(numpy, array):
        u, s, vh = numpy.linalg.svd(array, full_matrices=full_matrices)
        return s, u, numpy.swapaxes(vh, -1, -2)

    backward = _svd_back
    if full_matrices and abs(rows - columns) > 1:
        backward = _refuse(f"svd gradient with full_matrices needs sizes that differ by at most one; got {rows} and {columns}; "
                           "use full_matrices=False")
    return Svd(*computed(parts, [tensor], [[*batch, least], [*batch, rows, rows if full_matrices else least],
                                          [*batch, columns, columns if full_matrices else least]], backward))


def _refuse(message):
    def backward(inputs, results, gradients):
        raise NotImplementedError(message)
    return backward


def _divided(matrix, upper):
    """matrix times the inverse of upper, transposed; upper is triangular."""
    from .linalg import triangular_solve
    return turned(triangular_solve(upper, turned(matrix), lower=False))


def _deep_qr_back(q, r, of_q, of_r):
    """The gradient for matrices of no fewer rows than columns."""
    by_q, by_r = matmul(turned(q), of_q), matmul(r, turned(of_r))
    inner = band_part(by_q - turned(by_q) + by_r - turned(by_r), -1, 0)
    return matmul(q, of_r + _divided(inner, r)) + _divided(of_q - matmul(q, by_q), r)


def _qr_back(inputs, results, gradients):
    q, r = results
    of_q, of_r = _or_zeros(gradients, results)
    rows, columns = inputs[0]._shape[-2:]
    if rows >= columns:
        return _deep_qr_back(q, r, of_q, of_r)
    right, of_right = inputs[0][..., rows:], of_r[..., rows:]
    left = _deep_qr_back(q, r[..., :rows], of_q + matmul(right, turned(of_right)), of_r[..., :rows])
    return concat([left, matmul(q, of_right)], -1)


def qr(input, full_matrices=False, name=None):
    """(q, r). Shapes: [..., m, n] to [..., m, k] and [..., k, n], k the smaller size, or with full_matrices m. Its gradient raises
    NotImplementedError with full_matrices where m > n: the columns that are left are not determined."""
    input = convert_to_tensor(input)
    *batch, rows, columns = input._shape
    kept = rows if full_matrices else min(rows, columns)
    backward = _qr_back
    if full_matrices and rows > columns:
        backward = _refuse(f"qr gradient with full_matrices needs no more rows than columns; got {rows} and {columns}; use "
                           "full_matrices=False")
    return Qr(*computed(lambda numpy, a: numpy.linalg.qr(a, "complete" if full_matrices else "reduced"), [input],
                        [[*batch, rows, kept], [*batch, kept, columns]], backward))
