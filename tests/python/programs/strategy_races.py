"""Races and order: control dependencies, threads beside a strategy's steps, reads that see whole updates."""
import threading
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    a = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM); b = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
@tf.function
def both():
    def fn():
        one = a.assign_add(tf.constant(1.0))
        with tf.control_dependencies([one]):
            b.assign_add(tf.constant(1.0))
    strategy.run(fn)
@tf.function
def difference():
    return a.read_value() - b.read_value()
stop, seen = threading.Event(), set()
def watch():
    while not stop.is_set(): seen.add(abs(float(difference())) <= 2.0)
t = threading.Thread(target=watch); t.start()
for _ in range(30): both()
stop.set(); t.join()
print(a.numpy(), b.numpy(), seen)
lock = threading.Lock(); shared = tf.Variable(0); order = []
def locked(n):
    for _ in range(20):
        with lock: shared.assign(shared + 1)
threads = [threading.Thread(target=locked, args=(i,)) for i in range(3)]
[t.start() for t in threads]; [t.join() for t in threads]; print(shared.numpy())
@tf.function
def ordered(x):
    v1 = a.read_value(); a.assign(x); v2 = a.read_value(); b.assign(a * 2); return v1, v2, b.read_value()
print([v.numpy() for v in ordered(tf.constant(5.0))], [v.numpy() for v in ordered(tf.constant(6.0))])
@tf.function
def grads():
    def fn():
        with tf.GradientTape() as tape:
            y = a * a
            with tf.control_dependencies([b.assign_add(tf.constant(1.0))]): y = tf.identity(y) * b
        return tape.gradient(y, [a, b])
    return strategy.run(fn)
print([[float(x) for x in strategy.experimental_local_results(g)] for g in grads()], b.numpy())
barrier = threading.Barrier(2); results = [None, None]
def run(i):
    s = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with s.scope(): v = tf.Variable(float(i), aggregation=tf.VariableAggregation.MEAN)
    @tf.function
    def f(): s.run(lambda: v.assign_add(tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)))
    barrier.wait()
    for _ in range(10): f()
    results[i] = v.numpy()
threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]; [t.start() for t in threads]; [t.join() for t in threads]; print(results)
q = tf.queue.FIFOQueue(3, tf.int32, shapes=[])
def produce():
    for i in range(9): q.enqueue(i)
    q.close()
p = threading.Thread(target=produce); p.start(); got = []
try:
    while True: got.append(int(strategy.reduce("SUM", strategy.run(tf.function(lambda x: x * 1), args=(q.dequeue(),)), axis=None)))
except tf.errors.OutOfRangeError: pass
p.join(); print(got)
counter = tf.Variable(0); cs = tf.CriticalSection()
@tf.function
def critical(): return cs.execute(lambda: counter.assign(counter + 1))
threads = [threading.Thread(target=lambda: [critical() for _ in range(10)]) for _ in range(3)]; [t.start() for t in threads]; [t.join() for t in threads]; print(counter.numpy())
