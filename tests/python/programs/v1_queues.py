import tensorflow as tf
tf.compat.v1.disable_eager_execution()
tf1 = tf.compat.v1
import threading

q = tf.queue.FIFOQueue(capacity=10, dtypes=[tf.float32], shapes=[()])
x = tf1.placeholder(tf.float32, shape=())
enqueue = q.enqueue(x)
enqueue_many = q.enqueue_many([tf.constant([10.0, 20.0, 30.0])])
dequeue = q.dequeue()
size = q.size()
close = q.close()
counter = tf1.Variable(0, name="counter", trainable=False)
inc = tf1.assign_add(counter, 1)
with tf1.Session() as sess:
    sess.run(tf1.global_variables_initializer())
    for i in range(3):
        sess.run(enqueue, feed_dict={x: float(i)})
    print("size", sess.run(size))
    print([sess.run(dequeue) for _ in range(3)])
    sess.run(enqueue_many)
    print("size", sess.run(size), sess.run(q.dequeue_many(2)))

    def work():
        for _ in range(10):
            sess.run(inc)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    print("counter", sess.run(counter))
    sess.run(close)
    print(sess.run(dequeue))
    try:
        sess.run(dequeue)
    except tf.errors.OutOfRangeError as e:
        print("OutOfRangeError", type(e).__name__)

rq = tf.queue.RandomShuffleQueue(10, 0, tf.int32, shapes=())
pq = tf.queue.PriorityQueue(10, tf.string, shapes=())
with tf1.Session() as sess:
    sess.run(rq.enqueue_many([[1, 2, 3, 4]]))
    print(sorted(sess.run(rq.dequeue()) for _ in range(4)))
    sess.run(pq.enqueue([tf.constant(3, tf.int64), "c"]))
    sess.run(pq.enqueue([tf.constant(1, tf.int64), "a"]))
    sess.run(pq.enqueue([tf.constant(2, tf.int64), "b"]))
    print([sess.run(pq.dequeue())[1] for _ in range(3)])
print(q.name.startswith("fifo_queue"), q.dtypes, q.shapes)
