import tensorflow as tf, numpy as np
tf.debugging.enable_check_numerics()
def tries(f):
    try: f(); print('ok')
    except tf.errors.InvalidArgumentError as e: print('Infinity or NaN' in str(e), '"Log"' in str(e) or '"RealDiv"' in str(e))
tries(lambda: tf.math.log(tf.constant(-1.0)))
tries(lambda: tf.constant([1., 0.]) / tf.constant([0., 1.]))
@tf.function
def f(x): return tf.reduce_sum(tf.math.log(x) * 2.0)
tries(lambda: f(tf.constant([1.0, 2.0]))); tries(lambda: f(tf.constant([1.0, 0.0])))
w = tf.Variable([1.0, 2.0])
def g():
    with tf.GradientTape() as t: y = tf.reduce_sum(tf.math.log(w))
    return t.gradient(y, w)
print(g().numpy())
w.assign([0.0, 1.0]); tries(g)
m = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(3, activation='relu'), tf.keras.layers.Dense(1)]); m.compile('sgd', 'mse')
print(len(m.fit(np.ones([4, 2], 'float32'), np.ones([4, 1], 'float32'), verbose=0).history['loss']))
tf.debugging.disable_check_numerics()
print(tf.math.log(tf.constant(-1.0)).numpy())
try: m.fit(np.full([4, 2], np.inf, 'float32'), np.ones([4, 1], 'float32'), verbose=0); print('fitted')
except tf.errors.InvalidArgumentError as e: print('InvalidArgument')
