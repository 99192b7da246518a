"""Threads, queues and a coordinator's functions: who is first does not matter for sums."""
import queue, socket, threading
import tensorflow as tf
def port():
    s = socket.socket(); s.bind(("127.0.0.1", 0)); p = s.getsockname()[1]; s.close(); return p
cluster = tf.train.ClusterSpec({"worker": [f"127.0.0.1:{port()}" for _ in range(2)], "ps": [f"127.0.0.1:{port()}"]})
config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=4)
for job, n in (("worker", 2), ("ps", 1)):
    for i in range(n):
        tf.distribute.Server(cluster, job, i, config=config)
strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"))
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
print(tf.distribute.coordinator.ClusterCoordinator(strategy) is coordinator, coordinator.strategy is strategy)
with strategy.scope():
    total = tf.Variable(0.0, name="total"); count = tf.Variable(0, dtype=tf.int32)
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="zeros", use_bias=False)])
    opt = tf.keras.optimizers.SGD(0.0625); opt.build(model.trainable_variables)
    acc = tf.keras.metrics.Mean()
print([v.device for v in (total, count)], [v.path for v in model.trainable_variables])
@tf.function
def add(x):
    total.assign_add(x); count.assign_add(1)
def work(n):
    for i in range(n):
        coordinator.schedule(add, args=(float(i) * tf.ones([]),))
threads = [threading.Thread(target=work, args=(n,)) for n in (4, 6)]
[t.start() for t in threads]; [t.join() for t in threads]
coordinator.join()
print(total.numpy(), count.numpy())
def dataset_fn(context=None):
    return tf.data.Dataset.from_tensor_slices((tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([[2.0], [4.0]]))).repeat().batch(2)
@tf.function
def per_worker():
    return strategy.distribute_datasets_from_function(lambda ctx: dataset_fn(ctx))
iterator = iter(coordinator.create_per_worker_dataset(per_worker))
@tf.function
def step(iterator):
    def fn(batch):
        x, y = batch
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(model(x) - y))
        opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        acc.update_state(loss)
        return loss
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(fn, args=(next(iterator),)), axis=None)
first = coordinator.schedule(step, args=(iterator,)); coordinator.join()
print(first.fetch())
for _ in range(3):
    coordinator.schedule(step, args=(iterator,)); coordinator.join()
print(opt.iterations.numpy(), model.get_weights()[0].ravel().tolist(), acc.count.numpy(), acc.result().numpy())
values = coordinator.create_per_worker_dataset(tf.data.Dataset.range(5))
it = iter(values)
@tf.function
def two(it): return next(it) + 0 * next(it)
print(coordinator.schedule(two, args=(it,)).fetch())
@tf.function
def ends(it):
    for _ in range(9): next(it)
coordinator.schedule(ends, args=(it,))
try: coordinator.join()
except tf.errors.OutOfRangeError: print("OutOfRange")
print(coordinator.done())
