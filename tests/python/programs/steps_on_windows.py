import numpy as np
import tensorflow as tf

D = tf.data.Dataset
print([v.numpy().tolist() for v in D.range(6).window(4, 2).interleave(lambda w: w.batch(2), cycle_length=2)])
print([v.numpy().tolist() for v in D.range(9).window(3).interleave(lambda w: w.batch(1), cycle_length=2, block_length=2,
                                                                   num_parallel_calls=tf.data.AUTOTUNE)])
print([int(v) for v in D.range(12).window(3).interleave(lambda w: w.map(lambda x: x * 2), cycle_length=3)])
pairs = D.from_tensor_slices({"a": tf.range(6), "b": tf.range(6) * 10}).window(2, shift=2)
print([tuple(one.numpy().tolist() for one in v) for v in pairs.interleave(
    lambda w: D.zip((w["a"].batch(2), w["b"].batch(2))), cycle_length=2)])
print([[int(v) for v in w] for w in D.range(7).window(3).filter(lambda w: w.reduce(np.int64(0), lambda s, x: s + x) > 5)])
print([[int(v) for v in w] for w in D.range(4).window(2).concatenate(D.range(10, 14).window(3))])
print([[int(v) for v in w] for w in D.range(10).window(2).shard(3, 1)])
