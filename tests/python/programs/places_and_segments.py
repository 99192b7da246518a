# Arguments that decide which elements are taken: batches of places, axes, dtypes of places, sides, segments.
import numpy as np
import tensorflow as tf


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    for one in made if isinstance(made, (list, tuple)) else [made]:
        print(name, one.dtype.name, one.shape, one.numpy().tolist())


cube = tf.reshape(tf.range(24), (2, 3, 4))
places = tf.constant([[[0], [1]], [[2], [0]]])
show("gather_nd", lambda: tf.gather_nd(cube, places, batch_dims=1))
show("gather_nd vectors", lambda: tf.gather_nd(cube, [[1], [2]], batch_dims=1))
show("gather_nd two axes", lambda: tf.gather_nd(cube, [[[[0]], [[1]], [[3]]]] * 2, batch_dims=2))
show("gather_nd texts", lambda: tf.gather_nd([["a", "b"], ["c", "d"]], [[1], [0]], batch_dims=1))
show("gather_nd outside", lambda: tf.gather_nd(cube, [[5]]))
show("gather_nd left out", lambda: tf.gather_nd(cube[:, :, 0], [[5], [1]], bad_indices_policy="IGNORE"))
show("gather_nd batch_dims", lambda: tf.gather_nd(cube, [[0]], batch_dims=2))


@tf.function(input_signature=[tf.TensorSpec([None, 3, 4], tf.int32), tf.TensorSpec([None, 2, 1], tf.int32)])
def traced(values, where):
    return tf.gather_nd(values, where, batch_dims=1), tf.reverse_sequence(values, [1, 3, 2], 0, 1)


show("traced", lambda: traced(cube, places))
with tf.GradientTape() as tape:
    weights = tf.ones((2, 3))
    tape.watch(weights)
    total = tf.reduce_sum(tf.gather_nd(weights, [[[2], [2]], [[0], [1]]], batch_dims=1))
show("gradient", lambda: tape.gradient(total, weights))

show("reverse", lambda: tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [1, 2, 1], seq_axis=0, batch_axis=1))
show("reverse middle", lambda: tf.reverse_sequence(cube, [1, 2, 3], seq_axis=2, batch_axis=1))
show("reverse too long", lambda: tf.reverse_sequence([[1, 2, 3]], [9], seq_axis=1))
show("mask of two axes", lambda: tf.boolean_mask(cube, [[True, False, False, True], [False] * 4, [True] * 4], axis=1))
show("partition", lambda: tf.dynamic_partition([1, 2, 3], [0, 5, 1], 2))

show("diag_part", lambda: tf.linalg.tensor_diag_part(tf.reshape(tf.range(16), (2, 2, 2, 2))))
show("diag_part of others", lambda: tf.linalg.tensor_diag_part([[1, 2, 3], [3, 4, 5]]))
show("diag", lambda: tf.linalg.tensor_diag([[1, 2], [3, 4]]))
show("v1 diag", lambda: tf.compat.v1.diag_part(tf.compat.v1.diag([[1.0, 2.0], [3.0, 4.0]])))

show("top_k", lambda: tf.math.top_k([1.0, 3.0, 2.0], 2, index_type=tf.int64))
show("searchsorted", lambda: tf.searchsorted([1, 2, 3], [2, 5], out_type=tf.int64))
show("searchsorted side", lambda: tf.searchsorted([1, 2, 3], [2, 5], side="middle"))
show("unique", lambda: tf.unique_with_counts([3, 1, 3], out_idx=tf.int64))
show("roll", lambda: tf.roll([1, 2, 3], tf.constant([1]), tf.constant([0])))

words = [["Y", "q", "c"], ["Y", "6", "6"], ["p", "G", "a"]]
show("join", lambda: tf.strings.unsorted_segment_join(words, [1, 0, 1], 2, separator=":"))
show("join places", lambda: tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 3, "-"))
show("join outside", lambda: tf.strings.unsorted_segment_join(["a", "b"], [0, -1], 3))

show("pad texts", lambda: tf.pad(["a"], [[1, 0]], constant_values="z"))
show("pad texts with none", lambda: tf.pad(["a"], [[0, 2]]))
show("pad large", lambda: tf.pad(tf.constant([1], tf.int64), [[1, 1]], constant_values=2**60 + 1))
show("one_hot texts", lambda: tf.one_hot([0, 1, 5], 2, on_value="y", off_value="n"))
show("one_hot bools", lambda: tf.one_hot([0, -1], 2, on_value=True, off_value=False))
show("one_hot tensors", lambda: tf.one_hot([0, 1], 2, tf.constant(5, tf.int64), tf.constant(7, tf.int64), axis=0))
show("one_hot kinds", lambda: tf.one_hot([0, 1], 2, on_value=1.0, off_value=tf.constant(0)))
show("one_hot dtype", lambda: tf.one_hot([0, 1], 2, on_value=1, dtype=tf.float32))
show("cast", lambda: tf.dtypes.cast([1.5], tf.int32))
show("saturate", lambda: tf.dtypes.saturate_cast([300, -300], tf.int8))
