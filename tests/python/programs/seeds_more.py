import tensorflow as tf
import numpy as np
print(tf.random.uniform([1]).shape); tf.random.set_seed(1234); print(tf.random.uniform([1]), tf.random.uniform([1])); tf.random.set_seed(1234)
@tf.function
def f(): return tf.random.uniform([1]), tf.random.uniform([1])
@tf.function
def g(): return tf.random.uniform([1])
print([t.numpy() for t in f()], g().numpy(), g().numpy())
tf.random.set_seed(1234); print(tf.random.uniform([1], seed=1).numpy(), tf.random.uniform([1], seed=1).numpy(), tf.random.normal([2], seed=5).numpy(), tf.random.truncated_normal([2], seed=3).numpy())
print(tf.random.stateless_uniform([2], seed=[1, 2]).numpy(), tf.random.stateless_normal([2], seed=(1, 2)).numpy(), tf.random.stateless_uniform([3], seed=[3, 4], minval=0, maxval=10, dtype=tf.int32).numpy(), tf.random.stateless_truncated_normal([2], seed=[1, 1]).numpy())
print(tf.random.split([1, 2], 3).numpy() if hasattr(tf.random, "split") else tf.random.experimental.stateless_split([1, 2], 3).numpy(), tf.random.fold_in([1, 2], 7).numpy() if hasattr(tf.random, "fold_in") else tf.random.experimental.stateless_fold_in([1, 2], 7).numpy())
g1 = tf.random.Generator.from_seed(1); print(g1.normal(shape=[2, 3]).numpy(), g1.uniform([2]).numpy(), g1.uniform([2], 0, 5, tf.int32).numpy(), g1.state.numpy(), g1.key.numpy(), g1.algorithm)
tf.random.set_global_generator(tf.random.Generator.from_seed(9)) if hasattr(tf.random, "set_global_generator") else None; print(tf.random.get_global_generator().normal([1]).numpy())
cp = tf.train.Checkpoint(g=g1); import tempfile; p = cp.save(tempfile.mkdtemp() + "/x"); a = g1.normal([1]).numpy(); cp.restore(p); print(a == g1.normal([1]).numpy())
tf.keras.utils.set_random_seed(7); print(tf.keras.layers.Dense(3)(np.ones((1, 2), "float32")).numpy(), tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.HeNormal(seed=3))(np.ones((1, 2), "float32")).numpy().round(4), np.random.rand(), __import__("random").random())
print(tf.keras.initializers.GlorotUniform(seed=1)((2, 2)).numpy(), tf.keras.initializers.RandomNormal(seed=2)((2,)).numpy(), tf.keras.initializers.TruncatedNormal(seed=2)((2,)).numpy(), tf.keras.initializers.VarianceScaling(2., "fan_out", "uniform", seed=4)((2, 3)).numpy(), tf.keras.initializers.LecunUniform(3)((3, 2)).numpy(), tf.keras.initializers.Identity()((2, 2)).numpy())
sg = tf.keras.random.SeedGenerator(42); print(tf.keras.random.normal((2,), seed=sg).numpy(), tf.keras.random.uniform((2,), seed=sg).numpy(), tf.keras.random.randint((3,), 0, 10, seed=sg).numpy(), sg.state.numpy() if hasattr(sg.state, "numpy") else sg.state)
tf.random.set_seed(3); ds = tf.data.Dataset.range(8).shuffle(8, seed=1); print(list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator()))
tf.random.set_seed(3); print(list(tf.data.Dataset.range(5).map(lambda x: tf.random.uniform([])).as_numpy_iterator()) != [], list(tf.data.Dataset.range(4).map(lambda x: tf.random.stateless_uniform([], seed=tf.stack([x, x]))).as_numpy_iterator()))
tf.keras.utils.set_random_seed(812); tf.config.experimental.enable_op_determinism(); m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dropout(0.3), tf.keras.layers.Dense(1)]); m.compile("adam", "mse")
X = np.random.rand(16, 3); print([round(v, 4) for v in m.fit(X, X.sum(1), epochs=2, batch_size=4, shuffle=False, verbose=0).history["loss"]]); m.compile("sgd", "mse"); print([round(v, 4) for v in m.fit(X, X.sum(1), epochs=2, batch_size=4, verbose=0).history["loss"]])
