import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
# each version 1 optimizer keeps its slots from step to step
for make in (lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9), lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.AdagradOptimizer(0.1), lambda: tf.train.RMSPropOptimizer(0.1)):
    tf.reset_default_graph()
    w = tf.get_variable("w", initializer=[1.0, -2.0])
    loss = tf.reduce_sum(tf.square(w))
    step = tf.train.get_or_create_global_step()
    opt = make()
    grads = opt.compute_gradients(loss)
    train = opt.apply_gradients(grads, global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            sess.run(train)
        print(type(opt).__name__, [round(float(x), 4) for x in sess.run(w)], sess.run(step))
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, shape=(3,)); y = x * 2
    z = tf.identity(y, name="z")
    with tf.control_dependencies([tf.print("never shown") if False else tf.no_op()]):
        q = tf.identity(z) + 1
    print(z.name, q.dtype.name, x.op.type, tf.get_default_graph().get_tensor_by_name("z:0").name)
    with tf.Session() as s:
        print(s.run([y, q], {x: [1, 2, 3]}))
        print(s.run(q, feed_dict={y: [10., 20., 30.]}))
        f = s.make_callable(q, [x]); print(f([0, 0, 1]))
