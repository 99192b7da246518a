"""Means of integers are no integers."""
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
s = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
vals = s.experimental_distribute_values_from_function(lambda c: tf.constant(c.replica_id_in_sync_group + 5))
print(s.reduce("MEAN", vals, axis=None))
print(s.reduce("MEAN", s.experimental_distribute_values_from_function(lambda c: tf.constant([1, 2 + c.replica_id_in_sync_group])), axis=0))
print(s.run(lambda x: tf.distribute.get_replica_context().all_reduce("MEAN", tf.cast(x, tf.int32)), args=(vals,)))
@tf.function
def f(): return s.reduce("MEAN", vals, axis=None)
print(f())
for t in (tf.uint8, tf.int64, tf.int8):
    print(s.reduce("MEAN", s.experimental_distribute_values_from_function(lambda c: tf.cast([1, 2 + c.replica_id_in_sync_group], t)), axis=0))
    print(s.reduce("MEAN", s.experimental_distribute_values_from_function(lambda c: tf.cast([1, 2 + c.replica_id_in_sync_group], t)), axis=None))
o = tf.distribute.OneDeviceStrategy("CPU:0")
for one in (o, tf.distribute.MirroredStrategy(["CPU:0"]), tf.distribute.get_strategy()):
    for value, axis in ((tf.constant(5), None), (tf.constant([5, 6]), 0), (tf.constant([5, 6]), None)):
        print(one.reduce("MEAN", value, axis=axis))
        print(one.run(lambda x: tf.distribute.get_replica_context().all_reduce("MEAN", x), args=(value,)))
try:
    print(s.reduce("MEAN", tf.constant(5), axis=None))
    print(s.reduce("MEAN", tf.constant([5, 6]), axis=0))
except Exception as e: print(type(e).__name__, str(e)[:150])
