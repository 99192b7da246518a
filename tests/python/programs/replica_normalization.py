import tensorflow as tf, numpy as np
# replica-aware: sync batch norm, per-replica ids, custom reduce, dropouts with seeds
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
s = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], cross_device_ops=tf.distribute.ReductionToOneDevice())
with s.scope():
    bn = tf.keras.layers.BatchNormalization(synchronized=True, momentum=0.5)
    bn2 = tf.keras.layers.BatchNormalization(momentum=0.5)
    bn.build((None, 2)); bn2.build((None, 2))
vals = s.experimental_distribute_values_from_function(lambda c: tf.constant([[1., 2.], [3., 5.]]) + 4. * c.replica_id_in_sync_group)
@tf.function
def run(v): return s.run(lambda x: (bn(x, training=True), bn2(x, training=True)), args=(v,))
a, b = run(vals)
print(a.values[0].numpy().round(3), b.values[1].numpy().round(3))
print(bn.moving_mean.numpy(), bn.moving_variance.numpy().round(4))
class MyLayer(tf.keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1],), initializer="ones", name="w")
        self.calls = self.add_weight(shape=(), initializer="zeros", trainable=False, name="calls", aggregation="sum")
    def call(self, x):
        self.calls.assign_add(1.0); return x * self.w
with s.scope(): l = MyLayer(); l.build((None, 2))
s.run(lambda x: l(x), args=(vals,)); print(l.calls.numpy())
