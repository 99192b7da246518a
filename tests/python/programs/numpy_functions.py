# NumPy's functions of tensors and variables, and operators between both.
import numpy as np
import tensorflow as tf
def t(name, f):
    try: print(name, repr(f()))
    except Exception as e: print(name, type(e).__name__)
a, n, v = tf.constant([1.0, 4.0]), np.array([2.0, 3.0], np.float32), tf.Variable([1.0, 2.0])
t("ufunc", lambda: (np.add(a, 1), np.sqrt(a), np.exp(a * 0), np.maximum(a, n), np.multiply(n, a), np.abs(-a)))
t("left", lambda: (n + a, n - a, n * a, n / a, n ** a, n // a, n % a)); t("right", lambda: (a + n, a - n, a * n, a / n, a ** n))
t("scalar", lambda: (np.float32(2.0) * a, np.float32(1.0) - a, np.int32(3) + tf.constant([1, 2]), 2.0 * a))
t("compare", lambda: (n < a, n >= a, a > n, a == n)); t("matmul", lambda: (np.eye(2, dtype=np.float32) @ tf.ones((2, 1)), tf.ones((1, 2)) @ np.eye(2, dtype=np.float32)))
t("funcs", lambda: (np.sum(a), np.mean(a), np.concatenate([a, n]), np.stack([a, a]).shape, np.dot(a, n), np.allclose(a, a), np.argmax(a), np.round(a, 1), np.array_equal(a, [1, 4]), np.where(a > 2, a, 0), np.clip(a, 2, 3)))
t("variable", lambda: (np.add(v, 1), np.exp(v * 0), n * v, v * n, np.sum(v), np.asarray(v), np.float32(2.0) * v)); t("inplace", lambda: np.add(n, a, out=n.copy()))
def iadd():
    m = n.copy(); m += a; return m
t("iadd", iadd); t("f64", lambda: np.array([1.0, 2.0]) * a); t("list", lambda: [1.0, 2.0] * a); t("bool", lambda: np.logical_and(tf.constant([True, False]), True)); t("int", lambda: np.arange(3) + tf.constant([1, 2, 3], tf.int64))
@tf.function
def inside(x): return np.exp(x)
t("symbolic", lambda: inside(a))
@tf.function
def mixed(x): return n * x + np.float32(1.0) - x
t("mixed", lambda: mixed(a)); t("str", lambda: np.array(["a"], object) == tf.constant(["a"]))
