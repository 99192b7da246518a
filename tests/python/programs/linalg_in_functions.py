import numpy as np
import tensorflow as tf

linalg = tf.linalg
matrix, right = np.array([[4.0, 1.0], [1.0, 3.0]], "float32"), np.array([[1.0], [2.0]], "float32")
functions = {
    "solve": lambda a: linalg.solve(a, right), "adjoint": lambda a: linalg.solve(a, right, adjoint=True), "inv": linalg.inv, "det": linalg.det,
    "cholesky": linalg.cholesky, "logdet": linalg.logdet, "slogdet": lambda a: linalg.slogdet(a)[1], "triangular": lambda a: linalg.triangular_solve(a, right),
    "upper": lambda a: linalg.triangular_solve(a, right, lower=False), "cholesky_solve": lambda a: linalg.cholesky_solve(a, right),
    "right": lambda a: linalg.solve(tf.constant(matrix), a)}
for name, function in functions.items():
    def gradient(a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            total = tf.reduce_sum(function(a) ** 2)
        return tape.gradient(total, a)
    made = [np.round(one(tf.constant(matrix)), 4).ravel().tolist() for one in (function, tf.function(function), gradient, tf.function(gradient))]
    print(name, made[0], made[0] == made[1], made[2], made[2] == made[3])
rest = tf.function(lambda a: (linalg.slogdet(a)[0], linalg.pinv(a), linalg.matrix_rank(a)))
print([np.round(one, 4).tolist() for one in rest(tf.constant(matrix))], [one.dtype.name for one in rest(tf.constant(matrix))])
print([one.shape for one in rest(tf.stack([matrix, -matrix]))])
bits = tf.function(lambda x: (tf.bitcast(x, tf.int32), tf.bitcast(x, tf.uint8), tf.bitcast(tf.bitcast(x, tf.uint8), tf.float32)))
print([one.numpy().tolist() for one in bits(tf.constant([1.0, -2.0]))])


@tf.function
def fitted(x, y):
    """Least squares by the normal equations, as losses and layers have them."""
    inner = tf.matmul(x, x, transpose_a=True) + 0.1 * tf.eye(2)
    return linalg.solve(inner, tf.matmul(x, y, transpose_a=True))


print(np.round(fitted(tf.constant(matrix), tf.constant(right)), 4).tolist())
