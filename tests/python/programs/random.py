import tensorflow as tf
tf.random.set_seed(1234)
print(tf.random.uniform([1]), tf.random.uniform([1]), tf.random.normal([2, 2]), tf.random.truncated_normal([3]))
print(tf.random.uniform([3], minval=0, maxval=10, dtype=tf.int32), tf.random.uniform([2], 0, 100, tf.int64, seed=3), tf.random.shuffle(tf.range(6)))
tf.random.set_seed(1234); print(tf.random.uniform([1], seed=1), tf.random.uniform([1], seed=1), tf.random.normal([1], mean=3., stddev=2., seed=9))
print(tf.random.stateless_uniform([3], seed=(2, 3)), tf.random.stateless_normal([3], seed=(2, 3)).numpy().round(5), tf.random.stateless_truncated_normal([2], seed=[1, 2]))
print(tf.random.stateless_uniform([4], seed=(2, 3), minval=5, maxval=50, dtype=tf.int32))
print(tf.random.split([1, 2], 3), tf.random.fold_in([1, 2], 5))
g = tf.random.Generator.from_seed(1); print(g.normal([2, 3]), g.uniform([2]), g.uniform([2], 0, 10, tf.int32), g.state, g.key)
g2 = g.split(2); print([x.normal([1]).numpy() for x in g2]); g.skip(5); print(g.normal([1]), g.truncated_normal([1]))
g3 = tf.random.Generator.from_state([1, 2, 3], alg="philox"); print(g3.uniform([2]), g3.make_seeds(2), g3.uniform_full_int([1], tf.uint32) if False else "")
g.reset_from_seed(7); print(g.normal([1])); print(g.algorithm, tf.random.Algorithm.PHILOX)
tf.random.get_global_generator().reset_from_seed(3); print(tf.random.get_global_generator().normal([2]))
@tf.function
def f(): return tf.random.uniform([1]), tf.random.uniform([1])
tf.random.set_seed(1); print(f(), f())
@tf.function
def h():
    a = tf.random.uniform([1], seed=1); b = tf.random.uniform([1], seed=1); return a, b
tf.random.set_seed(2); print(h())
print(tf.random.uniform((2, 2), dtype=tf.float64).dtype, tf.random.normal([1], dtype=tf.float16).dtype)
try: tf.random.uniform([2], maxval=None, dtype=tf.int32)
except ValueError as e: print(e)
init = tf.random_normal_initializer(seed=1); print(init([2])); print(tf.keras.initializers.GlorotUniform(seed=0)([2, 2])); print(tf.keras.initializers.HeNormal(seed=0)([2, 2]).numpy().round(5)); print(tf.random_uniform_initializer(-1, 1, seed=2)([2])); print(tf.keras.initializers.Orthogonal(seed=1)((2, 2)).shape)
