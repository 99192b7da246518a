"""A variable without an aggregation that replicas assign to: each changes its copy, and what they give are as many values."""
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    apart = tf.Variable([0., 1.])
    mean = tf.Variable(1., aggregation=tf.VariableAggregation.MEAN)


def number():
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


@tf.function
def add(x):
    return strategy.run(lambda: apart.assign_add([1., 2.] * number() * x))


@tf.function
def put():
    return strategy.run(lambda: apart.assign([5., 6.]))


given = add(3.)
print(given)
print([one.numpy() for one in apart.values], strategy.reduce("SUM", given, axis=None).numpy())
print(put(), [one.numpy() for one in apart.values])
strategy.run(lambda: mean.assign_add(number()))
print(mean.numpy(), [one.numpy() for one in mean.values])
