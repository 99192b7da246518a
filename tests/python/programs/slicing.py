import numpy as np
import tensorflow as tf

t = tf.reshape(tf.range(60), (3, 4, 5))
print(t[0], t[-1, 1].numpy(), t[..., 0].numpy(), t[:, 1:3, ::2].numpy(), t[::-1, 0, 0].numpy())
print(t[tf.newaxis, ..., tf.newaxis].shape, t[1:, None].shape, t[:, -2:, 3].numpy(), t[2, 3, 4].numpy())
i = tf.constant(1)
print(t[i].numpy(), t[i, :i + 1, 2].numpy(), t[i:].shape, t[..., i:3].shape)
print(t[np.int64(2)].shape, t[0][1][2].numpy())
print(tf.slice(t, [0, 1, 2], [2, -1, 1]).numpy(), tf.strided_slice(t, [0, 0, 0], [3, 4, 5], [2, 2, 2]).numpy())
print(tf.gather(t, [2, 0], axis=1).shape, tf.gather_nd(t, [[0, 1], [2, 3]]).numpy(), tf.gather_nd(t, [[0, 1, 2]]).numpy(), tf.gather(t, [[0], [1], [2]], batch_dims=1, axis=1).shape)
m = tf.constant([[1, 2], [3, 4], [5, 6]])
print(tf.boolean_mask(m, [True, False, True]).numpy(), tf.boolean_mask(m, m > 2).numpy(), m[m > 3].numpy(), tf.where(m > 2).numpy(), tf.where(m > 2, m, -m).numpy())
print(tf.boolean_mask(m, [True, False], axis=1).numpy(), m[:, tf.constant(1)].numpy())
print(tf.tensor_scatter_nd_update(m, [[0], [2]], [[9, 9], [8, 8]]).numpy(), tf.tensor_scatter_nd_add(m, [[0, 1]], [10]).numpy(), tf.tensor_scatter_nd_sub(m, [[0, 1]], [10]).numpy())
print(tf.scatter_nd([[1], [3]], [10, 20], [5]).numpy(), tf.scatter_nd([[0], [0]], [1, 2], [2]).numpy())
print(tf.split(m, 3)[1].numpy(), [p.shape.as_list() for p in tf.split(t, [1, 3], axis=1)], [u.numpy().tolist() for u in tf.unstack(m, axis=1)], tf.stack([m, m], axis=-1).shape)
print(tf.tile(m, [1, 2]).numpy(), tf.repeat(m, [1, 0, 2], axis=0).numpy(), tf.repeat([1, 2], 3).numpy(), tf.reverse(m, [0]).numpy(), tf.roll(m, 1, 0).numpy(), tf.roll(m, [1, 1], [0, 1]).numpy())
print(tf.pad(m, [[1, 0], [0, 1]]).numpy(), tf.pad(m, [[1, 1], [1, 1]], "REFLECT").numpy(), tf.pad(m, [[1, 1], [1, 1]], "SYMMETRIC").numpy(), tf.pad(m, [[0, 1], [0, 0]], constant_values=7).numpy())
print(tf.expand_dims(m, -1).shape, tf.squeeze(tf.ones((1, 2, 1)), 0).shape, tf.squeeze(tf.ones((1, 2, 1))).shape, tf.transpose(t, [2, 0, 1]).shape, tf.transpose(m).numpy())
print(tf.concat([m, m], 1).numpy(), tf.broadcast_to([1, 2], (2, 2)).numpy(), tf.broadcast_dynamic_shape([2, 1], [1, 3]).numpy(), tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])))
print(tf.one_hot([0, 2, -1], 3, on_value=5, off_value=1).numpy(), tf.one_hot([[1]], 2, axis=1).shape, tf.sequence_mask([1, 3], 4).numpy(), tf.sequence_mask([1, 2], dtype=tf.float32).numpy())
print(tf.batch_to_space(tf.ones((4, 1, 1, 1)), [2, 2], [[0, 0], [0, 0]]).shape, tf.nn.space_to_depth(tf.ones((1, 2, 2, 1)), 2).shape, tf.nn.depth_to_space(tf.ones((1, 1, 1, 4)), 2).shape, tf.space_to_batch([[[[1], [2]], [[3], [4]]]], [2, 2], [[0, 0], [0, 0]]).numpy().ravel())
print(tf.dynamic_partition([1, 2, 3, 4], [0, 1, 0, 1], 2), tf.dynamic_stitch([[0, 2], [1, 3]], [[10, 30], [20, 40]]).numpy())
v = tf.Variable(tf.zeros((3, 3)))
v[0].assign([1.0, 2.0, 3.0]); v[1:, 1].assign([7.0, 8.0]); v[2, 2].assign(5.0)
print(v.numpy(), v[1].numpy(), v[:, 1].numpy())
v.scatter_nd_add([[0, 0]], [100.0]); v.scatter_update(tf.IndexedSlices([[1.0, 1.0, 1.0]], [2])); v.scatter_nd_update([[1, 0]], [-1.0])
print(v.numpy(), v.gather_nd([[0, 0]]).numpy(), v.sparse_read([0, 2]).numpy())
@tf.function
def window(x, start, size):
    return x[start:start + size]
print(window(tf.range(10), tf.constant(2), tf.constant(3)).numpy(), window(tf.range(10), tf.constant(8), tf.constant(5)).numpy())
@tf.function
def last(x, n):
    n = tf.minimum(n, tf.shape(x)[0])
    return x[-n:], x[: n - 1], x[::2], x[tf.newaxis, n - 1]
print([p.numpy().tolist() for p in last(tf.range(7), tf.constant(3))])
@tf.function
def cut(x, a, b):
    y = x[:, a:b]
    return y * 2, tf.shape(y)
print([p.numpy().tolist() for p in cut(m, tf.constant(0), tf.constant(1))])
@tf.function
def chunks(x, n):
    out = tf.TensorArray(tf.int32, size=0, dynamic_size=True, infer_shape=False)
    for k in tf.range(0, tf.size(x), n):
        out = out.write(k // n, tf.reduce_sum(x[k:k + n]))
    return out.stack()
print(chunks(tf.range(10), tf.constant(4)).numpy())
x = tf.Variable([1.0, 2.0, 3.0, 4.0])
@tf.function
def partial(k):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x[k:] ** 2) + x[k] + tf.reduce_sum(tf.slice(x, [k], [1]))
    return tape.gradient(y, x)
g = partial(tf.constant(2)); print(tf.convert_to_tensor(g).numpy())
for bad in (lambda: t[5], lambda: t["a"], lambda: t[1.5], lambda: tf.gather(m, [7]), lambda: tf.reshape(m, (4, 2)), lambda: tf.stack([m, [1, 2]]), lambda: tf.squeeze(m, 0), lambda: tf.tile(m, [1])):
    try:
        bad(); print("no error")
    except (tf.errors.InvalidArgumentError, TypeError) as error:
        print(type(error).__name__)
