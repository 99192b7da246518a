# keras.ops of sparse tensors: which results are sparse, and their values.
import numpy as np
import tensorflow as tf

keras = tf.keras
ops = keras.ops


def plain(value):
    array = np.asarray(value)
    return np.round(array.astype("float64"), 4).tolist() if array.dtype.kind == "f" else array.tolist()


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    for one in made if isinstance(made, (list, tuple)) else [made]:
        if isinstance(one, tf.SparseTensor):
            print(name, "sparse", one.indices.numpy().tolist(), plain(one.values), one.dtype.name,
                  one.dense_shape.numpy().tolist())
        else:
            print(name, plain(one), getattr(getattr(one, "dtype", None), "name", ""))


x = tf.SparseTensor([[0, 1], [0, 3], [2, 0]], [0.5, 1.0, -0.25], [3, 4])
y = tf.SparseTensor([[0, 1], [1, 2]], [5.0, 7.0], [3, 4])
z = x.with_values(tf.constant([1.0, 2.0, 3.0]))
dense = tf.constant(np.arange(12, dtype="float32").reshape(3, 4) + 1)
ints = tf.SparseTensor([[0, 0], [1, 2]], [3, -2], [2, 3])
unary = ("abs absolute arccos arccosh arcsin arcsinh arctan arctanh ceil conj conjugate copy cos cosh exp exp2 expm1 floor imag isfinite "
         "log log10 log1p log2 negative real reciprocal round sign sin sinh sqrt square tan tanh").split()
for name in unary:
    show(name, lambda: getattr(ops, name)(x))
for name in ("absolute", "negative", "square", "exp", "sqrt", "sign"):
    show(name + " of ints", lambda: getattr(ops, name)(ints))
for name in "add subtract multiply maximum minimum divide true_divide".split():
    op = getattr(ops, name)
    show(name, lambda: op(x, y))
    show(name + " same places", lambda: op(x, z))
    show(name + " dense", lambda: op(x, dense))
    show(name + " by dense", lambda: op(dense, x))
    show(name + " scalar", lambda: op(x, 2.0))
    show(name + " by scalar", lambda: op(2.0, x))
show("divide by zeros", lambda: ops.divide(x, tf.constant(np.array([[1, 2, 0, 4], [1, 0, 1, 1], [2, 2, 2, 2]], "float32"))))
right = tf.constant(np.arange(8, dtype="float32").reshape(4, 2))
show("matmul", lambda: ops.matmul(x, right))
show("matmul by sparse", lambda: ops.matmul(tf.ones([2, 3]), x))
show("matmul both", lambda: ops.matmul(x, tf.sparse.transpose(y)))
show("sum", lambda: [ops.sum(x), ops.sum(x, axis=0), ops.sum(x, axis=1, keepdims=True), ops.sum(x, axis=(0, 1))])
show("mean", lambda: [ops.mean(x, axis=1), ops.mean(x), ops.mean(x, axis=0, keepdims=True)])
show("max", lambda: [ops.max(x, axis=1), ops.max(x)])
show("transpose", lambda: [ops.transpose(x), ops.transpose(x, (0, 1))])
show("reshape", lambda: [ops.reshape(x, (4, 3)), ops.reshape(x, (-1,))])
show("expand_dims", lambda: [ops.expand_dims(x, 0), ops.expand_dims(x, -1), ops.expand_dims(x, (0, 2))])
show("squeeze", lambda: [ops.squeeze(ops.expand_dims(x, 1)), ops.squeeze(ops.expand_dims(x, 1), 1)])
show("concatenate", lambda: [ops.concatenate([x, y]), ops.concatenate([x, y], axis=1), ops.concatenate([x, dense], axis=1)])
show("cast", lambda: ops.cast(x, "int32"))
show("convert", lambda: [ops.convert_to_tensor(x), ops.convert_to_tensor(x, sparse=True), ops.convert_to_tensor(x, sparse=False),
                         ops.convert_to_tensor(x, dtype="float16")])
show("numpy", lambda: ops.convert_to_numpy(x))
print(ops.is_tensor(x), ops.shape(x), keras.backend.is_keras_tensor(keras.Input((2,), sparse=True)))
show("take", lambda: ops.take(right, tf.sparse.from_dense(np.array([[1, 0], [3, 2]])), axis=0))
show("one_hot", lambda: [ops.one_hot([0, 2, -1], 3, sparse=True), ops.one_hot([[1], [0]], 2, dtype="int32", sparse=True)])
show("multi_hot", lambda: [ops.multi_hot(tf.constant([[0, 2, 2], [1, 1, 0]]), 3, sparse=True), ops.multi_hot(tf.constant([0, 2]), 3, sparse=True)])
show("bincount", lambda: ops.bincount([1, 1, 3], sparse=True))
show("bincount rows", lambda: ops.bincount([[1, 1, 3], [0, 2, 2]], minlength=5, sparse=True))
show("bincount weights", lambda: ops.bincount([[1, 1, 3], [0, 2, 2]], weights=[[1.0, 2, 3], [4, 5, 6]], sparse=True))
show("isnan", lambda: ops.isnan(x))
show("where", lambda: ops.where(dense > 3, dense, x))
show("greater", lambda: ops.greater(x, 0))
show("relu", lambda: ops.relu(x))


@tf.function
def traced(s, t):
    return ops.add(s, t), ops.multiply(s, t), ops.matmul(s, right), ops.sum(s, axis=1)


show("traced", lambda: traced(x, y))
with tf.GradientTape() as tape:
    tape.watch([right, x.values])
    loss = tf.reduce_sum(ops.matmul(x, right) ** 2)
show("gradients", lambda: [tf.convert_to_tensor(g) for g in tape.gradient(loss, [right, x.values])])
