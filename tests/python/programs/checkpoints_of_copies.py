"""Checkpoints of variables of which each replica has a copy that is combined when it is read: sums, moving statistics."""
import tempfile

import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    mean = tf.Variable(0., synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)
    total = tf.Variable(0., synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    weight = tf.Variable([1., 2.])


@tf.function
def step():
    def each():
        number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        mean.assign_add(number)
        total.assign_add(number + 1.)
    strategy.run(each)


step()
step()
print(mean.numpy(), total.numpy())
prefix = tempfile.mkdtemp() + "/ckpt"
path = tf.train.Checkpoint(mean=mean, total=total, weight=weight).write(prefix)
mean.assign(9.)
total.assign(8.)
weight.assign([0., 0.])
print(mean.numpy(), total.numpy())
again = tf.train.Checkpoint(mean=mean, total=total, weight=weight)
again.read(path).assert_consumed()
print(mean.numpy(), total.numpy(), weight.numpy())
step()
print(mean.numpy(), total.numpy())
alone = tf.Variable(7.)
tf.train.Checkpoint(total=alone).restore(again.save(prefix)).expect_partial()
print(alone.numpy())
