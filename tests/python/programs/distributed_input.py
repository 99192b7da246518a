import tensorflow as tf
import numpy as np
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
mirrored_strategy = tf.distribute.MirroredStrategy(["/cpu:0","/cpu:1"])
global_batch_size = 16
def dataset_fn(input_context):
    batch_size = input_context.get_per_replica_batch_size(global_batch_size)
    d = tf.data.Dataset.from_tensors(([1.], [1.])).repeat(64).batch(16)
    print(batch_size, input_context.num_input_pipelines, input_context.input_pipeline_id, input_context.num_replicas_in_sync)
    return d.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
dataset = tf.data.Dataset.from_tensors(([1.], [1.])).repeat(100).batch(global_batch_size)
dist_dataset = mirrored_strategy.experimental_distribute_dataset(dataset)
@tf.function
def train_step(inputs):
    features, labels = inputs
    return labels - 0.3 * features
for x in dist_dataset:
    r = mirrored_strategy.run(train_step, args=(x,))
    print([tuple(v.shape) for v in mirrored_strategy.experimental_local_results(r)])
    break
n=0
for x in dist_dataset:
    n+=1
print(n)
dist2 = mirrored_strategy.distribute_datasets_from_function(dataset_fn)
it = iter(dist2)
for _ in range(2):
    v = next(it)
    print(mirrored_strategy.experimental_local_results(v[0])[1].numpy().shape)
# last partial batch
@tf.function
def reduce_all(it_):
    opt = it_.get_next_as_optional()
    def f(): 
        v = opt.get_value()
        return mirrored_strategy.reduce("SUM", mirrored_strategy.run(lambda x: tf.cast(tf.size(x[0]), tf.float32), args=(v,)), axis=None)
    return tf.cond(opt.has_value(), f, lambda: tf.constant(-1.0))
it = iter(dist_dataset)
for i in range(9):
    print(reduce_all(it).numpy(), end=" ")
print()
@tf.function(input_signature=[dist_dataset.element_spec])
def train_step_with_sig(per_replica_inputs):
    def step_fn(inputs):
        return 2 * inputs[0]
    return mirrored_strategy.run(step_fn, args=(per_replica_inputs,))
for x in dist_dataset:
    print(mirrored_strategy.experimental_local_results(train_step_with_sig(x))[0].shape)
def value_fn(ctx):
    return tf.constant(ctx.replica_id_in_sync_group * 10.0)
vals = mirrored_strategy.experimental_distribute_values_from_function(value_fn)
print([float(v) for v in mirrored_strategy.experimental_local_results(vals)])
def per_replica_step():
    ctx = tf.distribute.get_replica_context()
    i = ctx.replica_id_in_sync_group
    s = ctx.all_reduce(tf.distribute.ReduceOp.SUM, tf.cast(i, tf.float32) + 1.0)
    g = ctx.all_gather(tf.reshape(tf.cast(i, tf.float32), [1]), axis=0)
    return s, g
s, g = mirrored_strategy.run(per_replica_step)
print([float(a) for a in mirrored_strategy.experimental_local_results(s)], [a.numpy().tolist() for a in mirrored_strategy.experimental_local_results(g)])
print(mirrored_strategy.gather(g, axis=0).numpy())
opts = tf.data.Options()
opts.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
ds = tf.data.Dataset.range(10).batch(4).with_options(opts)
print([ [v.numpy().tolist() for v in mirrored_strategy.experimental_local_results(x)] for x in mirrored_strategy.experimental_distribute_dataset(ds)])
# dict + ragged
ds = tf.data.Dataset.from_tensor_slices({"a": np.arange(8.0), "b": np.arange(16).reshape(8,2)}).batch(4, drop_remainder=True)
for e in mirrored_strategy.experimental_distribute_dataset(ds):
    r = mirrored_strategy.run(lambda d: tf.reduce_sum(d["a"]) + tf.cast(tf.reduce_sum(d["b"]), tf.float64), args=(e,))
    print(mirrored_strategy.reduce(tf.distribute.ReduceOp.MEAN, r, axis=None).numpy())
@tf.function
def loop(dist):
    total = 0.0
    for e in dist:
        r = mirrored_strategy.run(lambda d: tf.reduce_sum(d["a"]), args=(e,))
        total += tf.cast(mirrored_strategy.reduce("SUM", r, axis=None), tf.float32)
    return total
print(loop(mirrored_strategy.experimental_distribute_dataset(ds)).numpy())
