import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

flags = tf.app.flags
flags.DEFINE_string("job_name", "worker", "Either ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of the task")
flags.DEFINE_float("learning_rate", 0.5, "Initial learning rate")
flags.DEFINE_boolean("sync_replicas", False, "synchronous")
flags.DEFINE_list("ps_hosts", "localhost:2222,localhost:2223", "hosts")
flags.DEFINE_enum("mode", "train", ["train", "eval"], "mode")
FLAGS = flags.FLAGS

def next_batch(i):
    x = (np.arange(8 * 4).reshape(8, 4) + i) % 7 / 7.0
    return x.astype("float32"), np.eye(3, dtype="float32")[(x.sum(1) * 7).astype(int) % 3]

def main(_):
    print(FLAGS.job_name, FLAGS.task_index, FLAGS.learning_rate, FLAGS.sync_replicas, FLAGS.ps_hosts, FLAGS.mode)
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y_ = tf.placeholder(tf.float32, [None, 3])
    with tf.variable_scope("softmax"):
        W = tf.get_variable("W", [4, 3], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", shape=[3], initializer=tf.constant_initializer(0.1))
    y = tf.nn.xw_plus_b(x, W, b, name="logits")
    cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=y))
    global_step = tf.train.get_or_create_global_step()
    train_step = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(cross_entropy, global_step=global_step)
    correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    tf.summary.scalar("loss", cross_entropy)
    tf.summary.histogram("W", W)
    merged = tf.summary.merge_all()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter("logs", sess.graph)
        for i in range(5):
            xs, ys = next_batch(i)
            summary, _, loss = sess.run([merged, train_step, cross_entropy], feed_dict={x: xs, y_: ys})
            writer.add_summary(summary, i)
            print("step %d loss %.4f" % (sess.run(global_step), loss))
        print("accuracy", sess.run(accuracy, {x: xs, y_: ys}), accuracy.eval(feed_dict={x: xs, y_: ys}))
        print(W.eval().round(4)[0], b.eval(session=sess).round(4))
        other = tf.Summary(value=[tf.Summary.Value(tag="accuracy", simple_value=0.5)])
        writer.add_summary(other, 10); writer.close()
        print(isinstance(summary, bytes))
    tags = []
    import glob
    for event in tf.train.summary_iterator(glob.glob("logs/*")[0]):
        for value in event.summary.value: tags.append((event.step, value.tag))
    print(tags)

if __name__ == "__main__":
    try:
        tf.app.run(main)
    except SystemExit as e:
        print("exit", e.code)
