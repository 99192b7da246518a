import tensorflow.compat.v1 as tf
tf.disable_eager_execution()

x = tf.Variable(1.0, name="x")
y = tf.Variable(2.0, name="y")
update = tf.assign_add(x, 0.5)
with tf.control_dependencies([update]):
    loss = tf.square(x) * y
grad = tf.gradients(loss, [x, y])
no_dep = tf.gradients(tf.square(y), y)[0]
grouped = tf.group(update, y.assign(3.0), name="grouped")
tup = tf.tuple([tf.identity(x), tf.identity(y)], control_inputs=[grouped])
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    print(sess.run(x), sess.run(y))
    print(sess.run(no_dep))
    print(sess.run(grouped))
    print(sess.run([x, y]))
    print(sess.run(tf.gradients(x * x, x)))
    print([type(r).__name__ for r in sess.run([loss, grad[0]])])
print(loss)
print(tf.trainable_variables())
with tf.Graph().as_default() as g:
    a = tf.constant(3.0, name="a")
    b = tf.placeholder(tf.float32, [], name="b")
    with tf.name_scope("scope"):
        c = tf.multiply(a, b, name="c")
        d = tf.add(c, 1.0)
    print(c.name, "a" in [op.name for op in g.get_operations()])
    with tf.Session() as s:
        print(s.run({"c": c, "d": d}, feed_dict={b: 2.0}))
        try:
            s.run(c)
        except tf.errors.InvalidArgumentError as e:
            print("InvalidArgumentError", "placeholder" in str(e).lower())
        h = s.partial_run_setup([c], [b]) if False else None
    e = tf.cond(tf.less(a, 5.0), lambda: tf.constant("less"), lambda: tf.constant("more"))
    i = tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 3), [tf.constant(0)])
    with tf.Session() as s:
        print(s.run(e), s.run(i))
        print(s.run(tf.Print(a, [a], message="a is ")))
with tf.Session(graph=g) as s:
    print(s.graph is g, tf.get_default_session() is s, tf.get_default_graph() is g)
s = tf.InteractiveSession()
z = tf.constant([[1., 2.], [3., 4.]])
print(z.eval(), tf.reduce_sum(z, reduction_indices=[1]).eval(), tf.matrix_inverse(z).eval().round(2))
print(tf.reduce_sum(z, axis=0, keep_dims=True).eval(), tf.to_float(tf.constant(2)).eval(), tf.shape(z).eval())
s.close()
