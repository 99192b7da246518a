# Version 1's names and arguments of functions that version 2 calls otherwise.
import tensorflow as tf

v1 = tf.compat.v1


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    for one in made if isinstance(made, (list, tuple)) else [made]:
        if isinstance(one, tf.SparseTensor):
            print(name, one.indices.numpy().tolist(), one.values.numpy().tolist(), one.dense_shape.numpy().tolist())
        elif isinstance(one, tf.RaggedTensor):
            print(name, one.to_list())
        else:
            print(name, one.numpy().tolist() if tf.is_tensor(one) and one.shape.rank else one)


show("split", lambda: v1.strings.split(["a b", "c"]))
show("split a scalar", lambda: v1.strings.split("a b"))
show("split rows", lambda: v1.strings.split(["a,b"], sep=",", result_type="RaggedTensor"))
show("split source", lambda: v1.strings.split(source=["a b"]))
show("split both", lambda: v1.strings.split(["a"], source=["a"]))
show("string_split", lambda: v1.string_split(["a-b_c", "-d"], delimiter="-_"))
show("string_split bytes", lambda: v1.string_split(["ab"], delimiter=""))
show("string_split kept", lambda: v1.string_split(["a  b"], skip_empty=False, result_type="RaggedTensor"))
show("traced", lambda: tf.function(lambda s: v1.string_split(s, result_type="RaggedTensor"))(tf.constant(["a  b", "c"])))
show("reduce_join", lambda: [v1.strings.reduce_join(["a", "b"], reduction_indices=0), v1.reduce_join([["a", "b"]], 1, keep_dims=True)])
show("manip", lambda: [v1.manip.tile([1], [2]), v1.manip.roll([1, 2, 3], 1, 0), v1.manip.scatter_nd([[0]], [1], [2])])
show("tensor_scatter", lambda: [v1.tensor_scatter_add([1, 2], [[0]], [5]), v1.tensor_scatter_update([1, 2], [[0]], [5])])
show("reverse", lambda: [v1.reverse_v2([1, 2], [0]), v1.reverse_sequence([[1, 2, 3]], [2], seq_dim=1, batch_dim=0)])
show("batch_gather", lambda: v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]))
show("rising", lambda: [v1.debugging.is_non_decreasing([1, 1]), v1.debugging.is_strictly_increasing([1, 1])])
show("in_top_k", lambda: v1.math.in_top_k([[0.1, 0.9]], [1], 1))
show("argmax", lambda: [v1.math.argmax([1, 3, 2], dimension=0), v1.argmin([1, 3, 2], dimension=0)])
blocks = [[[[1]]], [[[2]]], [[[3]]], [[[4]]]]
show("blocks", lambda: v1.batch_to_space(blocks, crops=[[0, 0], [0, 0]], block_size=2))
show("blocks back", lambda: v1.space_to_batch([[[[1], [2]], [[3], [4]]]], paddings=[[0, 0], [0, 0]], block_size=2))
show("zeros_like", lambda: v1.zeros_like([1, 2], optimize=False))
show("patches", lambda: v1.extract_image_patches([[[[1], [2]]]], ksizes=[1, 1, 1, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"))
eye = tf.sparse.eye(2)
show("sparse", lambda: [v1.sparse_add(eye, eye, thresh=5.0), v1.sparse.add(eye, eye, threshold=0.5)])
show("sparse sums", lambda: [v1.sparse_reduce_sum(eye, axis=0, keep_dims=True), v1.sparse_reduce_max(eye, axis=0)])
show("sparse parts", lambda: v1.sparse_split(axis=0, num_split=2, sp_input=eye))
show("sparse joined", lambda: v1.sparse_concat(0, [eye, eye], expand_nonconcat_dim=True))
show("moments", lambda: v1.nn.weighted_moments([[1.0, 2.0]], [1], [[1.0, 3.0]], keep_dims=True))
image = tf.ones([1, 2, 2, 1])
kernel = tf.ones([1, 1, 1, 1])
show("windows", lambda: [v1.nn.convolution(image, kernel, "SAME"), v1.nn.pool(image, [2, 2], "MAX", "VALID")])
show("rates", lambda: [v1.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], "SAME", rate=[1, 1]),
                       v1.nn.separable_conv2d(image, kernel, kernel, [1, 1, 1, 1], "SAME", rate=[1, 1])])
show("loop", lambda: v1.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)], return_same_structure=True))
show("preferred", lambda: v1.convert_to_tensor([1], preferred_dtype=tf.float32))
show("either", lambda: [v1.convert_to_tensor_or_sparse_tensor(eye), v1.convert_to_tensor_or_indexed_slices([1])])
print(v1.test.is_built_with_rocm(), v1.test.is_built_with_gpu_support() in (True, False))


def words(*lists):
    return tf.RaggedTensor.from_row_lengths([one for row in lists for one in row], [len(row) for row in lists]).to_sparse()


made, wanted = words("kitten", "ab", ""), words("sitting", "", "a")
show("edit_distance", lambda: [tf.edit_distance(made, wanted), tf.edit_distance(made, wanted, normalize=False)])
show("traced distance", lambda: tf.function(tf.edit_distance)(made, wanted))
show("no sparse", lambda: v1.edit_distance([1], [1]))
