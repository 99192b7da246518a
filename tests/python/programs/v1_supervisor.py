import threading
import time
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
step = tf.train.get_or_create_global_step()
counter = tf.get_variable("counter", [], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
add = tf.assign_add(counter, 1, use_locking=True)
inc = tf.assign_add(step, 1)
sv = tf.train.Supervisor(logdir="logs", save_model_secs=0, summary_op=None)
with sv.managed_session("") as sess:
    for _ in range(5):
        if sv.should_stop():
            break
        sess.run([add, inc])
    print(sess.run(counter), sv.is_chief)
    sv.saver.save(sess, sv.save_path, global_step=step)
print(tf.train.latest_checkpoint("logs"))

tf.reset_default_graph()
counter = tf.get_variable("counter", [], tf.int32, initializer=tf.zeros_initializer())
add = tf.assign_add(counter, 1, use_locking=True)
coord = tf.train.Coordinator()


def work(sess, n):
    with coord.stop_on_exception():
        for _ in range(n):
            if coord.should_stop():
                return
            sess.run(add)


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    threads = [threading.Thread(target=work, args=(sess, 25)) for _ in range(4)]
    for t in threads:
        t.start()
    coord.join(threads)
    print(sess.run(counter))


def fails():
    with coord2.stop_on_exception():
        raise ValueError("broken worker")


coord2 = tf.train.Coordinator()
t = threading.Thread(target=fails)
t.start()
try:
    coord2.join([t])
except ValueError as e:
    print("ValueError", e)
print(coord2.should_stop(), coord2.joined)

q = tf.FIFOQueue(3, [tf.int32])
enqueue = q.enqueue_many([[1, 2, 3]])
dequeue = q.dequeue()
close = q.close()
with tf.Session() as sess:
    sess.run(enqueue)
    print([sess.run(dequeue) for _ in range(2)], sess.run(q.size()))
    sess.run(close)
    print(sess.run(dequeue))
    try:
        sess.run(dequeue)
    except tf.errors.OutOfRangeError:
        print("OutOfRangeError")
    try:
        sess.run(enqueue)
    except tf.errors.CancelledError:
        print("CancelledError")

lt = tf.train.LooperThread(tf.train.Coordinator(), None, target=lambda: ticks.append(1) or (len(ticks) >= 3 and lt.coord.request_stop() if hasattr(lt, "coord") else len(ticks) >= 3 and c3.request_stop()))
ticks = []
c3 = tf.train.Coordinator()
lt = tf.train.LooperThread.loop(c3, 0.001, lambda: ticks.append(1) or (len(ticks) >= 3 and c3.request_stop()))
c3.join([lt])
print(len(ticks) >= 3)
queue = tf.RandomShuffleQueue(10, 2, tf.float32, shapes=[[]], seed=1)
qr = tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)
with tf.Session() as sess:
    c = tf.train.Coordinator()
    ths = qr.create_threads(sess, coord=c, start=True)
    print(sess.run(queue.dequeue_many(4)))
    c.request_stop()
    sess.run(queue.close(cancel_pending_enqueues=True))
    c.join(ths)
    print(c.should_stop())
