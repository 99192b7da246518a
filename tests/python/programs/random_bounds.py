"""Random numbers whose bounds, means and deviations are tensors, known when a graph runs or of several elements."""
import tensorflow as tf
tf.random.set_seed(3)
def t(f):
    try: r = f(); print(tf.nest.map_structure(lambda x: x.numpy().round(4) if x.dtype.is_floating else x.numpy(), r))
    except Exception as e: print(type(e).__name__, "")
@tf.function
def a(lo, hi): return tf.random.uniform([2], lo, hi, seed=1)
@tf.function
def b(lo, hi): return tf.random.uniform([3], lo, hi, dtype=lo.dtype, seed=1)
@tf.function
def c(m, s): return tf.random.normal(tf.shape(m), m, s, seed=1)
@tf.function
def d(x): return x[tf.random.uniform([], 0, tf.shape(x)[0], dtype=tf.int32, seed=4)]
@tf.function
def e(m): return tf.random.truncated_normal([2], m, 2., seed=1), tf.random.stateless_normal([2], [1, 2], m, 2.), tf.random.stateless_uniform([2], [1, 2], m, 9.), tf.random.stateless_truncated_normal([2], [1, 2], m)
g = tf.random.Generator.from_seed(4)
@tf.function
def f(m): return g.normal([2], m, 2.), g.uniform([2], m, 3.), g.truncated_normal([2], m), g.uniform([2], 0, tf.cast(m, tf.int32) + 8, tf.int32)
t(lambda: a(tf.constant(0.), tf.constant(10.)))
t(lambda: b(tf.constant(2), tf.constant(20)))
t(lambda: b(tf.constant(2, tf.int64), tf.constant(20, tf.int64)))
t(lambda: c(tf.constant([1., 20.]), tf.constant(0.5))); t(lambda: c(tf.constant([1., 20.]), tf.constant([0.5, 3.])))
t(lambda: d(tf.constant([5, 6, 7]))); t(lambda: e(tf.constant(2.))); t(lambda: f(tf.constant(2.)))
t(lambda: tf.random.normal([2, 2], mean=[1., 5.], stddev=[0.1, 1.], seed=2)); t(lambda: tf.random.uniform([2, 2], [0., 10.], [1., 11.], seed=2)); t(lambda: tf.random.stateless_normal([2, 2], [1, 2], [0., 9.])); t(lambda: tf.random.stateless_uniform([2, 2], [1, 2], [0., 9.], [1., 12.])); t(lambda: g.normal([2, 2], [0., 9.])); t(lambda: g.uniform([2, 2], [0., 9.], [1., 10.]))
ds = tf.data.Dataset.range(1, 6).map(lambda x: tf.random.uniform([], 0, x, dtype=tf.int64, seed=1)); t(lambda: [x for x in ds])
ds = tf.data.Dataset.range(1, 6).map(lambda x: tf.random.uniform([], 0., tf.cast(x, tf.float32), seed=1)); t(lambda: [x for x in ds])
t(lambda: tf.random.uniform([], 1, tf.constant(5), tf.int32, seed=9)); t(lambda: tf.random.uniform([2], tf.constant(1.), tf.Variable(5.), seed=9)); t(lambda: tf.random.normal([2], tf.Variable(1.), tf.constant(2.), seed=9))
with tf.GradientTape() as tp:
    mu = tf.Variable([1., 2.]); sg = tf.Variable([1., 2.]); z = tf.reduce_sum(tf.random.normal([2], mu, sg, seed=1) ** 2)
t(lambda: tp.gradient(z, [mu, sg]))
G = tf.random.Generator
for seed in (1, 2**40, -3, [1, 2, 3], [7], 2**64 + 5): print(seed, G.from_seed(seed).state.numpy())
for alg in ("philox", "auto_select", tf.random.Algorithm.AUTO_SELECT, None, "x"):
    try: print(alg, G.from_seed(1, alg=alg).algorithm, tf.random.stateless_uniform([1], [1, 2], alg=alg or "philox").numpy())
    except ValueError: print(alg, "ValueError")
print(G(g).state.numpy().shape, G(state=[1, 2, 3], alg=1).normal([1]).numpy())
