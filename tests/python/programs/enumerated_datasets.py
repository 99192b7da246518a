"""Loops over datasets that are numbered, or taken side by side, in functions."""
import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset


@tf.function
def numbered(dataset):
    rows = tf.TensorArray(tf.int64, 0, dynamic_size=True)
    for number, one in enumerate(dataset):
        if number == 3:
            break
        rows = rows.write(tf.cast(number, tf.int32), one * 10 + number)
    return rows.stack()


@tf.function
def from_two(dataset):
    total = tf.constant(0.0)
    for step, (x, y) in enumerate(dataset, 2):
        total += tf.reduce_sum(x * tf.cast(step, tf.float32)) + y
    return total


@tf.function
def together(first, second):
    total = tf.constant(0, tf.int64)
    for one, other in zip(first, second):
        total += one * other
    return total


@tf.function
def both(first, second):
    total = tf.constant(0, tf.int64)
    for number, (one, other) in enumerate(zip(first, second)):
        total += number * (one + other)
    return total


@tf.function
def of_python(values):
    total = tf.constant(0)
    for number, (one, other) in enumerate(zip(values, [1, 2, 3])):
        total += number * one * other
    return total


print(numbered(Dataset.range(5)).numpy().tolist(), numbered(Dataset.range(2)).numpy().tolist())
pairs = Dataset.from_tensor_slices((np.arange(6, dtype="float32").reshape(3, 2), np.ones(3, "float32")))
print(float(from_two(pairs)), float(from_two(pairs.take(1))))
print(int(together(Dataset.range(4), Dataset.range(1, 9))), int(both(Dataset.range(4), Dataset.range(1, 9))))
print(int(of_python([4, 5, 6])))
