import tensorflow as tf
import numpy as np
# sequential against parallel pipelines give the same elements
ds = tf.data.Dataset.range(20)
seq = list(ds.map(lambda x: x * x).as_numpy_iterator())
par = list(ds.map(lambda x: x * x, num_parallel_calls=4).as_numpy_iterator())
print(seq == par, seq[-1])
files = tf.data.Dataset.from_tensor_slices([0, 1, 2])
inter = files.interleave(lambda i: tf.data.Dataset.range(3).map(lambda x: x + tf.cast(i, tf.int64) * 10), cycle_length=3, num_parallel_calls=3, deterministic=True)
print([int(x) for x in inter])
def make(shard): return tf.data.Dataset.range(10).shard(num_shards=3, index=shard)
print([list(make(i).as_numpy_iterator()) for i in range(3)])
ds = tf.data.Dataset.from_tensor_slices((np.arange(8, dtype=np.float32).reshape(8, 1), np.arange(8, dtype=np.float32) * 2 + 1)).batch(4)
w = tf.Variable([[0.0]]); b = tf.Variable([0.0])
for epoch in range(3):
    for x, y in ds:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.squeeze(x @ w + b, 1) - y))
        dw, db = tape.gradient(loss, [w, b]); w.assign_sub(0.01 * dw); b.assign_sub(0.01 * db)
    print(f"epoch {epoch}: {loss.numpy():.4f} {w.numpy()[0, 0]:.4f} {b.numpy()[0]:.4f}")
it = iter(ds); first = it.get_next(); print(first[0].shape, next(it)[1].numpy())
try: it.get_next()
except tf.errors.OutOfRangeError: print("end")
opt = iter(tf.data.Dataset.range(1)).get_next_as_optional(); print(opt.has_value().numpy(), opt.get_value().numpy())
d = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})
for e in d.take(2): print({k: v.numpy().tolist() for k, v in e.items()})
print(d.element_spec["b"], d.map(lambda e: e["a"] + 1).element_spec)
for e in d.batch(2): print(e["a"].numpy())
print([x.numpy().tolist() for x in tf.data.Dataset.from_tensor_slices([[1, 2, 3], [4, 5, 6]]).flat_map(tf.data.Dataset.from_tensor_slices).batch(4)])
calls = []
def gen():
    for i in range(4): calls.append(i); yield i
c = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([], tf.int32)).cache()
print(list(c.as_numpy_iterator()), list(c.as_numpy_iterator()), len(calls))
print([x.numpy().tolist() for x in tf.data.Dataset.from_generator(lambda: iter([[1], [2, 3], [4, 5, 6]]), output_signature=tf.TensorSpec([None], tf.int32)).padded_batch(2, padding_values=-1)])
print(tf.data.Dataset.range(10).shuffle(4, seed=2).batch(5).reduce(tf.constant(0, tf.int64), lambda s, b: s + tf.reduce_sum(b)).numpy())
print(len(tf.data.Dataset.range(10).repeat(3).batch(4)), tf.data.Dataset.range(5).repeat().cardinality().numpy() == tf.data.INFINITE_CARDINALITY)
@tf.function
def total(ds):
    s = tf.constant(0, tf.int64)
    for x in ds: s += x
    return s
print(total(tf.data.Dataset.range(5)).numpy())
print([x.numpy().tolist() for x in tf.data.Dataset.range(9).window(4, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(4))])
print([(i.numpy(), x.numpy().decode()) for i, x in tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate()])
z = tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.from_tensor_slices(["x", "y", "z"]))); print([(a.numpy(), b.numpy()) for a, b in z])
print(list(tf.data.Dataset.range(3).concatenate(tf.data.Dataset.range(5, 7)).skip(1).as_numpy_iterator()))
print([x.numpy().tolist() for x in tf.data.Dataset.range(7).batch(3).unbatch().filter(lambda x: x > 2).batch(2, drop_remainder=True)])
np.testing.assert_equal(list(tf.data.Dataset.range(10).shuffle(10, seed=3).as_numpy_iterator()), list(tf.data.Dataset.range(10).shuffle(10, seed=3).as_numpy_iterator()))
print(list(tf.data.Dataset.range(10).shuffle(10, seed=3).as_numpy_iterator()))
