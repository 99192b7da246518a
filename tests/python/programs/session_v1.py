import tensorflow as tf
tf1 = tf.compat.v1
tf1.disable_eager_execution()
import numpy as np
x = tf1.placeholder(tf.float32, shape=[None, 2], name="x")
y = tf1.placeholder(tf.float32, shape=[None], name="y")
with tf1.variable_scope("linear"):
    w = tf1.get_variable("w", shape=[2, 1], initializer=tf1.zeros_initializer())
    b = tf1.get_variable("b", shape=[], initializer=tf1.constant_initializer(0.5))
pred = tf1.squeeze(tf.matmul(x, w), 1) + b
loss = tf1.reduce_mean(tf1.square(pred - y))
global_step = tf1.train.get_or_create_global_step()
opt = tf1.train.GradientDescentOptimizer(learning_rate=0.1)
train_op = opt.minimize(loss, global_step=global_step)
init = tf1.global_variables_initializer()
saver = tf1.train.Saver()
print(x, y)
print(w.name, b.name, [v.name for v in tf1.trainable_variables()])
print(pred.name, loss.name, loss.shape, pred.shape)
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32); Y = np.array([1, 3, 4, 6], dtype=np.float32)
with tf1.Session() as sess:
    sess.run(init)
    for i in range(200):
        _, l = sess.run([train_op, loss], feed_dict={x: X, y: Y})
        if i % 50 == 0: print(i, "%.4f" % l)
    print(sess.run(global_step), sess.run(w).round(3).tolist(), "%.3f" % sess.run(b))
    import tempfile, os
    d = tempfile.mkdtemp()
    p = saver.save(sess, os.path.join(d, "model.ckpt"), global_step=global_step)
    print(os.path.basename(p), sorted(f for f in os.listdir(d) if not f.endswith("meta")))
    sess.run(tf1.assign(b, 100.0)); print(sess.run(b))
    saver.restore(sess, p); print("%.3f" % b.eval())
    print(sess.run(pred, {x: [[2., 2.]]}).round(2))
    try: sess.run(pred)
    except tf.errors.InvalidArgumentError as e: print("InvalidArgumentError", "x" in str(e))
    try: sess.run(pred, feed_dict={x: [[1., 2., 3.]]})
    except ValueError as e: print(e)
try: sess.run(b)
except RuntimeError as e: print(str(e)[:34])
g = tf.Graph()
with g.as_default():
    c = tf.constant([1., 2.], name="c"); d2 = tf1.add(c, c, name="d")
    print(c, d2.op.name, d2.op.type, len(g.get_operations()) > 1)
    v = tf.Variable(3, name="v"); a = tf1.assign_add(v, 2)
    with tf.control_dependencies([a]): r = tf.identity(v)
    gr = tf.gradients(d2, c)
with tf1.Session(graph=g) as s:
    try: s.run(v)
    except tf.errors.FailedPreconditionError as e: print("FailedPreconditionError")
    s.run(v.initializer); print(s.run(r), s.run(v), s.run(gr), s.run({"k": [d2, c]}), s.run(("d:0")))
print(g.get_tensor_by_name("d:0"), tf1.get_default_graph() is g)
print(b in tf1.get_collection(tf1.GraphKeys.TRAINABLE_VARIABLES))
with tf1.variable_scope("linear", reuse=True):
    w2 = tf1.get_variable("w", shape=[2, 1]); print(w2 is w)
try:
    with tf1.variable_scope("linear"): tf1.get_variable("w", shape=[2, 1])
except ValueError as e: print(str(e)[:46])
