import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["CPU:0"])
dataset = tf.data.Dataset.range(7).batch(3)
dist = strategy.experimental_distribute_dataset(dataset)
print(dist.element_spec)


@tf.function
def step(x):
    return tf.reduce_sum(x)


for batch in dist:
    local = strategy.experimental_local_results(batch)
    print([t.numpy().tolist() for t in local],
          strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(batch,)), axis=None).numpy())


@tf.function
def epoch(iterator):
    total = tf.constant(0, tf.int64)
    for x in iterator:
        total += strategy.reduce("SUM", strategy.run(step, args=(x,)), axis=None)
    return total


print(epoch(dist).numpy())
it = iter(dist)
print(next(it), it.element_spec == dist.element_spec)
optional = it.get_next_as_optional()
print(optional.has_value().numpy())
next(it)
print(it.get_next_as_optional().has_value().numpy())
try:
    next(it)
except (StopIteration, tf.errors.OutOfRangeError) as e:
    print(type(e).__name__)


def value_fn(ctx):
    return tf.constant(float(ctx.replica_id_in_sync_group))


values = strategy.experimental_distribute_values_from_function(value_fn)
print(strategy.experimental_local_results(values))


def dataset_fn(ctx):
    print(ctx.num_input_pipelines, ctx.input_pipeline_id, ctx.num_replicas_in_sync, ctx.get_per_replica_batch_size(8))
    return tf.data.Dataset.range(8).shard(ctx.num_input_pipelines, ctx.input_pipeline_id).batch(4)


for b in strategy.distribute_datasets_from_function(dataset_fn):
    print(b)
print(strategy.reduce("MEAN", tf.constant([1.0, 2.0, 6.0]), axis=0).numpy())
print(strategy.reduce("MEAN", tf.constant([[1.0, 2.0], [3.0, 4.0]]), axis=0).numpy())
for bad in (lambda: strategy.reduce("MAX", 1.0, axis=None), lambda: strategy.run(1),
            lambda: strategy.experimental_distribute_dataset([1, 2]),
            lambda: tf.distribute.get_replica_context().all_reduce("WRONG", tf.constant(1.0))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__)
print(tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), tf.distribute.get_replica_context().num_replicas_in_sync)
with strategy.scope():
    print(tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), tf.distribute.get_strategy() is strategy)
    v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    w = tf.Variable([1.0, 2.0], aggregation=tf.VariableAggregation.MEAN)


@tf.function
def update():
    ctx = tf.distribute.get_replica_context()
    v.assign_add(2.0)
    w.assign_add([1.0, 1.0])
    return ctx.all_reduce(tf.distribute.ReduceOp.MEAN, v.read_value())


print(strategy.run(update).numpy(), v.numpy(), w.numpy().tolist())
print(strategy.extended.colocate_vars_with is not None, strategy.extended.worker_devices)
print(strategy.extended.parameter_devices, strategy.extended.variable_created_in_scope(v))
print(strategy.gather(tf.constant([1, 2]), axis=0).numpy().tolist())
