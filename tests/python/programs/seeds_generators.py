import tensorflow as tf
import numpy as np

tf.random.set_seed(1234)
print(tf.random.uniform([1]).numpy(), tf.random.uniform([1]).numpy())
tf.random.set_seed(1234)
print(tf.random.uniform([1], seed=1).numpy(), tf.random.uniform([1], seed=1).numpy())
tf.random.set_seed(5)
@tf.function
def f():
    a = tf.random.uniform([1])
    b = tf.random.uniform([1])
    return a, b
@tf.function
def g():
    a = tf.random.uniform([1])
    b = tf.random.uniform([1])
    return a, b
print([x.numpy() for x in f()], [x.numpy() for x in g()])
print([x.numpy() for x in f()])
g1 = tf.random.Generator.from_seed(1)
print(g1.normal(shape=[2, 3]))
print(g1.uniform(shape=[2], maxval=10, dtype=tf.int32).numpy())
print(g1.state.numpy(), g1.key.numpy(), g1.algorithm)
gs = g1.split(2)
print([x.normal([]).numpy() for x in gs])
g2 = tf.random.Generator.from_state(tf.constant([1, 2, 3], tf.int64), alg="philox")
print(g2.uniform_full_int([2], dtype=tf.int64).numpy())
g2.reset_from_seed(3); print(g2.normal([2]).numpy())
g2.skip(10); print(g2.make_seeds(2).numpy())
print(tf.random.stateless_uniform([2], seed=[1, 2]).numpy(), tf.random.stateless_normal([2], seed=(3, 4)).numpy())
print(tf.random.stateless_uniform([3], seed=[1, 2], minval=0, maxval=100, dtype=tf.int32).numpy())
print(tf.random.stateless_truncated_normal([2], seed=[1, 2]).numpy())
print(tf.random.split([1, 2], 2).numpy() if hasattr(tf.random, "split") else tf.random.experimental.stateless_split([1, 2], 2).numpy())
print(tf.random.experimental.stateless_fold_in([1, 2], 3).numpy())
tf.random.experimental.get_global_generator().reset_from_seed(9)
print(tf.random.get_global_generator().normal([1]).numpy())
tf.random.set_global_generator(tf.random.Generator.from_seed(11))
print(tf.random.get_global_generator().uniform([2]).numpy())
tf.random.set_seed(0)
print(tf.random.shuffle(tf.range(5)).numpy(), tf.random.truncated_normal([2], seed=2).numpy())
print(tf.random.normal([2], mean=5.0, stddev=0.1, seed=1).numpy())
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
with strategy.scope():
    gen = tf.random.Generator.from_seed(42)
    print(strategy.run(lambda: gen.normal([2])).numpy())
tf.keras.utils.set_random_seed(3)
print(np.random.rand(2).round(5), tf.random.uniform([2]).numpy(), tf.keras.initializers.GlorotUniform()((2, 2)).numpy())
print(tf.keras.initializers.HeNormal(seed=1)((2, 2)).numpy().shape)
init = tf.keras.initializers.RandomNormal(mean=0., stddev=1., seed=4)
print(np.allclose(init((2,)), init((2,))))
