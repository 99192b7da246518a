"""States of scans whose sizes change, and numbers of elements that datasets take and refuse."""
import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset


def values(dataset):
    return [tf.nest.map_structure(lambda one: one.numpy().tolist(), element) for element in dataset]


grown = Dataset.range(4).scan(tf.zeros([0], tf.int64), lambda seen, one: (tf.concat([seen, [one]], 0), (tf.size(seen), seen)))
print(values(grown), grown.element_spec)
wide = Dataset.range(3).scan({"a": tf.ones([1, 2])}, lambda state, one: ({"a": tf.tile(state["a"], [2, 1])}, tf.shape(state["a"])))
print(values(wide), wide.element_spec)
both = Dataset.range(3).scan((np.int64(0), tf.zeros([2])), lambda state, one: ((state[0] + one, state[1] + 1.0), state))
print(values(both), both.element_spec, int(both.cardinality()))
for seed in 1, 5:
    print(values(Dataset.range(7).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=seed)))
    print(values(Dataset.range(9).filter(lambda one: one != 4).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=seed)))
print(values(Dataset.range(5).take(tf.constant(3, tf.int64)).skip(np.int32(1)).repeat(np.int64(2)).batch(tf.constant(3, tf.int64))))
few = Dataset.range(1, 3).map(lambda one: tf.fill([one], one))
for make in (
        lambda: Dataset.range(), lambda: Dataset.range(1, 2, 3, 4), lambda: Dataset.range(3.5), lambda: Dataset.range("a"),
        lambda: few.take(1.5), lambda: few.skip("a"), lambda: few.batch(2.0), lambda: few.repeat("b"),
        lambda: few.padded_batch(2, padded_shapes=[None, None]), lambda: few.padded_batch(2, padded_shapes=[-1]),
        lambda: Dataset.from_tensors([1, 2, 3]).padded_batch(2, padded_shapes=[2]),
        lambda: Dataset.range(3).scan(0, lambda state, one: (one, one))):
    try:
        print(make().element_spec)
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
