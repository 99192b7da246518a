import tensorflow as tf
import sys
tf.print("hello", 1, 2.5, True, output_stream=sys.stdout)
tf.print(tf.constant([1.0, 2.0]), tf.constant([[1, 2], [3, 4]]), output_stream=sys.stdout)
tf.print("a", "b", sep=", ", end="!\n", output_stream=sys.stdout)
tf.print(tf.range(10), tf.range(10, dtype=tf.float32), output_stream=sys.stdout)
tf.print(tf.range(10), summarize=2, output_stream=sys.stdout)
tf.print(tf.range(10), summarize=-1, output_stream=sys.stdout)
tf.print({"a": tf.constant(1), "b": [tf.constant(2.0), "x"]}, output_stream=sys.stdout)
tf.print([tf.constant(1), (2, 3)], output_stream=sys.stdout)
tf.print(tf.constant("str"), tf.constant(["s1", "s2"]), tf.constant(True), output_stream=sys.stdout)
tf.print(tf.constant(1.0), tf.constant(0.1), tf.constant(1e-7), tf.constant(123456789.0), tf.constant(3.14159265), output_stream=sys.stdout)
tf.print(tf.Variable([1.5, 2.5]), tf.zeros([2, 2, 2]), output_stream=sys.stdout)
tf.print(tf.constant(float("nan")), tf.constant([float("inf"), 1]), output_stream=sys.stdout)
tf.print(tf.constant([], tf.float32), tf.constant(1, tf.int64), tf.constant(1.0, tf.float64), tf.constant(2., tf.float16), output_stream=sys.stdout)
@tf.function
def f(x):
    tf.print("in f:", x, tf.shape(x), x.shape, output_stream=sys.stdout)
    for i in tf.range(2):
        tf.print("i =", i, output_stream=sys.stdout)
    if tf.reduce_sum(x) > 0:
        tf.print("positive", output_stream=sys.stdout)
    else:
        tf.print("negative", output_stream=sys.stdout)
    return x
f(tf.constant([1.0, -3.0])); f(tf.constant([[1.0]]))
tf.print(None, output_stream=sys.stdout)
tf.print(output_stream=sys.stdout)
tf.print(tf.reshape(tf.range(100), [10, 10]), output_stream=sys.stdout)
tf.print(tf.reshape(tf.range(8), [2, 2, 2]), output_stream=sys.stdout)
tf.print("x:", tf.constant(5), "y:", tf.constant([1.25]), tf.float32, tf.TensorShape([1, 2]), output_stream=sys.stdout)
tf.print(tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([[1, 0], [0, 2]]), output_stream=sys.stdout)
tf.print(tf.constant(100000.0), tf.constant(1234567.0), tf.constant(0.00001), tf.constant(1/3), tf.constant(2/3, tf.float64), output_stream=sys.stdout)
import os, tempfile
p = os.path.join(tempfile.mkdtemp(), "log.txt")
tf.print("to a file", tf.constant(1), output_stream="file://" + p)
print(open(p).read())
