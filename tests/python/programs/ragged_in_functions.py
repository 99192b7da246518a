# Ragged and sparse tensors in functions, datasets, tapes and structures.
import tensorflow as tf


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    for one in made if isinstance(made, (list, tuple)) else [made]:
        if isinstance(one, tf.RaggedTensor):
            print(name, one.to_list(), one.dtype.name, one.row_splits.dtype.name)
        else:
            print(name, one.numpy().tolist() if hasattr(one, "numpy") else one)


rows = tf.ragged.constant([[1, 2, 3], [4], [], [5, 6]])
deep = tf.ragged.constant([[[1, 2], []], [[3]], []])
spec = tf.RaggedTensorSpec([None, None], tf.int32)


def traced(name, function, signature=(spec,), value=rows):
    show(name, lambda: tf.function(function, input_signature=list(signature))(value))


traced("to_tensor", lambda r: r.to_tensor())
traced("to_tensor of a shape", lambda r: r.to_tensor(-1, shape=[None, 2]))
traced("sums", lambda r: (tf.reduce_sum(r, axis=1), tf.reduce_max(r, axis=0), tf.reduce_mean(r, axis=1)[:2]))
traced("items", lambda r: (r[1], r[1:], r[:, :2], r[:, -1:], r[-1]))
traced("concat", lambda r: (tf.concat([r, r], 1), tf.concat([r, r * 2], 0), tf.stack([r, r], 1)))
traced("parts", lambda r: (r.value_rowids(), r.nrows(), r.row_lengths(), r.bounding_shape()))
traced("sparse", lambda r: (r.to_sparse().indices, r.to_sparse().dense_shape))
traced("mask", lambda r: tf.ragged.boolean_mask(r, r > 2))
traced("deep", lambda r: (r.to_tensor(), tf.reduce_sum(r, axis=1), r.merge_dims(0, 1)),
       [tf.RaggedTensorSpec([None, None, None], tf.int32)], deep)
traced("sparse in", lambda s: (tf.sparse.to_dense(s), tf.sparse.reduce_sum(s, axis=1)),
       [tf.SparseTensorSpec([None, None], tf.int32)], tf.sparse.from_dense([[1, 0], [2, 3]]))
show("another dtype", lambda: tf.function(lambda r: r, input_signature=[spec])(tf.ragged.constant([[1.0]])))
show("dense", lambda: tf.function(lambda r: r, input_signature=[spec])(tf.zeros([2, 2])))

counts = []


@tf.function
def doubled(r):
    counts.append(1)
    return r * 2, tf.reduce_sum(r)


show("doubled", lambda: doubled(rows))
show("doubled again", lambda: doubled(rows + 1))
print("traced", len(counts))
show("lengths", lambda: tf.function(lambda l: tf.RaggedTensor.from_row_lengths([1, 2, 3], l))(tf.constant([1, 2])))
show("rowids", lambda: tf.function(lambda l: tf.RaggedTensor.from_value_rowids([1, 2, 3], l, nrows=3))(tf.constant([0, 1, 1])))
show("padding", lambda: tf.function(lambda t: tf.RaggedTensor.from_tensor(t, padding=0))(tf.constant([[3, 0], [1, 2]])))
show("range", lambda: tf.function(lambda n: tf.ragged.range(n))(tf.constant([3, 0])))
show("words", lambda: tf.function(lambda s: tf.strings.split(s))(tf.constant(["a b", "c"])))
show("first words", lambda: tf.function(lambda s: tf.strings.split(s)[:, :1].to_tensor())(tf.constant(["a b", "c"])))
lines = tf.data.Dataset.from_tensor_slices(["a b", "c", "d e f"]).batch(3)
show("dataset of words", lambda: list(lines.map(lambda s: tf.strings.split(s).to_tensor())))
show("dataset of rows", lambda: list(tf.data.Dataset.from_tensor_slices(rows).batch(2).map(lambda r: r.to_tensor())))
show("dataset of sums", lambda: list(tf.data.Dataset.from_tensor_slices(rows).batch(2).map(lambda r: tf.reduce_sum(r, 1))))


def generated():
    yield 1, tf.ragged.constant([[1, 2], [3]])
    yield 2, tf.ragged.constant([[4], []])


signature = (tf.TensorSpec([], tf.int32), tf.RaggedTensorSpec([2, None], tf.int32))
dataset = tf.data.Dataset.from_generator(generated, output_signature=signature)
print(dataset.element_spec)
show("generated", lambda: [one for element in dataset for one in element])
show("squares", lambda: tf.map_fn(lambda x: x * x, rows))
show("ranges", lambda: tf.map_fn(tf.range, tf.constant([1, 0, 3]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)))
sparse = tf.sparse.from_dense([[1, 0, 2], [0, 0, 3]])
show("sparse sums", lambda: tf.map_fn(tf.sparse.reduce_sum, sparse, fn_output_signature=tf.int32))
show("eyes", lambda: tf.sparse.to_dense(tf.map_fn(
    tf.sparse.eye, tf.constant([2, 3]), fn_output_signature=tf.SparseTensorSpec(None, tf.float32))))

x = tf.ragged.constant([[1.0, 2.0], [3.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    z = tf.reduce_sum(x * x * x)
show("gradient", lambda: tape.gradient(y, x))
show("gradient of a sum", lambda: tape.gradient(z, [x, x.flat_values]))

show("flatten", lambda: tf.nest.flatten({"b": rows, "a": [sparse]}, expand_composites=True))
show("pack", lambda: tf.nest.pack_sequence_as(rows, tf.nest.flatten(rows, expand_composites=True), expand_composites=True))
show("map", lambda: tf.nest.map_structure(lambda t: t + 1, rows, expand_composites=True))
show("same", lambda: tf.nest.assert_same_structure(rows, sparse, expand_composites=True))
show("unbatched", lambda: list(tf.data.Dataset.from_tensor_slices(rows).batch(2).unbatch()))
show("types", lambda: [tf.debugging.assert_type(sparse, tf.int32), tf.debugging.assert_type(rows, tf.float32)])
