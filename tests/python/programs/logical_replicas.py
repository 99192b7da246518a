import tensorflow as tf

v1 = tf.compat.v1
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 3)
every = tf.distribute.MirroredStrategy()
print(every.num_replicas_in_sync, every.extended.worker_devices, tf.distribute.MirroredStrategy([]).num_replicas_in_sync)
with every.scope():
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
every.run(lambda: v.assign_add(tf.constant(2.0)))
print(v.numpy(), [one.device[-5:] for one in v.values])
dataset = every.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(6))
print([[x.numpy().tolist() for x in every.experimental_local_results(batch)] for batch in dataset])
for wrong in (["nonsense"], "CPU:0"):
    try:
        print(tf.distribute.MirroredStrategy(wrong).num_replicas_in_sync)
    except ValueError:
        print("ValueError")

with tf.Graph().as_default():
    x = v1.placeholder(tf.float32, [4, 2], name="x")
    for tower, part in enumerate(tf.split(x, 2)):
        with v1.name_scope(f"tower_{tower}") as scope, v1.variable_scope("model", reuse=tower > 0) as model:
            w = v1.get_variable("w", [2, 1], regularizer=lambda one: 0.1 * tf.reduce_sum(one * one))
            loss = tf.reduce_mean(tf.matmul(part, w))
            v1.add_to_collection("losses", loss)
            print(scope, model.name, model.original_name_scope, loss.name, model.reuse)
    print([one.name for one in v1.trainable_variables()], [one.name for one in v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)])
    print([one.name for one in v1.get_collection("losses", scope="tower_1")])
    print(v1.TextLineReader().supports_serialize)
