import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()]*4)
for R in (2, 3, 4):
    s = tf.distribute.MirroredStrategy(["CPU:%d" % i for i in range(R)])
    for n, b in ((4, 4), (5, 5), (2, 2), (1, 1), (10, 6), (7, 4), (9, 8)):
        ds = tf.data.Dataset.range(n).batch(b)
        print(R, n, b, [[x.numpy().tolist() for x in s.experimental_local_results(e)] for e in s.experimental_distribute_dataset(ds)])
    o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    print(R, "off", [[x.numpy().tolist() for x in s.experimental_local_results(e)] for e in s.experimental_distribute_dataset(tf.data.Dataset.range(12).batch(5).with_options(o))])
    print(R, "drop", [[x.numpy().tolist() for x in s.experimental_local_results(e)] for e in s.experimental_distribute_dataset(tf.data.Dataset.range(12).batch(5, drop_remainder=True))])
    f = s.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(7).batch(2))
    print(R, "fn", [[x.numpy().tolist() for x in s.experimental_local_results(e)] for e in f])
    print(R, "dict", [[x.numpy().tolist() for x in s.experimental_local_results(e["a"])] for e in s.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices({"a": [1.,2.,3.,4.,5.]}).batch(3))])
