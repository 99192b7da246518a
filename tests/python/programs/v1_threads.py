"""Ops that threads add go to the graph of their inputs; a thread's own default graph is another one."""
import threading

import tensorflow as tf

tf.compat.v1.disable_eager_execution()
v1 = tf.compat.v1


def in_thread(function):
    made = []
    thread = threading.Thread(target=lambda: made.append(function()))
    thread.start()
    thread.join()
    return made[0]


graph = tf.Graph()
with graph.as_default():
    x = v1.placeholder(tf.float32, [None], name="x")
    scale = v1.get_variable("scale", initializer=[1.0, 2.0])
    print("default:", in_thread(lambda: v1.get_default_graph() is graph), in_thread(tf.executing_eagerly))
    makers = {
        "operator": lambda: x + 1.0, "reflected": lambda: 1.0 - x, "named": lambda: tf.multiply(x, x, name="square"),
        "of a variable": lambda: scale * 2.0, "both": lambda: scale + x, "read": lambda: scale.read_value(),
        "slice": lambda: x[1:], "comparison": lambda: x > 1.0, "negative": lambda: -x, "stack": lambda: tf.stack([x, x]),
        "cast": lambda: tf.cast(x, tf.int32), "reshape": lambda: tf.reshape(x, [-1, 1]), "concat": lambda: tf.concat([x, x], 0),
        "shape": lambda: tf.shape(x), "identity": lambda: tf.identity(x, name="same"), "softmax": lambda: tf.nn.softmax(x),
        "relu": lambda: tf.nn.relu(x), "gather": lambda: tf.gather(x, [0]), "where": lambda: tf.where(x > 0.0, x, -x),
        "product": lambda: tf.matmul(x[None], x[:, None]), "sum": lambda: tf.reduce_sum(x, 0), "root": lambda: tf.sqrt(x + 1.0)}
    made = {what: in_thread(maker) for what, maker in makers.items()}
    for what, one in made.items():
        print(what, one.name, one.graph is graph)
    write = in_thread(lambda: scale.assign(x))
    start = v1.global_variables_initializer()

with v1.Session(graph=graph) as session:
    session.run(start)
    for what, value in session.run(made, {x: [1.0, 3.0]}).items():
        print(what, value.tolist())
    session.run(write, {x: [5.0, 7.0]})
    print(session.run(scale).tolist())

# Without a thread: another graph is the default, or none has been entered.
print((x * 3.0).graph is graph)
with tf.Graph().as_default() as other:
    print((x * 3.0).graph is graph, tf.square(x).graph is other)
    own = tf.constant(2.0)
    try:
        x * own
    except ValueError:
        print("tensors of two graphs")


# Threads that enter the graph, and sessions of their own.
def worker(number, results):
    with graph.as_default(), v1.Session(graph=graph) as own:
        own.run(start)
        results[number] = own.run(x * float(number) + scale, {x: [1.0, 1.0]}).tolist()


results = {}
threads = [threading.Thread(target=worker, args=(number, results)) for number in range(3)]
for one in threads:
    one.start()
    one.join()
print(sorted(results.items()))

# A session is shared by threads, which run what was built before.
with graph.as_default():
    total = v1.get_variable("total", initializer=0.0, use_resource=True)
    add = total.assign_add(1.0, use_locking=True)
    start = v1.global_variables_initializer()
with v1.Session(graph=graph) as session:
    session.run(start)
    threads = [threading.Thread(target=lambda: [session.run(add) for _ in range(10)]) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    print(session.run(total))
    coordinator = tf.train.Coordinator()

    def count():
        for _ in range(5):
            if coordinator.should_stop():
                return
            session.run(add)
        coordinator.request_stop()
    threads = [threading.Thread(target=count)]
    for one in threads:
        one.start()
    coordinator.join(threads)
    print(session.run(total), coordinator.should_stop())
