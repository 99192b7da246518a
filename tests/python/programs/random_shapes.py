import tensorflow as tf, numpy as np
class Sampling(tf.keras.layers.Layer):
    def __init__(self, **k):
        super().__init__(**k); self.seed = tf.keras.random.SeedGenerator(3)
    def call(self, inputs):
        m, v = inputs
        e = tf.random.normal(shape=(tf.shape(m)[0], tf.shape(m)[1]), seed=1)
        return m + tf.exp(0.5 * v) * e
i = tf.keras.Input([4]); a = tf.keras.layers.Dense(2)(i); b = tf.keras.layers.Dense(2)(i)
z = Sampling()([a, b]); m = tf.keras.Model(i, z); print(z.shape, m.output_shape, m.predict(np.ones([3, 4]), verbose=0).shape)
m.compile('sgd', 'mse'); h = m.fit(np.ones([7, 4], 'float32'), np.ones([7, 2], 'float32'), batch_size=3, verbose=0); print(len(h.history['loss']))
tf.random.set_seed(2)
@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
def f(x):
    n = tf.shape(x)[0]
    return tf.random.normal(tf.shape(x), seed=4), tf.random.uniform([n], seed=5), tf.random.uniform([n, 2], 0, 10, tf.int32, seed=6), tf.random.stateless_normal([n], [1, 2]), tf.random.shuffle(tf.range(n), seed=7), tf.random.truncated_normal([n], seed=3), tf.random.categorical(tf.zeros([n, 3]), 2, seed=1), tf.random.stateless_uniform(tf.shape(x), [3, 4])
for r in f(tf.zeros([3, 2])): print(r.numpy().round(4).tolist())
for r in f(tf.zeros([2, 2]))[:2]: print(r.numpy().round(4).tolist())
@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
def g(x): return tf.nn.dropout(x, 0.5, seed=3), tf.image.random_brightness(x[:, :, None], 0.2, seed=2)
r = g(tf.ones([4, 2])); print(r[0].numpy().tolist(), r[1].numpy().round(4).ravel().tolist()[:2])
@tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
def h(n):
    s = 0.0
    for k in tf.range(n): s += tf.random.uniform([], seed=9)
    return s
print(round(float(h(3)), 4), round(float(h(3)), 4))
gen = tf.random.Generator.from_seed(4)
@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def q(x): return x + gen.normal(tf.shape(x)), gen.uniform([tf.size(x)])
print([v.numpy().round(4).tolist() for v in q(tf.zeros([3]))])
ini = tf.keras.initializers.GlorotUniform(seed=1); print(ini([2, 2]).numpy().round(4).tolist())
