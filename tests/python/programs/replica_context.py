import tensorflow as tf
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 4)
strategy = tf.distribute.MirroredStrategy(["CPU:%d" % i for i in range(4)])
print(strategy.num_replicas_in_sync)
def value_fn(ctx):
    return tf.constant(float(ctx.replica_id_in_sync_group))
distributed_values = strategy.experimental_distribute_values_from_function(value_fn)
print(strategy.experimental_local_results(distributed_values))
@tf.function
def square_all(v):
    return strategy.run(lambda x: x * x, args=(v,))
print([float(x) for x in strategy.experimental_local_results(square_all(distributed_values))])
@tf.function
def mean_of(v):
    return strategy.reduce("MEAN", v, axis=None), strategy.reduce(tf.distribute.ReduceOp.SUM, v, axis=None)
print([t.numpy() for t in mean_of(distributed_values)])
def step(x):
    ctx = tf.distribute.get_replica_context()
    total = ctx.all_reduce(tf.distribute.ReduceOp.SUM, x)
    mean = ctx.all_reduce("MEAN", x)
    everything = ctx.all_gather(tf.reshape(x, [1]), axis=0)
    return total, mean, everything
out = strategy.run(tf.function(step), args=(distributed_values,))
print([t.numpy() for t in strategy.experimental_local_results(out[0])])
print([t.numpy() for t in strategy.experimental_local_results(out[1])])
print(strategy.experimental_local_results(out[2])[3])
with strategy.scope():
    counter = tf.Variable(0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA, trainable=False)
    local = tf.Variable(0., synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)
@tf.function
def work():
    def fn():
        i = tf.distribute.get_replica_context().replica_id_in_sync_group
        counter.assign_add(1)
        local.assign_add(tf.cast(i, tf.float32))
        return counter.read_value()
    return strategy.run(fn)
print([int(x) for x in strategy.experimental_local_results(work())])
work()
print(counter.numpy(), local.numpy(), [v.numpy() for v in local.values], [v.numpy() for v in counter.values])
print(len(strategy.experimental_local_results(counter)), isinstance(counter, tf.Variable))
per = strategy.run(lambda: tf.constant([1, 2]))
print(strategy.gather(per, axis=0).numpy(), strategy.reduce("SUM", per, axis=None).numpy(), strategy.reduce("SUM", per, axis=0).numpy())
print(tf.distribute.get_replica_context() is not None, tf.distribute.in_cross_replica_context())
try:
    strategy.run(lambda x: x, args=tf.constant(1))
except ValueError as e:
    print("ValueError", e.args[0][:36])
try:
    strategy.reduce("NOPE", per, axis=None)
except Exception as e:
    print(type(e).__name__)
dataset = tf.data.Dataset.range(8).batch(4)
for batch in strategy.experimental_distribute_dataset(dataset):
    print([t.numpy().tolist() for t in strategy.experimental_local_results(batch)])
