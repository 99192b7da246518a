"""What a replica's context offers, at its edges."""
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 3)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])
def show(value):
    return [x.numpy().tolist() for x in strategy.experimental_local_results(value)]
@tf.function
def nested():
    def fn():
        ctx = tf.distribute.get_replica_context()
        i = ctx.replica_id_in_sync_group
        x = {"a": tf.cast(i, tf.float32), "b": [tf.fill([2], tf.cast(i, tf.float32)), tf.ones([])]}
        s = ctx.all_reduce(tf.distribute.ReduceOp.SUM, x)
        m = ctx.all_reduce(tf.distribute.ReduceOp.MEAN, [x["a"], x["b"][1]])
        g = ctx.all_gather({"k": tf.fill([1, 2], tf.cast(i, tf.int32))}, axis=1)
        return s, m, g
    return strategy.run(fn)
s, m, g = nested()
print(show(s["a"]), show(s["b"][0]), show(s["b"][1]), [show(v) for v in m], show(g["k"]))
@tf.function
def uneven():
    def fn():
        ctx = tf.distribute.get_replica_context()
        i = ctx.replica_id_in_sync_group
        rows = tf.cond(tf.equal(i, 0), lambda: tf.zeros([1, 2]), lambda: tf.ones([2, 2]))
        return ctx.all_gather(rows, axis=0)
    return strategy.run(fn)
print(show(uneven())[1])
@tf.function
def with_slices():
    def fn():
        ctx = tf.distribute.get_replica_context()
        i = tf.cast(ctx.replica_id_in_sync_group, tf.int32)
        slices = tf.IndexedSlices(tf.fill([1, 2], tf.cast(i + 1, tf.float32)), tf.reshape(i % 2, [1]), tf.constant([3, 2]))
        r = ctx.all_reduce(tf.distribute.ReduceOp.SUM, slices)
        return tf.convert_to_tensor(r)
    return strategy.run(fn)
print(show(with_slices())[0])
@tf.function
def gradient():
    def fn():
        ctx = tf.distribute.get_replica_context()
        x = tf.cast(ctx.replica_id_in_sync_group, tf.float32) + 1.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = ctx.all_reduce(tf.distribute.ReduceOp.SUM, x * x) * x
        return tape.gradient(y, x)
    return strategy.run(fn)
print(show(gradient()))
@tf.function
def gather_gradient():
    def fn():
        ctx = tf.distribute.get_replica_context()
        x = tf.reshape(tf.cast(ctx.replica_id_in_sync_group, tf.float32) + 1.0, [1])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(ctx.all_gather(x, axis=0) ** 2)
        return tape.gradient(y, x)
    return strategy.run(fn)
print(show(gather_gradient()))
def merge(strategy, a, b=None):
    return strategy.experimental_local_results(a)[1] + strategy.experimental_local_results(b)[2]
print(show(strategy.run(lambda: tf.distribute.get_replica_context().merge_call(merge, args=(tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32),), kwargs={"b": tf.constant(5.0)}))))
ctx = tf.distribute.get_replica_context()
print(ctx.num_replicas_in_sync, ctx.replica_id_in_sync_group, ctx.strategy.num_replicas_in_sync, ctx.all_reduce("SUM", tf.constant(2.0)).numpy(), ctx.all_gather(tf.constant([1]), 0).numpy())
with strategy.scope():
    print(tf.distribute.get_replica_context())
for bad in (lambda: strategy.run(lambda: strategy.run(lambda: 1)), lambda: strategy.run(lambda: strategy.reduce("SUM", 1.0, axis=None)),
            lambda: strategy.run(lambda: tf.distribute.get_replica_context().all_gather(tf.constant(1), 0))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, str(e)[:40] if isinstance(e, RuntimeError) else "")
