import tensorflow as tf

batches = tf.data.Dataset.range(8)

@tf.function
def sum_of_three(data):
    reader = iter(data)
    total = tf.constant(0, tf.int64)
    for _ in range(3):
        total += next(reader)
    return total

print([int(sum_of_three(batches)) for _ in range(2)])

@tf.function
def closed_over():
    reader = iter(batches)
    return next(reader) + next(reader)

print(int(closed_over()), int(closed_over()))

@tf.function
def loop(n):
    total = tf.constant(0, tf.int64)
    for _ in tf.range(n):
        reader = iter(batches)
        total += next(reader) + 10 * next(reader)
    return total

print(int(loop(3)), int(loop(40)))

outside = iter(batches)

@tf.function
def step():
    return next(outside)

print([int(step()) for _ in range(3)])

pairs = tf.data.Dataset.from_tensor_slices({"a": [1.0, 2.0], "b": [[1], [2]]}).batch(2)

@tf.function
def of_pairs():
    element = next(iter(pairs))
    return tf.reduce_sum(element["a"]) + tf.cast(tf.reduce_sum(element["b"]), tf.float32)

print(float(of_pairs()), float(of_pairs()))

@tf.function
def optional():
    reader = iter(tf.data.Dataset.range(2))
    first, second, third = reader.get_next_as_optional(), reader.get_next_as_optional(), reader.get_next_as_optional()
    return first.has_value(), second.get_value(), third.has_value()

print([one.numpy() for one in optional()], [one.numpy() for one in optional()])

@tf.function
def to_the_end():
    reader = iter(tf.data.Dataset.range(1))
    next(reader)
    return next(reader)

try:
    to_the_end()
except tf.errors.OutOfRangeError:
    print("OutOfRangeError")
