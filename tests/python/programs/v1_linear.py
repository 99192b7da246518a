import tensorflow.compat.v1 as tf
import numpy as np
tf.disable_v2_behavior()
tf.set_random_seed(1)
n_samples = 50; rng = np.random.RandomState(1)
train_X = rng.rand(n_samples).astype(np.float32); train_Y = (3 * train_X + 2).astype(np.float32)
X = tf.placeholder("float", [None]); Y = tf.placeholder("float", [None])
W = tf.Variable(0.1, name="weight"); b = tf.Variable(0.2, name="bias")
pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * n_samples)
optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(cost)
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(101):
        sess.run(optimizer, feed_dict={X: train_X, Y: train_Y})
        if epoch % 25 == 0:
            c = sess.run(cost, feed_dict={X: train_X, Y: train_Y})
            print("Epoch:", '%04d' % (epoch + 1), "cost=", "{:.6f}".format(c), "W=", "%.4f" % sess.run(W), "b=", "%.4f" % sess.run(b))
    print("Optimization Finished!")
    grads = tf.gradients(cost, [W, b])
    print([("%.4f" % g) for g in sess.run(grads, {X: train_X, Y: train_Y})])
    print(W.eval() > 2.5, sess.run([W, b])[0].dtype, sess.run({"w": W, "l": [b]})["l"][0].shape)
tf.reset_default_graph()
with tf.variable_scope("net"):
    x = tf.placeholder(tf.float32, [None, 3], name="input")
    with tf.variable_scope("layer1"):
        w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer()); bb = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
        h = tf.nn.relu(tf.matmul(x, w) + bb, name="hidden")
print([v.name for v in tf.global_variables()], h.name, x.name)
step = tf.train.get_or_create_global_step(); lr = tf.train.exponential_decay(0.1, step, 2, 0.5, staircase=True)
loss = tf.reduce_mean(tf.square(h - 1.0)); train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss, global_step=step)
saver = tf.train.Saver(max_to_keep=2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    data = np.ones([4, 3], np.float32)
    for _ in range(4):
        _, l, s, r = sess.run([train, loss, step, lr], {x: data}); print("%.4f" % l, "%.3f" % r)
    print(sess.run(step), sess.run(h, {"net/input:0": data[:1]}).round(3))
    tf.get_variable_scope().reuse_variables()
    with tf.variable_scope("net/layer1", reuse=True): print(tf.get_variable("w") is w)
    import tempfile, os
    path = saver.save(sess, os.path.join(tempfile.mkdtemp(), "m"), global_step=step); print(os.path.basename(path))
    sess.run(w.assign(np.zeros([3, 2]))); saver.restore(sess, path); print(sess.run(w).sum().round(3))
    c = tf.constant([[1, 2], [3, 4]]); print(sess.run(tf.reduce_sum(c, 0)), sess.run(tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))))
    i = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)]); print(sess.run(i))
g = tf.Graph()
with g.as_default():
    a = tf.constant(2.0); bq = tf.constant(3.0); total = tf.add(a, bq, name="total")
with tf.Session(graph=g) as s: print(s.run(total), total.graph is g, s.run("total:0"))
