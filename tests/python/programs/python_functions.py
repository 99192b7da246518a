import tensorflow as tf
import numpy as np
def f(x):
    return np.array([x, x + 1], np.float32)
ds = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(f, [x], tf.float32))
print(ds.element_spec)
ds2 = tf.data.Dataset.range(3).map(lambda x: tf.py_function(f, [x], tf.float32))
print(ds2.element_spec)
def fix(x):
    y = tf.numpy_function(f, [x], tf.float32)
    y.set_shape([2])
    return y
ds3 = tf.data.Dataset.range(3).map(fix)
print(ds3.element_spec)
for x in ds3.batch(2): print(x.numpy())
for x in ds: print(x.numpy())
ds4 = tf.data.Dataset.range(3).map(lambda x: tf.py_function(lambda v: (v, [1.0]), [x], [tf.int64, tf.float32]))
print(ds4.element_spec)
for a, b in ds4: print(a.numpy(), b.numpy())
ds5 = tf.data.Dataset.range(4).map(lambda x: tf.numpy_function(f, [x], tf.float32)).batch(2)
print(ds5.element_spec)
for x in ds5: print(x.numpy())
ds6 = ds5.map(lambda x: tf.ensure_shape(x, [None, 2]))
print(ds6.element_spec)
ds7 = ds5.map(lambda x: tf.reshape(x, [-1, 2]) * 2)
print(ds7.element_spec, [x.numpy().tolist() for x in ds7])
@tf.function
def g(x):
    y = tf.py_function(lambda a: a * 2, [x], tf.float32)
    print(y.shape)
    y.set_shape(x.shape)
    return y + 1
print(g(tf.constant([1., 2.])).numpy())
@tf.function
def h(x):
    y = tf.numpy_function(lambda a: a * 2, [x], tf.float32)
    z = y + x
    print(y.shape, z.shape, y.shape.rank)
    return tf.reduce_sum(z), tf.shape(y), tf.rank(y)
print([v.numpy() for v in h(tf.constant([1., 2.]))])
m = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1, kernel_initializer='ones')])
m.compile('sgd', 'mse')
ds8 = ds3.map(lambda x: (x, tf.reduce_sum(x)[None])).batch(3)
print(m.evaluate(ds8, verbose=0))
