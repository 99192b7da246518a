"""Datasets of several files that are read in turns, and ones that are saved and loaded."""
import os
import tempfile

import numpy as np
import tensorflow as tf

os.chdir(tempfile.mkdtemp())
names = [f"part é {number}" for number in range(4)]
for number, name in enumerate(names):
    with tf.io.TFRecordWriter(name + ".records") as writer:
        for row in range(number + 1):
            writer.write(f"{number}-{row}".encode())
    with open(name + ".lines", "w") as file:
        file.writelines(f"{number}-{row}\n" for row in range(3))
    with open(name + ".fixed", "wb") as file:
        file.write(b"HH" + b"".join(f"{number}-{row}".encode() for row in range(2)) + b"F")


def shown(dataset):
    return [one.decode() for one in dataset.as_numpy_iterator()]


records, lines, fixed = ([name + kind for name in names] for kind in (".records", ".lines", ".fixed"))
for parallel in None, 1, 2, 3, 7:
    print(parallel, shown(tf.data.TFRecordDataset(records, num_parallel_reads=parallel)))
    print(parallel, shown(tf.data.TextLineDataset(lines, num_parallel_reads=parallel)))
    print(parallel, shown(tf.data.FixedLengthRecordDataset(fixed, 3, 2, 1, num_parallel_reads=parallel)))
print(shown(tf.data.TFRecordDataset(records[:1], num_parallel_reads=4)))
print(shown(tf.data.TFRecordDataset(records, num_parallel_reads=2).shuffle(4, seed=3)))
dataset = tf.data.Dataset.from_tensor_slices({"a": np.arange(5), "b": ["x"] * 5})
dataset.save("saved")
loaded = tf.data.Dataset.load("saved")
print(len(loaded), [int(one["a"]) for one in loaded])
for count in 4, 9:
    print([int(one) for one in tf.data.Dataset.range(count).snapshot("snapshot")])
    print([int(one) for one in tf.data.Dataset.range(count).snapshot("snapshot")])
for make in (lambda: list(tf.data.FixedLengthRecordDataset(fixed, 0)),
             lambda: tf.io.parse_example([b""], {"i": tf.io.FixedLenSequenceFeature([], tf.int64)})):
    try:
        make()
    except (ValueError, tf.errors.OpError) as error:
        print(type(error).__name__)
