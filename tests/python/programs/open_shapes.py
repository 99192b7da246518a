# Variables of open shapes: any value that fits the declared shape may be assigned; in a graph each session has its own.
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def attempt(what, f):
    try:
        print(what, "->", f())
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        print(what, "!!", str(error).split("\n")[0].replace("{{function_node __wrapped__AssignAddVariableOp_device_/job:localhost/"
                                                            "replica:0/task:0/device:CPU:0}} ", "").split(" [Op:")[0])


v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
print(v.shape, v.dtype, v, repr(v))
v.assign([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(v.shape, v.numpy(), tf.shape(v).numpy(), v.value().shape, v.read_value().shape, (v + 1).shape)
print(v.assign(7.0).numpy(), v.value().shape)
w = tf.Variable(np.zeros((2, 3), np.float32), shape=[None, 3], name="w")
print(w.shape, w.shape.rank, w.shape[0], w.shape.as_list(), w)
w.assign(np.ones((4, 3), np.float32))
print(w.numpy().shape, tf.reduce_sum(w).numpy(), w.shape, w.trainable, isinstance(w, tf.Variable))
attempt("bad", lambda: w.assign(np.ones((4, 2), np.float32)))
attempt("bad rank", lambda: w.assign(np.ones((4,), np.float32)))
attempt("first", lambda: tf.Variable(np.zeros((2, 2), np.float32), shape=[None, 3]))
attempt("closed", lambda: tf.Variable([1.0, 2.0, 3.0], shape=[2]))
attempt("add", lambda: w.assign_add(np.ones((4, 3), np.float32)).numpy().sum())
attempt("add bad", lambda: w.assign_add(np.ones((2, 3), np.float32)).numpy().sum())
attempt("sub", lambda: w.assign_sub(np.ones((4, 3), np.float32)).numpy().sum())


@tf.function
def grow(x):
    print("tracing", w.shape, v.shape, w.value().shape, (w * 2).shape, v.read_value().shape)
    w.assign(tf.concat([w, x], 0))
    return tf.shape(w), tf.reduce_sum(w)


for _ in range(3):
    print([one.numpy() for one in grow(tf.ones([2, 3]))])
with tf.GradientTape(persistent=True) as tape:
    y = tf.reduce_sum(w * w) + v
g = tape.gradient(y, [w, v])
print(g[0].shape, g[0].numpy().sum(), g[1].numpy())
print(w.scatter_add(tf.IndexedSlices(tf.ones([1, 3]), [0])).numpy()[:2], tf.gather(w, [0, 1]).numpy(), w.sparse_read([0, 2]).shape, w[0].numpy())
with tf.Graph().as_default():
    p = v1.placeholder(tf.float32, None)
    q = v1.placeholder(tf.float32, [None, 2])
    a = v1.Variable([1, 2, 3], validate_shape=False, name="a")
    c = v1.Variable(q, validate_shape=False, name="c", shape=[None, 2])
    d = v1.Variable(p, name="d")
    e = v1.get_variable("e", initializer=p, validate_shape=False)
    print(a.shape, c.shape, d.shape, e.shape, d, [one.name for one in v1.global_variables()])
    slope = tf.gradients(tf.reduce_sum(c * c), c)[0]
    more = c.assign(tf.concat([c, c], 0))
    again = v1.assign(e, [[5.0, 6.0]], validate_shape=False)
    with v1.Session() as s:
        print(s.run(v1.report_uninitialized_variables()))
        s.run(v1.global_variables_initializer(), {p: [[1.0, 2.0], [3.0, 4.0]], q: [[5.0, 6.0]]})
        print(s.run([a, c, d, e, slope, tf.shape(d)]))
        print(s.run(more), s.run(slope), s.run(again), s.run(e))
        s.run(d.initializer, {p: 5.0})
        print(s.run([d, d + 1]), s.run(v1.report_uninitialized_variables()))
    with v1.Session() as s:
        s.run(c.initializer, {q: [[0.0, 1.0]]})
        print(s.run(c), s.run(v1.report_uninitialized_variables()))
