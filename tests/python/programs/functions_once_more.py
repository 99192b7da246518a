# Functions: one concrete function for one signature, shapes that do not fit, Python functions as decorators, cases,
# constants of a shape.
import numpy as np
import tensorflow as tf


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, "refused", isinstance(error, (ValueError, TypeError, tf.errors.InvalidArgumentError)))
        return
    print(name, tf.nest.map_structure(lambda one: str(one.numpy()) if hasattr(one, "numpy") else one, made))


@tf.function
def doubled(x):
    return x * 2


vector, matrix = tf.constant([1.0, 2.0]), tf.constant([[1.0], [2.0]])
first = doubled.get_concrete_function(vector)
print(first is doubled.get_concrete_function(tf.constant([3.0, 4.0])), first is doubled.get_concrete_function(matrix))
print(first(vector).numpy())


@tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
def squared(x):
    return x ** 2


print(squared.get_concrete_function(vector) is squared.get_concrete_function(matrix), squared(matrix).numpy().tolist())
print(squared.get_concrete_function() is squared.get_concrete_function(vector))
show("another dtype", lambda: squared.get_concrete_function(tf.constant(1)))


@tf.function
def product(a, b):
    return tf.matmul(a, b)


show("product", lambda: product.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec([3, 5])).output_shapes)
show("inner sizes", lambda: product.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec([4, 5])))
show("sums", lambda: tf.function(lambda a, b: a + b).get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([3])))
show("reshaped", lambda: tf.function(lambda a: tf.reshape(a, [3, -1])).get_concrete_function(tf.TensorSpec([2, 2])))


@tf.py_function(Tout=tf.float32)
def huber(x, m):
    return x ** 2 if tf.abs(x) <= m else m ** 2 * (1 - 2 * tf.math.log(m) + tf.math.log(x ** 2))


@tf.numpy_function(Tout=[tf.float32, tf.int32])
def sinh(x):
    return np.sinh(x), np.int32(x.size)


show("py_function", lambda: huber(tf.constant(1.0), tf.constant(2.0)))
show("in a function", lambda: tf.function(lambda x: huber(x, tf.constant(2.0)))(tf.constant(1.5)))
show("numpy_function", lambda: sinh(tf.constant([0.0, 0.0])))
show("numpy in a function", lambda: tf.function(lambda x: sinh(x))(tf.constant([0.0])))
print(huber.__name__, sinh.__name__)
with tf.GradientTape() as tape:
    x = tf.constant(1.5)
    tape.watch(x)
    y = huber(x, tf.constant(2.0))
show("its gradient", lambda: tape.gradient(y, x))


def cases(x, default=lambda: tf.constant(0.0), **options):
    return tf.case([(x > 0, lambda: tf.constant(1.0)), (x > 1, lambda: tf.constant(2.0))], default, **options)


for value in (-1.0, 0.5, 3.0):
    show(f"case {value}", lambda: cases(tf.constant(value)))
    show(f"exclusive {value}", lambda: cases(tf.constant(value), exclusive=True))
    show(f"without a default {value}", lambda: cases(tf.constant(value), None))
    show(f"traced {value}", lambda: tf.function(lambda x: cases(x, exclusive=True))(tf.constant(value)))
show("map", lambda: tf.vectorized_map(lambda x: x * x, tf.constant([1.0, 2.0]), fallback_to_while_loop=False))

init = tf.constant_initializer([0, 1, 2, 3, 4, 5, 6, 7])
show("constants", lambda: init(shape=[2, 4], dtype=tf.float32))
show("constants of ints", lambda: init([4, 2]))
show("too few", lambda: init([3, 4]))
show("too many", lambda: init([2, 3], tf.float32))
show("array", lambda: tf.constant_initializer(np.arange(4.0))(shape=[2, 2]))
print(tf.Variable(init(shape=[2, 4], dtype=tf.float32)).numpy().tolist())
print(tf.get_static_value(tf.constant([1, 2])), tf.get_static_value(np.array(3)), tf.get_static_value([1]))
