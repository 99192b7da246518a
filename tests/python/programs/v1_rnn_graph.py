import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
np.random.seed(0); tf.set_random_seed(1)
STEPS, BATCH, DIM, UNITS = 4, 3, 2, 5
x = tf.placeholder(tf.float32, [BATCH, STEPS, DIM]); y = tf.placeholder(tf.float32, [BATCH, 1])
with tf.variable_scope("rnn", initializer=tf.constant_initializer(0.1)):
    Wx = tf.get_variable("Wx", [DIM, UNITS]); Wh = tf.get_variable("Wh", [UNITS, UNITS]); b = tf.get_variable("b", [UNITS])
h = tf.zeros([BATCH, UNITS])
for t in range(STEPS): h = tf.tanh(tf.matmul(x[:, t], Wx) + tf.matmul(h, Wh) + b)
with tf.variable_scope("out"): V = tf.get_variable("V", [UNITS, 1], initializer=tf.ones_initializer())
pred = tf.matmul(h, V); loss = tf.losses.mean_squared_error(y, pred)
opt = tf.train.AdamOptimizer(0.05); gvs = opt.compute_gradients(loss); print([v.op.name for g, v in gvs])
clipped = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in gvs]; train = opt.apply_gradients(clipped)
ema = tf.train.ExponentialMovingAverage(0.5)
with tf.control_dependencies([train]): keep = ema.apply([V])
count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False); bump = tf.assign_add(count, 1.0)
with tf.control_dependencies([keep]): step = tf.group(bump)
with tf.control_dependencies([bump]): only = tf.no_op(name="only")
xs = np.random.rand(BATCH, STEPS, DIM); ys = xs.sum((1, 2))[:, None]
saver = tf.train.Saver(max_to_keep=2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4): _, l = sess.run([step, loss], {x: xs, y: ys}); print(i, round(float(l), 2))
    print(sess.run(V).ravel().round(3), sess.run(ema.average(V)).ravel().round(3))
    sess.run(only); print(sess.run(count), only.name)
    path = saver.save(sess, "./model.ckpt", global_step=4); print(path)
    sess.run(tf.assign(b, tf.zeros([UNITS])))
    saver.restore(sess, path); print(sess.run(b).round(3))
    print([v.name for v in tf.trainable_variables()], tf.train.latest_checkpoint("."))
    # loop in the graph
    n = tf.placeholder(tf.int32, [])
    _, state = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.tanh(tf.matmul(x[:, 0], Wx) + tf.matmul(s, Wh))), [0, tf.zeros([BATCH, UNITS])])
    print(sess.run(state, {x: xs, n: 3}).shape, sess.run(tf.reduce_sum(x[:, :n]), {x: np.ones_like(xs), n: 2}), sess.run(tf.zeros([n, 2]), {n: 3}).shape)
