"""Sharding by hand and by policy, seeds of each replica, a shuffled dataset under a strategy."""
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
local = strategy.experimental_local_results
def rows(dataset):
    return [[x.numpy().tolist() for x in local(e)] for e in dataset]
for seed in (1, 2):
    ds = tf.data.Dataset.range(12).shuffle(12, seed=seed, reshuffle_each_iteration=False).batch(6)
    print(rows(strategy.experimental_distribute_dataset(ds)))
ds = tf.data.Dataset.range(8).batch(4).repeat(2).prefetch(tf.data.AUTOTUNE)
print(rows(strategy.experimental_distribute_dataset(ds)))
print(rows(strategy.experimental_distribute_dataset(tf.data.Dataset.zip((tf.data.Dataset.range(4), tf.data.Dataset.range(4, 8))).map(lambda a, b: a * b).batch(4))))
for shard in range(3):
    print(list(tf.data.Dataset.range(10).shard(3, shard).as_numpy_iterator()))
try:
    tf.data.Dataset.range(4).shard(2, 2)
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__)
@tf.function
def noise():
    def fn():
        i = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.random.stateless_uniform([2], seed=tf.stack([7, i])), tf.random.stateless_normal([1], seed=[3, 4])
    return strategy.run(fn)
a, b = noise()
print([x.numpy().round(5).tolist() for x in local(a)], [x.numpy().round(5).tolist() for x in local(b)])
with strategy.scope():
    gen = tf.random.Generator.from_seed(11)
@tf.function
def draw():
    return strategy.run(lambda: gen.uniform([2], 0, 100, tf.int32))
print([x.numpy().tolist() for x in local(draw())], [x.numpy().tolist() for x in local(draw())])
gens = tf.random.Generator.from_seed(5).split(2)
print([g.uniform([], 0, 1000, tf.int32).numpy() for g in gens])
def per_replica(ctx):
    g = tf.random.Generator.from_seed(100 + ctx.replica_id_in_sync_group)
    return g.normal([2])
print([x.numpy().round(4).tolist() for x in local(strategy.experimental_distribute_values_from_function(per_replica))])
ragged = tf.data.Dataset.from_tensor_slices(tf.range(6)).map(lambda x: {"x": x, "pair": (x, -x)}).batch(3)
for e in strategy.experimental_distribute_dataset(ragged):
    print([x.numpy().tolist() for x in local(e["x"])], [x.numpy().tolist() for x in local(e["pair"][1])])
print(strategy.experimental_distribute_dataset(ragged).element_spec["x"])
it = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)))
print([x.numpy().tolist() for x in local(it.get_next())], [x.numpy().tolist() for x in local(it.get_next())])
for _ in range(2):
    try:
        it.get_next()
    except tf.errors.OutOfRangeError:
        print("end")
