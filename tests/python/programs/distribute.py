import tensorflow as tf
import numpy as np
tf.config.set_logical_device_configuration(tf.config.list_physical_devices('CPU')[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
print('Number of devices: {}'.format(strategy.num_replicas_in_sync))
with strategy.scope():
    v = tf.Variable(1.0, name="v"); t = tf.Variable([1., 2.], synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
print(v.values[0].numpy(), len(v.values), v.values[1].name)
GLOBAL_BATCH = 4
ds = tf.data.Dataset.from_tensor_slices(tf.range(10.)).batch(GLOBAL_BATCH)
dist = strategy.experimental_distribute_dataset(ds)
for x in dist: print(x)
@tf.function
def step(x):
    def fn(x):
        ctx = tf.distribute.get_replica_context()
        rid = tf.cast(ctx.replica_id_in_sync_group, tf.float32)
        return tf.reduce_sum(x) + rid
    per = strategy.run(fn, args=(x,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per, axis=None)
for x in dist: print(step(x).numpy())
def replica_fn():
    ctx = tf.distribute.get_replica_context()
    i = ctx.replica_id_in_sync_group
    t.assign_add([1., 1.])
    return tf.cast(i, tf.float32) * 10. + v, ctx.all_reduce(tf.distribute.ReduceOp.SUM, tf.cast(i, tf.float32) + 1.), ctx.num_replicas_in_sync
r = strategy.run(tf.function(replica_fn)); print(r[:2])
print(strategy.experimental_local_results(r[0])); print([x.numpy() for x in strategy.experimental_local_results(t)], t.numpy())
print(strategy.reduce("MEAN", r[0], axis=None)); print(strategy.reduce(tf.distribute.ReduceOp.SUM, r[1], axis=None))
per = strategy.experimental_distribute_values_from_function(lambda ctx: tf.constant([ctx.replica_id_in_sync_group, 7]))
print(per); print(strategy.gather(per, axis=0)); print(strategy.reduce("MEAN", strategy.experimental_distribute_values_from_function(lambda ctx: tf.constant([float(ctx.replica_id_in_sync_group), 3.])), axis=0))
with strategy.scope():
    m = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN); s = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
    o = tf.Variable(0.0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA); n = tf.Variable(0.0)
@tf.function
def upd():
    def fn():
        i = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        m.assign_add(i + 1.); s.assign(i + 1.); o.assign(i + 5.)
    strategy.run(fn)
upd(); print(m.numpy(), s.numpy(), o.numpy())
try: strategy.run(lambda: n.assign(1.))
except ValueError as e: print("ValueError", "aggregation" in str(e))
print(tf.distribute.get_strategy().__class__.__name__, tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context())
with strategy.scope(): print(tf.distribute.get_strategy() is strategy, tf.distribute.in_cross_replica_context(), tf.distribute.get_replica_context())
def ds_fn(ctx):
    b = ctx.get_per_replica_batch_size(GLOBAL_BATCH); print("ctx", b, ctx.num_input_pipelines, ctx.input_pipeline_id)
    return tf.data.Dataset.range(8).shard(ctx.num_input_pipelines, ctx.input_pipeline_id).batch(b)
for x in strategy.distribute_datasets_from_function(ds_fn): print(strategy.experimental_local_results(x))
def merge(strategy, x): return strategy.reduce("SUM", x, axis=None)
def fn2():
    c = tf.distribute.get_replica_context()
    return c.merge_call(merge, args=(tf.cast(c.replica_id_in_sync_group, tf.float32) + 1.,))
print(strategy.experimental_local_results(strategy.run(tf.function(fn2)))[0])
one = tf.distribute.OneDeviceStrategy("/cpu:0"); print(one.run(lambda: tf.constant(3)), one.num_replicas_in_sync)
with one.scope(): z = tf.Variable(1.); print(z)
print(v); print(t)
print(isinstance(v, tf.Variable), isinstance(per, tf.distribute.DistributedValues))
