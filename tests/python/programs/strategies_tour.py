import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
def body(strategy):
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
        total = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    @tf.function
    def step(x):
        def fn(x):
            ctx = tf.distribute.get_replica_context()
            v.assign_add(x); total.assign_add(x * 2)
            return x + tf.cast(ctx.replica_id_in_sync_group, tf.float32), x * ctx.num_replicas_in_sync
        return strategy.run(fn, args=(x,))
    a, b = step(tf.constant(3.0))
    print(type(strategy).__name__, strategy.num_replicas_in_sync, [float(t) for t in strategy.experimental_local_results(a)], [float(t) for t in strategy.experimental_local_results(b)])
    print(v.numpy(), float(total.read_value()), strategy.reduce("SUM", a, axis=None).numpy(), strategy.reduce(tf.distribute.ReduceOp.MEAN, a, axis=None).numpy())
    return v
for strategy in (tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.MirroredStrategy(["CPU:0"]), tf.distribute.experimental.CentralStorageStrategy(["CPU:0"], "CPU:0"), tf.distribute.get_strategy()):
    body(strategy)
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
with strategy.scope():
    v = tf.Variable([1.0, 2.0])
    print(tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), tf.distribute.get_strategy() is strategy)
print(tf.distribute.has_strategy(), tf.distribute.get_replica_context() is not None)
print([x.numpy().tolist() for x in strategy.experimental_local_results(v)])
print(strategy.extended.parameter_devices, strategy.extended.worker_devices)
r = strategy.run(lambda x: x * 2, args=(tf.constant([1.0, 2.0]),)); print(r)
r = strategy.run(lambda a, b=0: {"s": a + b, "t": (a,)}, args=(1,), kwargs={"b": 2}); print(r)
ds = tf.data.Dataset.range(8).batch(4)
dist = strategy.experimental_distribute_dataset(ds)
for x in dist: print(x, strategy.experimental_local_results(x))
print(strategy.reduce("SUM", strategy.run(lambda t: tf.cast(t, tf.float32), args=(x,)), axis=0).numpy())
def dataset_fn(ctx):
    print("pipeline", ctx.num_input_pipelines, ctx.input_pipeline_id, ctx.num_replicas_in_sync, ctx.get_per_replica_batch_size(8))
    return tf.data.Dataset.range(6).batch(ctx.get_per_replica_batch_size(4))
it = iter(strategy.distribute_datasets_from_function(dataset_fn))
print(next(it)); o = it.get_next_as_optional(); print(o.has_value().numpy())
try:
    while True: print(strategy.experimental_local_results(next(it)))
except StopIteration: print("stop")
def merge(strategy, x): return strategy.reduce("SUM", x, axis=None) * 10
print(strategy.run(lambda: tf.distribute.get_replica_context().merge_call(merge, args=(tf.constant(2.0),))))
@tf.function
def train(iterator, steps):
    def one(x): v.assign_add(tf.cast(tf.reduce_sum(x), tf.float32) * tf.ones([2])); return tf.reduce_sum(x)
    total = tf.constant(0, tf.int64)
    for _ in tf.range(steps):
        total += strategy.reduce("SUM", strategy.run(one, args=(next(iterator),)), axis=None)
    return total
with strategy.scope(): v = tf.Variable([0.0, 0.0], aggregation=tf.VariableAggregation.SUM)
print(train(iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(16).batch(4))), tf.constant(2)).numpy(), v.numpy())
