# Optimizers warn about variables without a gradient.
import warnings
import tensorflow as tf
v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
for make in (tf.keras.optimizers.SGD, tf.keras.optimizers.Adam):
    o = make(0.1)
    with warnings.catch_warnings(record=True) as got:
        warnings.simplefilter("always")
        o.apply_gradients([(tf.constant(1.0), v), (None, w)])
    print([(str(g.message), g.category.__name__) for g in got], v.numpy(), w.numpy(), [x.name for x in o.variables])
    try:
        o.apply_gradients([(None, v), (None, w)])
        print("none")
    except Exception as e: print(type(e).__name__, e)
m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.BatchNormalization(name="bn"), tf.keras.layers.Dense(1, name="d")])
o = tf.keras.optimizers.SGD(0.1)
with warnings.catch_warnings(record=True) as got:
    warnings.simplefilter("always")
    with tf.GradientTape() as t: l = tf.reduce_sum(m(tf.ones([2, 2]), training=True))
    o.apply_gradients(zip(t.gradient(l, m.variables), m.variables))
print([(str(g.message), g.category.__name__) for g in got])

class Own(tf.keras.optimizers.Optimizer):
    def update_step(self, gradient, variable, learning_rate):
        variable.assign_sub(gradient * learning_rate)
with warnings.catch_warnings(record=True) as got:
    warnings.simplefilter("always")
    Own(0.5).apply([tf.constant(1.0), None], [v, w])
print([str(g.message) for g in got], v.numpy(), w.numpy())
