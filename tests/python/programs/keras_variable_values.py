import tensorflow as tf, numpy as np
from tensorflow import keras
d = keras.layers.Dense(2, kernel_initializer="ones"); d.build((None, 3))
k = d.kernel
v = k.value
print(type(v).__name__, isinstance(v, tf.Variable), v.shape, v.dtype.name, v.name, float(tf.reduce_sum(v)), v.numpy().tolist())
v.assign(tf.zeros([3, 2])); print(k.numpy().tolist(), (k + 1.0).numpy().tolist(), float(tf.reduce_sum(v.value())))
x = keras.Variable([1.0, 2.0], name="own")
print(type(x.value).__name__, x.value.numpy().tolist(), (x.value * 2).numpy().tolist(), tf.convert_to_tensor(x.value).numpy().tolist())
with tf.GradientTape() as t:
    l = tf.reduce_sum(x.value ** 2)
print(t.gradient(l, x.value).numpy().tolist())
with tf.GradientTape() as t:
    l = tf.reduce_sum(x ** 2)
print(t.gradient(l, x.value).numpy().tolist())
o = keras.optimizers.Adam(0.5); print(float(o.learning_rate.value), int(o.iterations.value))
o.learning_rate.value.assign(0.25); print(float(o.learning_rate))
@tf.function
def f(): return x.value + 1.0, tf.reduce_sum(x.value)
print([a.numpy().tolist() for a in f()])
m = keras.metrics.Mean(); m.update_state([1.0, 3.0]); print([float(a.value) for a in m.variables])
w = tf.Variable([1.0]); print(w.value().numpy().tolist())
print(keras.ops.convert_to_numpy(x.value).tolist(), x.value.shape, np.asarray(x.value).tolist(), x.value[0].numpy(), [float(a) for a in x.value])
