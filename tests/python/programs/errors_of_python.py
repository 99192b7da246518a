"""What Python code of a graph or of a dataset raises comes as an op's error; merged options, and zip of nothing."""
import tensorflow as tf
D = tf.data.Dataset
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, isinstance(e, tf.errors.InvalidArgumentError), isinstance(e, tf.errors.OpError))
def g(kind):
    def make():
        yield 1
        raise kind("oops")
    return make
for kind in (ValueError, TypeError, KeyError, RuntimeError, NotImplementedError, MemoryError, ZeroDivisionError):
    print(kind.__name__); t(lambda: list(D.from_generator(g(kind), output_types=tf.int32)))
    def f(x): raise kind("oops")
    t(lambda: tf.py_function(f, [1], tf.int32)); t(lambda: tf.numpy_function(f, [1], tf.int32))
    t(lambda: tf.function(lambda: tf.py_function(f, [1], tf.int32))()); t(lambda: list(D.range(1).map(lambda x: tf.py_function(f, [x], tf.int32))))
a, b = tf.data.Options(), tf.data.Options()
a.deterministic = True; b.threading.private_threadpool_size = 3
t(lambda: (a.merge(b).deterministic, a.merge(b).threading.private_threadpool_size, a == tf.data.Options(), a != b, a == a.merge(tf.data.Options())))
t(lambda: D.zip())
