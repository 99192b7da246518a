# tf.random_*_initializer draw from the seeds of ops: Keras's sequence of seeds does not move.
import os
import tempfile
import tensorflow as tf
tf.keras.utils.set_random_seed(1)
for make in (tf.random_normal_initializer, tf.random_uniform_initializer, lambda **k: tf.random_normal_initializer(1.0, 2.0, **k), lambda **k: tf.random_uniform_initializer(-1, 1, **k)):
    i = make()
    print(i([2, 2]).numpy().tolist(), i([2]).numpy().tolist(), make(seed=3)([3]).numpy().tolist(), make(seed=3)((1, 2)).numpy().tolist(), i.get_config())
print(tf.random_uniform_initializer(0, 10)([4], tf.int32).numpy().tolist())
print(tf.random_uniform_initializer(0, 10, seed=5)([4], tf.int64).numpy().tolist())
print(tf.random_normal_initializer()([2], dtype=tf.float16).numpy().tolist())
for bad in (lambda: tf.random_normal_initializer()([2], tf.int32), lambda: tf.random_uniform_initializer()([2], tf.string), lambda: tf.random_normal_initializer()([2], foo=1)):
    try: print(bad())
    except Exception as e: print(type(e).__name__, str(e)[:90])
tf.random.set_seed(3)
i = tf.random_normal_initializer()
print(i([2]).numpy().tolist(), tf.random.normal([2]).numpy().tolist())
tf.random.set_seed(3)
print(tf.keras.layers.Dense(2)(tf.ones([1, 1])).numpy().tolist())
tf.keras.utils.set_random_seed(7)
d = tf.keras.layers.Dense(2, kernel_initializer=tf.random_normal_initializer(), bias_initializer=tf.random_uniform_initializer(seed=4))
print(d(tf.ones([1, 3])).numpy().tolist())
print(tf.keras.layers.Dense(2)(tf.ones([1, 1])).numpy().tolist())
print(type(i).__name__, isinstance(i, tf.keras.initializers.Initializer), tf.random_normal_initializer.from_config({"mean": 1.0, "stddev": 0.0})([2]).numpy().tolist(), i.get_config())
class L(tf.keras.layers.Layer):
    def build(self, s):
        self.w = self.add_weight(shape=(s[-1], 2), initializer=tf.random_normal_initializer(), name="w")
        self.v = tf.Variable(tf.random_uniform_initializer()([2]))
    def call(self, x): return x @ self.w + self.v
tf.keras.utils.set_random_seed(7)
print(L()(tf.ones([1, 3])).numpy().tolist())
@tf.function
def f(): return tf.random_normal_initializer()([2])
tf.random.set_seed(1); print(f().numpy().tolist(), f().numpy().tolist())
print(tf.zeros_initializer()([2]).numpy().tolist(), tf.ones_initializer()([2], tf.int32).numpy().tolist(), tf.constant_initializer([1, 2])([2]).numpy().tolist(), tf.zeros_initializer().get_config(), tf.constant_initializer(3).get_config())

m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(2, kernel_initializer=tf.random_normal_initializer())])
config = m.layers[0].get_config()
print(config["kernel_initializer"], type(tf.keras.layers.Dense.from_config(config).kernel_initializer).__name__)
path = os.path.join(tempfile.mkdtemp(), "m.keras")
m.save(path)
print(type(tf.keras.models.load_model(path).layers[0].kernel_initializer).__name__)
