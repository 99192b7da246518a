"""Structures of values per replica, and what merge_call gives to all replicas."""
import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def value(context):
    number = context.replica_id_in_sync_group
    return {"x": tf.constant([1.0, 2.0]) * (number + 1), "n": (number, tf.constant(context.num_replicas_in_sync))}


values = strategy.experimental_distribute_values_from_function(value)
print(type(values).__name__, sorted(values))
for local in (strategy.experimental_local_results(values["x"]), strategy.experimental_local_results(values["n"][1])):
    print([one.numpy().tolist() for one in local])


@tf.function
def step(v):
    return tf.reduce_sum(v["x"]) + tf.cast(v["n"][1], tf.float32)


print([one.numpy() for one in strategy.experimental_local_results(strategy.run(step, args=(values,)))])


def merged():
    context = tf.distribute.get_replica_context()
    return context.merge_call(lambda strategy, x: strategy.reduce("SUM", x, axis=None), args=(tf.constant(3.0),))


print(strategy.experimental_local_results(strategy.run(merged)))
print(strategy.run(lambda: tf.constant(5.0) + 1.0))
same = tf.constant(7.0)
print(strategy.run(lambda: same))
print(strategy.run(lambda: 4))

optimizer = tf.keras.optimizers.SGD(0.1, gradient_accumulation_steps=2)
v = tf.Variable(1.0)
for i in range(5):
    optimizer.apply([tf.constant(1.0)], [v])
    print(i, int(optimizer.iterations), round(float(v), 4))
