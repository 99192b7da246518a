import os
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
w = tf.get_variable("w", [2], initializer=tf.constant_initializer(1.0))
b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
ema = tf.train.ExponentialMovingAverage(0.5)
step = tf.train.get_or_create_global_step()
with tf.control_dependencies([w.assign_add([1.0, 2.0]), b.assign_add(1.0)]):
    average = ema.apply([w, b])
train = tf.group(average, tf.assign_add(step, 1))
print(ema.average_name(w), ema.average(w).name)
print(sorted(ema.variables_to_restore()))
saver = tf.train.Saver(max_to_keep=2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        sess.run(train)
        print(saver.save(sess, "logs/model", global_step=step), sess.run([w, ema.average(w), b, ema.average(b)]))
    print(saver.last_checkpoints)
print(tf.train.latest_checkpoint("logs"))
print([(n, s) for n, s in tf.train.list_variables("logs/model-4")])
restore = tf.train.Saver(ema.variables_to_restore())
with tf.Session() as sess:
    restore.restore(sess, "logs/model-4")
    print(sess.run([w, b]))
only = tf.train.Saver({"w": b if False else w})
with tf.Session() as sess:
    only.restore(sess, "logs/model-3")
    print(sess.run(w))
    try:
        sess.run(b)
    except tf.errors.FailedPreconditionError as e:
        print("FailedPreconditionError")
    print(sess.run(tf.report_uninitialized_variables()))
tf.reset_default_graph()
v = tf.get_variable("other", [3])
with tf.Session() as sess:
    try:
        tf.train.Saver().restore(sess, "logs/model-4")
    except tf.errors.NotFoundError as e:
        print("NotFoundError", "other" in str(e))
tf.reset_default_graph()
w = tf.get_variable("w", [3])
with tf.Session() as sess:
    try:
        tf.train.Saver().restore(sess, "logs/model-4")
    except (tf.errors.InvalidArgumentError, ValueError) as e:
        print("InvalidArgumentError")
tf.reset_default_graph()
w = tf.get_variable("renamed", [2])
tf.train.init_from_checkpoint("logs/model-4", {"w": "renamed"})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(w))
tf.reset_default_graph()
try:
    tf.train.Saver()
except ValueError as e:
    print("ValueError", e)
x = tf.get_variable("x", [2], initializer=tf.ones_initializer())
saver = tf.train.Saver([x], max_to_keep=1, keep_checkpoint_every_n_hours=1, save_relative_paths=True)
with tf.Session() as sess:
    sess.run(x.initializer)
    saver.save(sess, "rel/m", write_meta_graph=False)
    saver.save(sess, "rel/m", global_step=7, write_meta_graph=False)
print(sorted(f for f in os.listdir("rel")))
print(open("rel/checkpoint").read())
