import os
import tensorflow as tf

files = []
for f in range(3):
    with tf.io.TFRecordWriter(f"part-{f}.tfrecord") as w:
        for i in range(4):
            w.write(str(f * 10 + i).encode())
    files.append(f"part-{f}.tfrecord")
ds = tf.data.Dataset.from_tensor_slices(files)


def numbers(dataset):
    return [int(x) for x in dataset.as_numpy_iterator()]


for worker in range(2):
    print(worker, numbers(ds.shard(2, worker).interleave(tf.data.TFRecordDataset, cycle_length=2, block_length=2)))
    print(worker, numbers(tf.data.TFRecordDataset(files).shard(2, worker)))
for bad in (lambda: ds.shard(0, 0), lambda: ds.shard(2, 2), lambda: ds.shard(2, -1)):
    try:
        bad()
        print("none")
    except (ValueError, tf.errors.InvalidArgumentError):
        print("refused")
print(numbers(tf.data.Dataset.list_files("part-*.tfrecord", shuffle=False).flat_map(tf.data.TFRecordDataset).take(6)))
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
options.deterministic = True
options.threading.private_threadpool_size = 2
ds2 = tf.data.TFRecordDataset(files).with_options(options)
print(ds2.options().experimental_distribute.auto_shard_policy, ds2.options().deterministic)
snap = tf.data.TFRecordDataset(files).map(tf.strings.to_number).snapshot("snap")
print([float(x) for x in snap][:3], [float(x) for x in snap][-1])
cached = tf.data.Dataset.range(5).map(lambda x: x + tf.random.uniform([], maxval=1000000, dtype=tf.int64)).cache()
print(numbers(cached) == numbers(cached))
tf.data.Dataset.range(4).save("saved")
print(numbers(tf.data.Dataset.load("saved")))
it = iter(tf.data.Dataset.range(10).batch(2))
next(it)
ckpt = tf.train.Checkpoint(it=it)
path = ckpt.save("place/ck")
print(next(it).numpy(), next(it).numpy())
ckpt.restore(path)
print(next(it).numpy())
w = tf.data.Dataset.range(7).window(3, shift=2, drop_remainder=True).flat_map(lambda d: d.batch(3))
print([x.tolist() for x in w.as_numpy_iterator()])
grouped = tf.data.Dataset.range(8).group_by_window(lambda x: x % 2, lambda k, d: d.batch(4), window_size=4)
print([x.tolist() for x in grouped.as_numpy_iterator()])
print(numbers(tf.data.Dataset.range(10).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5], seed=1).map(lambda c, x: x)) != [])
a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 20)
print(numbers(tf.data.Dataset.sample_from_datasets([a, b], [0.5, 0.5], seed=2)))
print(numbers(tf.data.Dataset.choose_from_datasets([a, b], tf.data.Dataset.from_tensor_slices([0, 1, 1, 0]).map(lambda x: tf.cast(x, tf.int64)))))
print(tf.data.Dataset.range(10).batch(3).cardinality().numpy(), tf.data.Dataset.range(3).repeat().cardinality().numpy(), a.filter(lambda x: x > 0).cardinality().numpy())
print(len(a), len(a.batch(2)))
try:
    len(a.filter(lambda x: x > 0))
except TypeError as e:
    print("TypeError")
print(a.reduce(tf.constant(0, tf.int64), lambda s, x: s + x).numpy(), a.concatenate(b).take(5).cardinality().numpy())
print(list(tf.data.Dataset.zip((a, b)).map(lambda x, y: {"x": x, "y": y}).take(1).as_numpy_iterator()))
mixed = tf.data.Dataset.range(3).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "bad")).ignore_errors()
print([float(x) for x in mixed])
try:
    for x in tf.data.TFRecordDataset("none.tfrecord"):
        pass
except tf.errors.NotFoundError as e:
    print("NotFoundError")
with open("broken.tfrecord", "wb") as f:
    f.write(b"not a record at all!")
try:
    list(tf.data.TFRecordDataset("broken.tfrecord"))
except tf.errors.DataLossError:
    print("DataLossError")
