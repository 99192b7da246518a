import numpy as np, os, tempfile
import tensorflow as tf
d = tempfile.mkdtemp()
for i in range(3):
    with open(os.path.join(d, f"part-{i}.csv"), "w") as f:
        f.write("id,name,score\n"); [f.write(f"{i * 10 + j},n{j},{j / 2}\n") for j in range(3)]
files = tf.data.Dataset.list_files(d + "/*.csv", shuffle=False)
lines = files.interleave(lambda p: tf.data.TextLineDataset(p).skip(1), cycle_length=2, block_length=1, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)
def parse(line):
    i, n, s = tf.io.decode_csv(line, [0, "", 0.0]); return {"id": i, "name": n}, s
for f, s in lines.map(parse, num_parallel_calls=2).take(4): print(f["id"].numpy(), f["name"].numpy(), s.numpy())
ds = tf.data.Dataset.from_tensor_slices({"x": np.arange(6), "y": list("abcdef")})
print(ds.element_spec); print([{k: v.numpy() for k, v in e.items()} for e in ds.batch(4).take(1)])
print(list(ds.map(lambda e: e["x"] * 2).filter(lambda v: v % 3 == 0).as_numpy_iterator()))
r = tf.data.Dataset.range(5)
print([w.numpy().tolist() for w in r.window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))])
print([b.numpy().tolist() for b in r.map(lambda n: tf.fill([n], n)).padded_batch(3, padding_values=tf.constant(-1, tf.int64))])
print([[t.numpy().tolist() for t in e] for e in tf.data.Dataset.zip((r, r.skip(2))).batch(2)])
print(list(r.concatenate(tf.data.Dataset.range(10, 12)).shuffle(10, seed=3, reshuffle_each_iteration=False).as_numpy_iterator()) == list(r.concatenate(tf.data.Dataset.range(10, 12)).shuffle(10, seed=3, reshuffle_each_iteration=False).as_numpy_iterator()))
print(list(r.scan(tf.constant(0, tf.int64), lambda s, v: (s + v, s + v)).as_numpy_iterator()), list(r.take_while(lambda v: v < 3).as_numpy_iterator()), r.reduce(np.int64(1), lambda a, b: a * (b + 1)).numpy())
print(list(tf.data.Dataset.sample_from_datasets([tf.data.Dataset.from_tensors(0).repeat(), tf.data.Dataset.from_tensors(1).repeat()], weights=[0.5, 0.5], seed=1).take(200).reduce(0, lambda a, b: a + b).numpy() > 60 for _ in range(1)))
print(list(tf.data.Dataset.choose_from_datasets([r, r.map(lambda v: v * 100)], tf.data.Dataset.range(2).repeat(3)).as_numpy_iterator()))
print([b.numpy().tolist() for b in tf.data.Dataset.from_generator(lambda: ([i] * i for i in range(1, 5)), output_signature=tf.TensorSpec([None], tf.int32)).bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3], [2, 2])])
print(r.cardinality().numpy(), r.repeat().cardinality().numpy(), r.filter(lambda v: v > 1).cardinality().numpy(), len(r), r.batch(2).cardinality().numpy())
try: len(r.filter(lambda v: v > 1))
except TypeError as e: print(e)
try: r.batch(2)[0]
except TypeError as e: print("not subscriptable" in str(e))
print(r, repr(ds.batch(2)))
def py(v): return np.int64(v.numpy() ** 2)
print(list(r.map(lambda v: tf.py_function(py, [v], tf.int64)).as_numpy_iterator()), list(r.map(lambda v: tf.numpy_function(lambda a: a + 1, [v], tf.int64)).as_numpy_iterator()))
@tf.function
def consume(ds): return ds.reduce(tf.constant(0, tf.int64), lambda s, v: s + v)
print(consume(r).numpy())
it = iter(r.batch(2)); print(next(it).numpy(), next(it).numpy(), next(it, None).numpy(), next(it, "end"))
e = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])); a, b = next(iter(e)); print(a.numpy(), b.numpy())
for step, (x, y) in enumerate(e.repeat(2).batch(2, drop_remainder=True)): print(step, x.numpy(), y.numpy())
print(list(r.map(lambda v: 10 // (v - 2)).apply(tf.data.experimental.ignore_errors()).as_numpy_iterator()) if hasattr(tf.data.experimental, "ignore_errors") else "", list(r.map(lambda v: 10 // (v - 2)).ignore_errors().as_numpy_iterator()))
print(list(r.apply(lambda d: d.map(lambda v: v + 1)).as_numpy_iterator()), list(r.unique().as_numpy_iterator()))
print(tf.data.Dataset.from_tensors([[1, 2], [3, 4]]).unbatch().element_spec, [t.numpy().tolist() for t in tf.data.Dataset.range(8).batch(4).rebatch(3)])
ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [3]])); print([t.numpy().tolist() for t in ragged], ragged.element_spec.shape)
img = np.arange(24, dtype="uint8").reshape(2, 2, 2, 3)
def augment(i, l): return tf.image.flip_left_right(tf.image.convert_image_dtype(i, tf.float32)), tf.one_hot(l, 3)
for i, l in tf.data.Dataset.from_tensor_slices((img, [0, 2])).map(augment).batch(2): print(i.shape, i.numpy()[0, 0, 0].round(4), l.numpy())
