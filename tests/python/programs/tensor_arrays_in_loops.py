import tensorflow as tf

@tf.function
def grow(n):
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
    def body(i, a):
        return i + 1, a.write(i, i * i)
    _, a = tf.while_loop(lambda i, a: i < n, body, [0, array])
    return a.stack()
print(grow(tf.constant(5)).numpy())
print(grow(tf.constant(0)).numpy())

@tf.function
def inner(n):
    def body(i, total):
        a = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
        a = a.write(0, i)
        a = a.write(1, i * 2)
        return i + 1, total + tf.reduce_sum(a.stack())
    return tf.while_loop(lambda i, t: i < n, body, [0, 0])
print([int(x) for x in inner(tf.constant(4))])

@tf.function
def backwards(n):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        array = array.write(n - 1 - i, tf.cast(i, tf.float32))
    return array.stack()
print(backwards(tf.constant(4)).numpy())

@tf.function
def twice(n):
    array = tf.TensorArray(tf.float32, size=2, dynamic_size=True)
    for i in tf.range(n):
        array = array.write(i, tf.cast(i, tf.float32))
        array = array.write(i, tf.cast(i + 10, tf.float32))
    return array.stack(), array.size()
s, n = twice(tf.constant(4))
print(s.numpy(), n.numpy())

@tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
def columns(x):
    n = tf.shape(x)[1]
    array = tf.TensorArray(tf.float32, size=n)
    for i in tf.range(n):
        array = array.write(i, x[:, i] * 2.0)
    return tf.transpose(array.stack())
print(columns(tf.reshape(tf.range(6.0), [2, 3])).numpy())
print(columns(tf.reshape(tf.range(4.0), [4, 1])).numpy())

@tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
def recur(x):
    n = tf.shape(x)[1]
    state = tf.zeros([tf.shape(x)[0]])
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        state = state * 0.5 + x[:, i]
        array = array.write(i, state)
    return array.stack()
x = tf.reshape(tf.range(6.0), [2, 3])
print(recur(x).numpy())
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(recur(x) * 2.0)
print(tape.gradient(y, x).numpy())

@tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
def loopy(x):
    array = tf.TensorArray(tf.float32, size=tf.shape(x)[1], element_shape=[None])
    def body(i, a):
        return i + 1, a.write(i, x[:, i])
    return tf.while_loop(lambda i, a: i < tf.shape(x)[1], body, [0, array])[1].stack()
print(loopy(x).numpy(), loopy(x).shape)
ta = tf.TensorArray(tf.float32, size=2)
ta = ta.write(0, 1.0)
print(ta.stack().numpy())
print(tf.map_fn(lambda r: tf.reduce_sum(r), tf.ragged.constant([[1, 2], [3]]), fn_output_signature=tf.int32).numpy())
print(tf.vectorized_map(lambda r: tf.reduce_sum(r) * r, tf.constant([[1., 2.], [3., 4.]])).numpy())

@tf.function
def unstacked(x):
    ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
    out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(3):
        out = out.write(out.size(), ta.read(i) + ta.read(0))
        if i > 0:
            out = out.write(out.size(), ta.read(i) * 100.0)
    return out.stack(), out.concat() if False else out.size()
a, b = unstacked(tf.constant([1., 2., 3.]))
print(a.numpy(), b.numpy())
