# What replicas are given alike, in a trace, comes back as one value.
import tensorflow as tf
cpus = tf.config.list_physical_devices('CPU'); tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
st = tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])
x = tf.constant(3.)
print(st.run(lambda: x))
print(tf.function(lambda: st.run(lambda: x))())
def f():
  c = tf.distribute.get_replica_context()
  return c.merge_call(lambda s, y: s.reduce('SUM', y, axis=None), args=(tf.constant(1.),))
print(st.run(f)); print(tf.function(lambda: st.run(f))())
def g():
  c = tf.distribute.get_replica_context()
  return c.merge_call(lambda s, y: tf.constant(5.), args=(tf.constant(1.),))
print(st.run(g)); print(tf.function(lambda: st.run(g))())
print(st.run(lambda: 3), st.run(lambda: None), st.run(lambda: 'a'), st.run(lambda: (x, 2)))
def h():
  c = tf.distribute.get_replica_context()
  return c.all_reduce('SUM', tf.constant(1.)), c.replica_id_in_sync_group
print(st.run(h)); print(tf.function(lambda: st.run(h))())
print(tf.function(lambda: st.run(lambda: tf.constant(4.)))())
print(tf.function(lambda x: st.run(lambda: x))(tf.constant(8.)))
print(tf.function(lambda x: st.run(lambda y: y, args=(x,)))(tf.constant(8.)))
@tf.function
def k(x):
  y = x + 1
  return st.run(lambda: (y, y + 1))
print(k(tf.constant(8.)))
