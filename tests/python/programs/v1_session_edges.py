import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, None])
n = tf.placeholder_with_default(tf.constant(2), [], name="n")
y = tf.reduce_sum(x, axis=1) * tf.cast(n, tf.float32)
with tf.Session() as sess:
    print(sess.run(y, {x: [[1, 2], [3, 4]]}), sess.run(y, {x: [[1, 2, 3]], n: 5}))
    for bad in ({x: [1, 2]}, {}, {x: [["a"]]}):
        try:
            sess.run(y, bad)
        except (ValueError, tf.errors.InvalidArgumentError) as e:
            print("refused")
    handle = sess.partial_run_setup if False else None
    print(sess.run([], {}), sess.run({"a": n, "b": [n, (n,)]}))
    print(sess.run("n:0"), sess.run(tf.get_default_graph().get_tensor_by_name("n:0"), {n: 9}))
    try:
        sess.run("nothing:0")
    except (KeyError, ValueError) as e:
        print("refused")
    try:
        sess.run(3)
    except TypeError as e:
        print("TypeError")
    try:
        with tf.Graph().as_default():
            other = tf.constant(1)
        sess.run(other)
    except (ValueError, RuntimeError) as e:
        print("refused")
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    meta = tf.RunMetadata()
    print(sess.run(n, options=options, run_metadata=meta))
    call = sess.make_callable([y], feed_list=[x])
    print(call([[1.0, 1.0]]))
tf.get_default_graph().finalize()
try:
    tf.constant(1)
except RuntimeError as e:
    print("RuntimeError")
g = tf.Graph()
with g.as_default():
    q = tf.constant([1, 2, 3], name="q")
    u = tf.unstack(q)
    w = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * 2), [0, 1])
    c = tf.cond(tf.equal(u[0], 1), lambda: tf.constant("yes"), lambda: tf.constant("no"))
    cs = tf.case([(tf.less(u[0], 0), lambda: tf.constant(1))], default=lambda: tf.constant(2))
    grads = tf.gradients(tf.square(tf.cast(q, tf.float32)), q)
    t = tf.Variable(3.0)
    gs = tf.gradients([t * t, t * 2], [t], grad_ys=[1.0, 10.0])
    h = tf.hessians(t ** 3, t)
    with tf.control_dependencies([t.assign(4.0)]):
        after = t.read_value()
    init = tf.global_variables_initializer()
with tf.Session(graph=g) as sess:
    sess.run(init)
    print(sess.run([u[1], w[1], c, cs]), grads, sess.run(gs), sess.run(h))
    print(sess.run(after), sess.run(t), t.eval(), q.eval())
    t.load(7.0, sess)
    print(sess.run(t))
print(sess._closed if False else "-")
try:
    sess.run(t)
except RuntimeError as e:
    print("RuntimeError")
config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False, intra_op_parallelism_threads=1)
config.gpu_options.allow_growth = True
with tf.Session(graph=g, config=config) as sess:
    try:
        sess.run(t)
    except tf.errors.FailedPreconditionError:
        print("FailedPreconditionError")
