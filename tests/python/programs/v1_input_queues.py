"""Queues of input that runners fill: epochs are counted in local variables, runners start once a session."""
import threading
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
def told(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", str(e).split("\n")[0][:60])
source = tf.train.input_producer(tf.constant([1, 2, 3]), num_epochs=2, shuffle=False, capacity=4, name="inp")
element = source.dequeue()
print(source.name, source.dtypes, source.shapes, element.name, [v.name for v in tf.local_variables()])
pairs = tf.train.batch([element, element * 10], batch_size=2, capacity=8, allow_smaller_final_batch=True, name="bat")
print([one.shape.as_list() for one in pairs], [one.name for one in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)])
print(len(tf.get_collection(tf.GraphKeys.SUMMARIES)))
for _ in range(1):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        print(len(threads), [one.daemon for one in threads])
        try:
            while not coord.should_stop():
                print([one.tolist() for one in sess.run(pairs)])
        except tf.errors.OutOfRangeError:
            print("end")
        coord.request_stop(); coord.join(threads)
        print(coord.joined, [one.is_alive() for one in threads])

told(lambda: tf.train.limit_epochs(element, 0)); told(lambda: tf.train.slice_input_producer([]))
queue = tf.FIFOQueue(2, tf.int32, shapes=[()], name="fq")
put, take, close = queue.enqueue(1), queue.dequeue(), queue.close()
with tf.name_scope("inside"):
    other = tf.FIFOQueue(2, tf.int32, shapes=[()]); print(other.name, other.dequeue().name, other.size().name)
runner = tf.train.QueueRunner(queue, [put], close_op=close, cancel_op=queue.close(cancel_pending_enqueues=True),
                              queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError))
print(runner.name, runner.queue is queue, runner.close_op.name, [e.__name__ for e in runner.queue_closed_exception_types], runner.exceptions_raised)
told(lambda: tf.train.QueueRunner(queue, [])); told(lambda: tf.train.QueueRunner(queue, [put], queue_closed_exception_types=tf.errors.OutOfRangeError))
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = runner.create_threads(sess, coord=coord, daemon=True)
    print(len(threads), [one.is_alive() for one in threads], len(runner.create_threads(sess, coord=coord)))
    for one in threads: one.start()
    print([int(sess.run(take)) for _ in range(5)])
    coord.request_stop(); coord.join(threads)
    print(sess.run(queue.is_closed()))
# What a thread computes without a graph of its own is no part of another thread's.
seen = {}
def alone():
    seen["eager"], seen["same"] = tf.executing_eagerly(), tf.get_default_graph() is graph
    x = tf.placeholder(tf.float32, [], name="x")
    w = tf.get_variable("w", initializer=2.0)
    with tf.Session() as own:
        own.run(tf.global_variables_initializer()); seen["value"] = float(own.run(w * x, {x: 4.0}))
    seen["variables"] = [v.name for v in tf.global_variables()]
graph = tf.get_default_graph()
for _ in range(2):
    thread = threading.Thread(target=alone); thread.start(); thread.join(); print(sorted(seen.items()))
print([v.name for v in tf.global_variables()])
