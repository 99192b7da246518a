"""Normal numbers have TensorFlow's bits, and shuffles continue its streams."""
import numpy as np
import tensorflow as tf


def bits(tensor, dtype=np.uint32):
    return int(np.asarray(tensor).view(dtype).astype(np.uint64).sum())


for seed in range(4):
    print(bits(tf.random.stateless_normal([100003], [seed, 5])), bits(tf.random.stateless_truncated_normal([30011], [seed, 5])),
          bits(tf.cast(tf.random.stateless_normal([10007], [seed, 5], dtype=tf.float16), tf.float32)),
          bits(tf.cast(tf.random.stateless_normal([10007], [seed, 5], dtype=tf.bfloat16), tf.float32)))
    tf.random.set_seed(seed)
    print(bits(tf.random.normal([1001])), bits(tf.random.normal([3, 5], seed=9)), bits(tf.random.truncated_normal([77], seed=9)))
    rows = tf.reshape(tf.range(303), [101, 3])
    print([int(one) for one in (tf.random.shuffle(rows)[:5, 0])], [int(one) for one in tf.random.shuffle(rows)[:5, 0]],
          [int(one) for one in tf.random.shuffle(tf.range(7), seed=3)], [int(one) for one in tf.random.shuffle(tf.range(7), seed=3)])
    print(bits(tf.random.Generator.from_seed(seed).normal([999])))
    print(bits(tf.keras.initializers.GlorotNormal(seed=seed)([30, 40])), bits(tf.keras.initializers.HeNormal(seed=seed)([30, 40])),
          bits(tf.keras.initializers.RandomNormal(seed=seed)([30, 40])))


@tf.function
def shuffled(values):
    return tf.random.shuffle(values), tf.random.shuffle(values), tf.random.normal([2])


tf.random.set_seed(3)
for size in (5, 9, 5):
    first, second, normal = shuffled(tf.range(size))
    print([int(one) for one in first], [int(one) for one in second], [float(one) for one in normal])
