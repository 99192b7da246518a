import tensorflow as tf

x = tf.reshape(tf.range(12.0), (4, 3))
n = tf.constant(2)
def show(name, f, *args):
    r = tf.function(f)(*args)
    print(name, [t.numpy().tolist() for t in tf.nest.flatten(r)])
show("range", lambda n: tf.range(n), n)
show("range2", lambda n: tf.range(1, n * 3, 2) * 2, n)
show("range float", lambda n: tf.cast(tf.range(n), tf.float32) + 1.0, n)
show("zeros", lambda n: tf.zeros([n, 2]), n)
show("zeros2", lambda n: tf.zeros(n), n)
show("ones", lambda n: tf.ones((n, n)), n)
show("fill", lambda n: tf.fill([n], 3.5), n)
show("fill value", lambda n: tf.fill([n, 2], tf.cast(n, tf.float32)), n)
show("reshape", lambda n: tf.reshape(x, [n, -1]), n)
show("reshape2", lambda n: tf.reshape(x, [-1, n]), n)
show("reshape3", lambda t: tf.reshape(t, tf.concat([tf.shape(t)[:1], [-1]], 0)), tf.ones((2, 2, 2)))
show("tile", lambda n: tf.tile(x[:1], [n, 1]), n)
show("broadcast", lambda n: tf.broadcast_to(x[0], [n, 3]), n)
show("repeat", lambda n: tf.repeat(x[0], n), n)
show("repeat2", lambda r: tf.repeat(x[:, 0], r), tf.constant([0, 1, 2, 1]))
show("one_hot", lambda n: tf.one_hot([0, 1], n), n)
show("eye", lambda n: tf.eye(n), n)
show("pad", lambda n: tf.pad([1, 2], [[n, 0]]), n)
show("pad2", lambda n: tf.pad(x[:2], [[0, n - 2], [n, 1]]), n)
show("linspace", lambda n: tf.linspace(0.0, 1.0, n + 1), n)
show("sequence_mask", lambda l: tf.sequence_mask(l), tf.constant([1, 3]))
show("sequence_mask2", lambda l: tf.sequence_mask(l, tf.reduce_max(l), tf.float32), tf.constant([1, 2]))
show("top_k", lambda n: tf.math.top_k(x[:, 0], n).values, n)
show("slice", lambda n: tf.slice(x, [n, 0], [1, 2]), n)
show("slice2", lambda n: tf.slice(x, [0, 0], [n, -1]), n)
show("strided", lambda n: tf.strided_slice(x, [0, n - 2], [n, n], [1, 1]), n)
show("index2", lambda n: x[n, n], n)
show("index rev", lambda n: x[n::-1, 0], n)
show("neg", lambda n: x[-n:, 1], n)
show("gather", lambda n: tf.gather(x, n), n)
show("roll", lambda n: tf.roll(x[:, 0], n, 0), n)
show("where", lambda t: tf.where(t > 5.0)[:, 0], x)
show("mask", lambda t: tf.boolean_mask(t, t > 5.0) * 2, x)
show("unique", lambda t: tf.unique(t)[0] + 1, tf.constant([1, 1, 2]))
show("scatter", lambda n: tf.scatter_nd([[0]], [1.0], [n]), n)
show("expand", lambda n: tf.expand_dims(tf.range(n), 1), n)
show("meshgrid", lambda n: tf.meshgrid(tf.range(n), tf.range(3)), n)
show("cumsum", lambda n: tf.cumsum(tf.ones([n])), n)
show("stack shape", lambda t: tf.shape(t) * 2, x)
show("size", lambda n: tf.size(tf.zeros([n, 3])), n)
show("while", lambda n: tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, tf.concat([a, [i]], 0)), [0, tf.zeros([0], tf.int32)], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])]), n)
show("map_fn", lambda n: tf.map_fn(lambda i: i * 2, tf.range(n)), n)
show("matmul", lambda n: tf.matmul(tf.ones([2, n]), tf.ones([n, 2])), n)
show("reduce", lambda n: tf.reduce_mean(tf.zeros([n, 2]) + 4.0, 0), n)
show("dense", lambda n: tf.nn.softmax(tf.zeros([n, 2])), n)
show("cond shapes", lambda n: tf.cond(n > 1, lambda: tf.zeros([2]), lambda: tf.zeros([3])), n)
@tf.function
def grow(k):
    out = tf.constant([], tf.int32)
    for i in tf.range(k):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(out, tf.TensorShape([None]))])
        out = tf.concat([out, [i * i]], 0)
    return out
print(grow(tf.constant(4)).numpy())
@tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
def batches(t):
    b, w = tf.shape(t)[0], tf.shape(t)[1]
    half = w // 2
    left, right = t[:, :half], t[:, half:]
    z = tf.zeros([b, 1])
    return tf.concat([z, right, left], 1), tf.reshape(t, [b * w]), tf.reshape(t, [w, b])[:1]
print([r.numpy().tolist() for r in batches(x)])
@tf.function
def grads(v, k):
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(v[:k] ** 2) + tf.reduce_sum(tf.reshape(v, [k, -1])[0]) + tf.reduce_sum(tf.tile(v, [k]))
    return tape.gradient(y, v)
print(grads(tf.constant([1.0, 2.0, 3.0, 4.0]), n).numpy())
ds = tf.data.Dataset.range(1, 5).map(lambda n: tf.range(n)).padded_batch(4)
print(next(iter(ds)).numpy().tolist())
ds = tf.data.Dataset.range(2, 4).map(lambda n: tf.fill([n], n)); print([d.numpy().tolist() for d in ds])
ds = tf.data.Dataset.from_tensors(tf.range(10)).flat_map(lambda t: tf.data.Dataset.range(3).map(lambda i: t[i * 2:i * 2 + 3])); print([d.numpy().tolist() for d in ds], ds.element_spec)
def crop(t, s):
    start = tf.random.uniform([], 0, 3, tf.int32)
    return t[start:start + 2], t[s:]
for a, b in tf.data.Dataset.from_tensor_slices((tf.reshape(tf.range(10), (2, 5)), [1, 2])).map(crop): print(a.shape, b.numpy())
