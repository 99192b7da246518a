import tensorflow.compat.v1 as tf
import numpy as np
import os, tempfile
tf.disable_eager_execution()
tf.reset_default_graph(); tf.set_random_seed(1)
d = tempfile.mkdtemp()
x = tf.placeholder(tf.float32, [None, 3], name="x"); y_ = tf.placeholder(tf.int64, [None], name="y")
keep = tf.placeholder_with_default(1.0, [])
W1 = tf.Variable(tf.zeros([3, 4]) + 0.1, name="W1"); b1 = tf.Variable(tf.zeros([4]), name="b1")
h = tf.nn.relu(tf.matmul(x, W1) + b1)
W2 = tf.get_variable("W2", [4, 2], initializer=tf.constant_initializer(0.2)); b2 = tf.get_variable("b2", initializer=tf.zeros([2]))
logits = tf.nn.xw_plus_b(tf.nn.dropout(h, rate=1 - keep), W2, b2)
cross_entropy = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_, logits=logits))
acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y_), tf.float32))
gs = tf.train.get_or_create_global_step()
lr = tf.train.exponential_decay(0.5, gs, 5, 0.9, staircase=True)
opt = tf.train.MomentumOptimizer(lr, 0.9)
gv = opt.compute_gradients(cross_entropy)
capped = [(tf.clip_by_value(g, -1., 1.), v) for g, v in gv]
train = opt.apply_gradients(capped, global_step=gs)
ema = tf.train.ExponentialMovingAverage(0.9)
with tf.control_dependencies([train]): train_ema = ema.apply([W1])
print([v.name for _, v in gv])
tf.summary.scalar("loss", cross_entropy); tf.summary.histogram("W1", W1); merged = tf.summary.merge_all()
saver = tf.train.Saver(max_to_keep=2)
X = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]], np.float32); Y = np.array([0, 1, 1, 0])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)) as sess:
    writer = tf.summary.FileWriter(d + "/log", sess.graph)
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for i in range(12):
        _, l, s = sess.run([train_ema, cross_entropy, merged], feed_dict={x: X, y_: Y})
        writer.add_summary(s, i)
        if i % 4 == 0: print(i, "%.4f" % l, "%.3f" % sess.run(lr)); saver.save(sess, d + "/m", global_step=i)
    print("%.2f" % acc.eval({x: X, y_: Y}), sess.run(gs), tf.train.global_step(sess, gs))
    print(sess.run(ema.average(W1)).shape, ema.average_name(W1))
    print(os.path.basename(tf.train.latest_checkpoint(d)), [os.path.basename(p) for p in saver.last_checkpoints])
    writer.close(); print(len(os.listdir(d + "/log")))
    print(sess.run(tf.nn.moments(tf.constant([1., 2., 3.]), axes=[0])), 0)
    W1.load(np.zeros((3, 4), np.float32), sess); print(W1.eval().sum(), sess.run(W1.read_value()).shape)
with tf.Graph().as_default():
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
        u = tf.get_variable("u", [1], initializer=tf.ones_initializer()); u2 = tf.get_variable("u", [1])
    print(u is u2, u.name, tf.get_variable_scope().name == "")
    with tf.variable_scope("a") as sc: sc.reuse_variables(); print(tf.get_variable("u", [1]).name, sc.name, sc.reuse)
    try: 
        with tf.variable_scope("a", reuse=True): tf.get_variable("missing", [1])
    except ValueError as e: print(str(e)[:48])
    step = tf.train.create_global_step(); inc = tf.assign_add(step, 1)
    class H(tf.train.SessionRunHook):
        def begin(self): print("begin")
        def after_create_session(self, session, coord): print("after create")
        def before_run(self, ctx): return tf.train.SessionRunArgs(u)
        def after_run(self, ctx, values): print("after run", values.results)
        def end(self, session): print("end")
    with tf.train.MonitoredTrainingSession(checkpoint_dir=d + "/mts", hooks=[H(), tf.train.StopAtStepHook(last_step=2)], save_checkpoint_steps=1) as sess:
        while not sess.should_stop(): print(sess.run(inc))
    print(os.path.basename(tf.train.latest_checkpoint(d + "/mts")))
with tf.Graph().as_default():
    ds = tf.data.Dataset.range(4).batch(2); it = tf.data.make_one_shot_iterator(ds); n = it.get_next()
    it2 = tf.data.make_initializable_iterator(ds); n2 = it2.get_next()
    with tf.Session() as s:
        while True:
            try: print(s.run(n))
            except tf.errors.OutOfRangeError: print("end"); break
        s.run(it2.initializer); print(s.run(n2))
    with tf.train.SingularMonitoredSession() as s: print(s.run(tf.constant(1)) if False else "singular")
    print(tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES))
    tf.add_to_collection("mine", 3); print(tf.get_collection("mine"), tf.layers if False else "", tf.trainable_variables())
