import tensorflow as tf

# What is in a queue is a session's own; ops of one shared_name act on one queue.
v1 = tf.compat.v1
v1.disable_eager_execution()
queue = v1.FIFOQueue(3, tf.int32, shapes=[()], name="q")
put, size, close = queue.enqueue(1), queue.size(), queue.close()
first, second = (v1.FIFOQueue(3, tf.int32, shapes=[()], shared_name="both", name=name) for name in ("a", "b"))
through, taken = first.enqueue(7), second.dequeue()
for _ in range(2):
    with v1.Session() as session:
        session.run([put])
        print(session.run(size))
        session.run(through)
        print(session.run(taken))
        session.run(close)
        try:
            session.run(put)
        except tf.errors.CancelledError:
            print("closed")
one, other = v1.Session(), v1.Session()
one.run(put)
print(one.run(size), other.run(size))
