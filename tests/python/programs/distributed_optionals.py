import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)
data = tf.data.Dataset.from_tensor_slices({"x": [[1.0], [2.0], [3.0], [4.0], [5.0]], "y": [1, 2, 3, 4, 5]}).batch(2)
for strategy in (tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), tf.distribute.OneDeviceStrategy("CPU:0")):
    shared = strategy.experimental_distribute_dataset(data)
    iterator = iter(shared)
    one, steps = iterator.get_next_as_optional(), []
    print(one.element_spec)
    while one.has_value():
        values = one.get_value()
        steps.append([part.numpy().tolist() for part in strategy.experimental_local_results(values["x"])])
        steps.append(strategy.reduce("SUM", strategy.run(lambda v: tf.reduce_sum(v["y"]), (values,)), axis=None).numpy())
        one = iterator.get_next_as_optional()
    print(steps)
    try:
        one.get_value()
    except tf.errors.InvalidArgumentError:
        print("no value")
    print(bool(iterator.get_next_as_optional().has_value()))

    @tf.function
    def total(iterator):
        made = 0
        one = iterator.get_next_as_optional()
        while one.has_value():
            made += strategy.reduce("SUM", strategy.run(lambda v: tf.reduce_sum(v["y"]), (one.get_value(),)), axis=None)
            one = iterator.get_next_as_optional()
        return made

    iterator = iter(shared)
    print(total(iterator).numpy(), bool(iterator.get_next_as_optional().has_value()))
    if strategy.num_replicas_in_sync > 1:
        print(isinstance(iterator, tf.distribute.DistributedIterator), isinstance(shared, tf.distribute.DistributedDataset))
