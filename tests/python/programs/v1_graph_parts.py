"""What a graph keeps from runs, and batches of several sources."""
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
def told(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", str(e).split("\n")[0][:44])
graph = tf.get_default_graph()
a = tf.placeholder_with_default(2.0, [], name="a"); b = tf.multiply(a, 3.0, name="b"); c = tf.identity(b, name="c")
print(graph.is_feedable(b), graph.is_fetchable(b), graph.is_fetchable(b.op))
graph.prevent_feeding(b); graph.prevent_fetching(b.op)
print(graph.is_feedable(b), graph.is_feedable(a), graph.is_fetchable(b), graph.is_fetchable(b.op), graph.is_fetchable(c))
with tf.Session() as sess:
    print(sess.run(c), sess.run(c, {a: 5.0}))
    told(lambda: sess.run(b)); told(lambda: sess.run(b.op)); told(lambda: sess.run(c, {b: 1.0})); told(lambda: sess.run("b:0"))
print(tf.GraphKeys.VARIABLES, tf.GraphKeys.EVAL_STEP, tf.GraphKeys.LOCAL_INIT_OP, tf.GraphKeys.SAVEABLE_OBJECTS)
with tf.variable_scope("s") as scope:
    v = tf.get_variable("v", [], collections=["mine"])
print([one.name for one in scope.get_collection("mine")], scope.global_variables(), [one.name for one in scope.trainable_variables()])
sources = [[tf.constant(i), tf.constant([i * 10.0, i * 100.0])] for i in (1, 2)]
ones = tf.train.batch_join(sources, batch_size=4)
any_order = tf.train.shuffle_batch_join(sources, batch_size=4, capacity=20, min_after_dequeue=5)
print([(one.dtype, one.shape.as_list()) for one in ones + any_order], [len(one.enqueue_ops) for one in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)])
print([one.name for one in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)], len(tf.get_collection("summaries")))
with tf.Session() as sess:
    coord = tf.train.Coordinator(); threads = tf.train.start_queue_runners(sess, coord)
    for batch in (ones, any_order):
        numbers, rows = sess.run(batch)
        print(set(numbers.tolist()) <= {1, 2}, rows.shape, all(row.tolist() == [n * 10.0, n * 100.0] for n, row in zip(numbers, rows)))
    coord.request_stop(); coord.join(threads)
    print(len(threads))
