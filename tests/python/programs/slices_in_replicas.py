import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def own():
    """A row of this replica's number."""
    number = tf.distribute.get_replica_context().replica_id_in_sync_group
    return tf.IndexedSlices(tf.ones([1, 2]) * (tf.cast(number, tf.float32) + 1.0),
                            tf.reshape(tf.cast(number, tf.int64), [1]), tf.constant([3, 2], tf.int64))


def whole(value):
    return [tf.convert_to_tensor(one).numpy().tolist() for one in strategy.experimental_local_results(value)]


def summed():
    return tf.distribute.get_replica_context().all_reduce("SUM", own())


def merged():
    def merge(strategy, slices):
        return strategy.reduce("SUM", slices, axis=None)
    return tf.convert_to_tensor(tf.distribute.get_replica_context().merge_call(merge, args=(own(),)))


for how in (lambda f: f, tf.function):
    print(whole(strategy.run(how(own))))
    print(whole(strategy.run(how(summed))))
    print(whole(strategy.run(how(lambda: tf.convert_to_tensor(summed())))))
    print(whole(strategy.run(how(merged))))
made = strategy.reduce("SUM", strategy.run(own), axis=None)
print(type(made).__name__, tf.convert_to_tensor(made).numpy().tolist())
print([type(one).__name__ for one in strategy.experimental_local_results(strategy.run(summed))])
