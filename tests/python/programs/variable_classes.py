import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
distribute = tf.distribute
ON_READ, SUM = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.SUM
mirrored = distribute.MirroredStrategy(["CPU:0", "CPU:1"])
for strategy in (distribute.get_strategy(), distribute.OneDeviceStrategy("CPU:0"), mirrored,
                 distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0")):
    with strategy.scope():
        v, r = tf.Variable(1.0), tf.Variable(1.0, synchronization=ON_READ, aggregation=SUM)
        layer = tf.keras.layers.Dense(1)
        layer.build((None, 1))
    print(type(strategy).__name__, type(v).__name__, type(r).__name__, type(layer.kernel).__name__, isinstance(v, tf.Variable),
          isinstance(r, tf.Variable))
with mirrored.scope():
    r = tf.Variable([1.0, 2.0], synchronization=ON_READ, aggregation=SUM, name="r")
print(r)
print(len(r.values), mirrored.experimental_local_results(r)[1].numpy())
v = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = v * v
print(tape.gradient(y, v).numpy(), v + 1, type(v.assign(4.0)).__name__ != "ResourceVariable")


@tf.function
def grow():
    return v.assign_add(1.0)


print(grow().numpy(), tf.identity(v).numpy(), tf.nest.flatten({"a": v})[0] is v)
with tf.Graph().as_default():
    print(type(tf.compat.v1.get_variable("w", [1])).__name__, type(tf.Variable(1.0)).__name__)
