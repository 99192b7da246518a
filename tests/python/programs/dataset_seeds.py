# The order of datasets that shuffle files and rows after a seed was set.
import os
import tempfile
import numpy as np
import tensorflow as tf
folder = tempfile.mkdtemp()
E = tf.data.experimental
for k in range(3):
    open(folder + f"/{k}.csv", "w").write("a,b\n" + "".join(f"{k * 100 + i},{i * 2}\n" for i in range(5)))
pattern = folder + "/*.csv"
def rows(d, n=20): return [int(v) for f in d.take(n) for v in np.ravel(f["a"].numpy())]
def pairs(d, n=20): return [[int(v) for v in f["a"].numpy()] + [int(v) for v in l.numpy()] for f, l in d.take(n)]
for seed in (1, 7):
    tf.keras.utils.set_random_seed(seed)
    print(rows(E.make_csv_dataset(folder + "/0.csv", 4, num_epochs=1)))
    print(pairs(E.make_csv_dataset(folder + "/0.csv", 2, label_name="b", num_epochs=1)))
    print(rows(E.make_csv_dataset(pattern, 4, num_epochs=1)))
    print(rows(E.make_csv_dataset(pattern, 4, num_epochs=2, shuffle_buffer_size=3)))
    print(rows(E.make_csv_dataset(pattern, 4, num_epochs=1, shuffle_seed=5)))
    print(rows(E.make_csv_dataset(pattern, 4, num_epochs=1, shuffle=False)))
    print(rows(E.make_csv_dataset(pattern, 4, num_epochs=1, shuffle=False, num_parallel_reads=2)))
    print(rows(E.make_csv_dataset(pattern, 4, num_epochs=1, num_parallel_reads=3)))
    print(rows(E.make_csv_dataset(pattern, 3, num_epochs=1)))
    print(rows(E.make_csv_dataset(pattern, 4), 6))
    print([int(x) for x in tf.data.Dataset.range(6).shuffle(6)], tf.random.uniform([2]).numpy())
    print([int(x) for x in tf.data.Dataset.random().take(3)], [int(x) for x in tf.data.Dataset.random(seed=4).take(3)])
    a, b = tf.data.Dataset.range(5), tf.data.Dataset.range(100, 105)
    print([int(x) for x in tf.data.Dataset.sample_from_datasets([a, b])], [int(x) for x in tf.data.Dataset.sample_from_datasets([a, b], [0.2, 0.8], seed=3)])
    print([int(x) for x in tf.data.Dataset.range(6).shuffle(3)], [int(x) for x in tf.data.Dataset.range(6).shuffle(6, seed=2)])
    print([os.path.basename(x.numpy().decode()) for x in tf.data.Dataset.list_files(pattern)], [os.path.basename(x.numpy().decode()) for x in tf.data.Dataset.list_files(pattern, seed=9)])
    d = tf.data.Dataset.range(6).shuffle(6, reshuffle_each_iteration=False); print([int(x) for x in d], [int(x) for x in d])
    d = tf.data.Dataset.range(6).shuffle(6).repeat(2).batch(4).rebatch(3); print([x.numpy().tolist() for x in d])
    print([int(x) for x in tf.data.Dataset.range(8).apply(E.shuffle_and_repeat(8, 1))], [int(x) for x in tf.data.Dataset.range(8).apply(E.shuffle_and_repeat(4, 2, seed=1))])
    print([int(x) for x in E.sample_from_datasets([a, b])], [int(x) for x in E.RandomDataset().take(2)])
    r = tf.data.Dataset.range(20).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.8, 0.2], [0.5, 0.5], seed=1)
    print([int(x[1]) for x in r])
    r = tf.data.Dataset.range(20).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.8, 0.2], [0.5, 0.5])
    print([int(x[1]) for x in r])
    print([round(float(x), 5) for x in tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([]))], [round(float(x), 5) for x in tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([], seed=3))])
names = []
for k in range(2):
    names.append(folder + f"/{k}.rec")
    with tf.io.TFRecordWriter(names[-1]) as w:
        for i in range(5):
            w.write(tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[k * 10 + i])), "b": tf.train.Feature(float_list=tf.train.FloatList(value=[i / 2]))})).SerializeToString())
features = {"a": tf.io.FixedLenFeature([], tf.int64), "b": tf.io.FixedLenFeature([], tf.float32)}
tf.random.set_seed(2)
print(rows(E.make_batched_features_dataset(folder + "/*.rec", 3, features, num_epochs=1)))
print(rows(E.make_batched_features_dataset(folder + "/*.rec", 3, features, num_epochs=1, shuffle_seed=4)))
print(rows(E.make_batched_features_dataset(folder + "/*.rec", 3, features, num_epochs=1, shuffle=False, reader_num_threads=2)))
print(rows(E.make_batched_features_dataset(folder + "/*.rec", 3, features, num_epochs=2, shuffle_buffer_size=2)))
print([{k: v.numpy().tolist() for k, v in f.items()} | {"l": l.numpy().tolist()} for f, l in E.make_batched_features_dataset(folder + "/*.rec", 3, features, label_key="b", num_epochs=1)])
print(tf.random.uniform([2]).numpy())
open(folder + "/bad.csv", "w").write("a,b\n1,2\nx,3\n4,5\n")
print(rows(E.make_csv_dataset(folder + "/bad.csv", 2, column_defaults=[0, 0], num_epochs=1, shuffle=False, ignore_errors=True)))
print(rows(E.make_csv_dataset([folder + "/0.csv", folder + "/2.csv"], 4, num_epochs=1, shuffle=False, select_columns=["a"])))

tf.random.set_seed(1)
d = tf.data.Dataset.range(2).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + 4).shuffle(4), cycle_length=1)
print([int(x) for x in d], [int(x) for x in d], [int(x) for x in tf.data.Dataset.range(6).shuffle(6)])
d = tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x * 10, x * 10 + 4).shuffle(4, seed=5).shuffle(2))
print([int(x) for x in d], tf.random.uniform([1]).numpy())
