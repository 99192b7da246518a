# Norms of matrices, ranges between tensors, cross entropies along other axes, tables in parts.
import tensorflow as tf


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    for one in made if isinstance(made, (list, tuple)) else [made]:
        values = one.numpy().round(4).tolist() if one.dtype.is_floating else one.numpy().tolist()
        print(name, one.dtype.name, one.shape, values)


def figures(name, call):
    """One figure of four digits for each element, whatever the last bit is."""
    made = call()
    print(name, made.shape, ["%.4g" % one for one in made.numpy().reshape(-1)])


matrix = tf.constant([[3.0, 4.0], [6.0, -8.5]])
for ord in (1, 2, float("inf"), "fro", "euclidean"):
    figures(f"norm {ord}", lambda: tf.norm(matrix, ord=ord, axis=[0, 1]))
    figures(f"norm {ord} kept", lambda: tf.norm(tf.stack([matrix, 2 * matrix]), ord=ord, axis=(-2, -1), keepdims=True))
figures("norm turned", lambda: tf.norm(matrix, ord=1, axis=[1, 0]))
figures("norm of rows", lambda: tf.norm(matrix, ord=3, axis=1))
figures("linalg.norm", lambda: tf.linalg.norm(matrix, ord=1, axis=[-2, -1]))
for ord in ("bad", -1, 0):
    show(f"vector norm {ord}", lambda: tf.norm([3.0, 4.0], ord=ord))
show("matrix norm 3", lambda: tf.norm(matrix, ord=3, axis=[0, 1]))

show("linspace", lambda: tf.linspace([0.0, 5.0], [10.0, 40.0], 5, axis=0))
show("linspace last", lambda: tf.linspace([0.0, 5.0], [10.0, 40.0], 5, axis=-1))
show("linspace middle", lambda: tf.linspace([[0, 1]], [[4, 3]], 3, axis=1))
show("linspace one", lambda: tf.linspace([0.0, 5.0], [10.0, 40.0], 1))
show("linspace none", lambda: tf.linspace(0.0, 1.0, 0))
show("traced linspace", lambda: tf.function(lambda a, b: tf.linspace(a, b, 3, axis=1))(tf.zeros([2]), tf.ones([2])))

labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
logits = tf.constant([[1.0, 2.0], [3.0, 5.0]])
for axis in (0, 1, -1):
    figures(f"cross entropy {axis}", lambda: tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis=axis))
figures("v1 cross entropy", lambda: tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=0))
figures("labels for all", lambda: tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], logits))
with tf.GradientTape() as tape:
    tape.watch(logits)
    loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis=0)
figures("its gradient", lambda: tape.gradient(loss, logits))

table = tf.constant([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
figures("rows", lambda: tf.nn.embedding_lookup(table, [0, 1, 2]))
figures("rows within 1", lambda: tf.nn.embedding_lookup(table, [[0, 1], [2, 2]], max_norm=1.0))
figures("rows of parts", lambda: tf.nn.embedding_lookup([table, 10 * table], [0, 3, 5, 1]))
parts = [table, 10 * table]
figures("mod", lambda: tf.compat.v1.nn.embedding_lookup(parts, [0, 3, 5, 1]))
figures("div", lambda: tf.compat.v1.nn.embedding_lookup(parts, [0, 3, 5, 1], partition_strategy="div"))
ids = tf.sparse.from_dense(tf.constant([[1, 2], [2, 0]], tf.int64))
figures("joined", lambda: tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum", max_norm=1.0))

show("clip", lambda: tf.clip_by_value([1, 5, 9], 2, 7))
show("clip by floats", lambda: tf.clip_by_value(tf.constant([1, 5, 9]), -3.1, 3.1))
show("sums as int32", lambda: tf.matmul(tf.constant([[1, 2]], tf.int8), tf.constant([[3], [100]], tf.int8), output_type=tf.int32))
show("turned twice", lambda: tf.matmul(matrix, matrix, transpose_a=True, adjoint_a=True))
show("count of texts", lambda: tf.math.count_nonzero(["a", "", "b"]))
show("means of whole numbers", lambda: tf.math.segment_mean([1, 2, 4], [0, 0, 1]))
show("accumulate_n", lambda: tf.math.accumulate_n([[1], [2]], shape=[1], tensor_dtype=tf.int32))
show("accumulate_n of others", lambda: tf.math.accumulate_n([[1], [2, 3]]))
show("no coefficients", lambda: tf.math.polyval([], 2.0))
show("einsum", lambda: tf.einsum("ij,jk->ik", matrix, matrix, fast=True))
