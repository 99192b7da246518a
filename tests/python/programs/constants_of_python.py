"""Python's values as tensors: truth values beside numbers, lists that begin with NumPy's numbers, what is refused."""
import numpy as np
import tensorflow as tf

c = tf.constant
for value, dtype in (
        (True, tf.float32), (True, tf.int32), ([True, False], tf.float32), ([True, False], tf.int64), (np.bool_(True), tf.float32),
        (np.array([True]), tf.int32), ([[True], [False]], tf.float16), (True, tf.string), (1, tf.bool), ([1, 0], tf.bool),
        (1., tf.bool), (np.array([1, 0]), tf.bool), (True, tf.float64), ([1, None], None), (None, None),
        ({1: 2}, None), ({1, 2}, None), (["a", 1], None), ("1", tf.float32), (range(3), None), ([1.5], tf.int32),
        (np.float64(5.5), None), ([np.float64(5.5)], None), ([np.float32(1), 2.5], None)):
    for make in (tf.constant, tf.convert_to_tensor):
        try:
            made = make(value, dtype)
            print(made.dtype.name, made.numpy().tolist(), end=" | ")
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error)[:110], end=" | ")
    print()
try:
    c((i for i in range(2)))
except ValueError as error:
    print(str(error)[:40])
print(tf.Variable(True, dtype=tf.float32), tf.Variable([True], dtype=tf.int32))
print(c(1.) + True, True + c(1), c([1., 2.]) * True, c([1, 2]) * False, c(2.) == True, c([0, 1]) < True)  # noqa: E712
print(tf.maximum(c(0.5), True), tf.fill([2], True))
v = tf.Variable([1., 2.])
epoch = 3
print(v.assign_add([1., 1.] * tf.constant(1.) * (epoch > 2)), v * (epoch > 5))
t = c([[1., 2.], [3., 4.]])
capsule = tf.experimental.dlpack.to_dlpack(t)
print(type(capsule).__name__, tf.experimental.dlpack.from_dlpack(capsule), np.from_dlpack(t).sum())
