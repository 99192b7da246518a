import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)
plain = tf.constant([[1.0, 2.0], [3.0, 5.0]])
for strategy in (tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), tf.distribute.OneDeviceStrategy("CPU:0"),
                 tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])):
    print(strategy.num_replicas_in_sync)
    for axis in (None, 0, 1):
        for op in ("SUM", "MEAN"):
            try:
                print(op, axis, strategy.reduce(op, plain, axis=axis).numpy().tolist())
            except ValueError as error:
                print(op, axis, "ValueError", str(error).replace("\n", " ")[-62:])
    print(strategy.reduce("SUM", tf.range(10), axis=0), strategy.reduce("MEAN", tf.range(4), axis=0))
    traced = tf.function(lambda x: strategy.reduce("SUM", x, axis=0))
    print(traced(plain).numpy(), strategy.reduce("MEAN", plain, axis=None).numpy())
    per_replica = strategy.run(lambda: tf.constant([1.0, 2.0]))
    print(strategy.reduce("SUM", per_replica, axis=0).numpy(), strategy.reduce("MEAN", per_replica, axis=0).numpy())
