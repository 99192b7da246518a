import numpy as np
import tensorflow as tf

# Functions of decompositions that do not depend on the signs of their vectors: first and second derivatives, in and out of graphs.
linalg, rng = tf.linalg, np.random.default_rng(0)


def by_svd(x, **options):
    s, u, v = linalg.svd(x, **options)
    return tf.reduce_sum(tf.abs(u) ** 3) + tf.reduce_sum(s ** 2) + tf.reduce_sum(tf.abs(v) ** 3)


def by_values(x):
    return tf.reduce_sum(linalg.svd(x, compute_uv=False) ** 3)


def by_qr(x):
    q, r = linalg.qr(x)
    return tf.reduce_sum(tf.abs(q) ** 3) + tf.reduce_sum(tf.abs(r) ** 3)


def by_eigh(x):
    e, v = linalg.eigh(x)
    return tf.reduce_sum(e ** 3) + tf.reduce_sum(tf.abs(v) ** 3)


def by_full_svd(x):
    return by_svd(x, full_matrices=True)


def total(function):
    return lambda x: tf.reduce_sum(function(x) ** 2)


def derivatives(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            result = function(x)
        first = inner.gradient(result, x)
        along = tf.reduce_sum(first * 1.5)
    return first.numpy(), outer.gradient(along, x).numpy()


def digits(array, count):
    return (np.round(array, count) + 0.0).ravel().tolist()  # no -0.0


def show(name, function, array):
    x = tf.constant(array)
    first, second = derivatives(function, x)
    traced = derivatives(tf.function(function), x)
    print(name, np.shape(array), digits(first, 3), digits(second, 2),
          np.allclose(first, traced[0]), np.allclose(second, traced[1]))


for shape in (3, 3), (4, 3), (2, 3, 5):
    matrix = rng.normal(size=shape)
    for name, function in ("svd", by_svd), ("values", by_values), ("qr", by_qr):
        show(name, function, matrix)
for shape in (3, 4), (4, 3):
    show("full", by_full_svd, rng.normal(size=shape))
matrix = rng.normal(size=(2, 3, 3))
symmetric = matrix + matrix.swapaxes(-1, -2)
for name, function in ("eigh", by_eigh), ("eigvalsh", total(linalg.eigvalsh)), ("vectors", lambda x: tf.reduce_sum(tf.abs(linalg.eigh(x)[1]) ** 3)):
    show(name, function, symmetric)
show("equal values", total(linalg.eigvalsh), np.eye(3))
positive = matrix @ matrix.swapaxes(-1, -2) + np.eye(3)
for name in "inv", "det", "cholesky", "logdet", "expm", "pinv":
    show(name, lambda x: tf.reduce_sum(getattr(linalg, name)(0.2 * x) ** 3), positive)
show("pinv", total(lambda x: linalg.pinv(x, rcond=0.1)), rng.normal(size=(2, 2, 3)))
show("solve", total(lambda x: linalg.solve(x, tf.ones([2, 3, 2], tf.float64))), positive)
for function in (lambda x: linalg.svd(x, full_matrices=True)[1]), (lambda x: linalg.qr(x, full_matrices=True)[0]):
    x = tf.constant(rng.normal(size=(5, 3)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = function(x)
    try:
        print(tape.gradient(result, x))
    except NotImplementedError:
        print("not implemented", result.shape)
