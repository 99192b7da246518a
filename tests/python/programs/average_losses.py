"""Losses of replicas as parts of the mean over all examples."""
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
s = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
@tf.function
def f(x):
    def fn(x):
        return tf.nn.compute_average_loss(x, global_batch_size=tf.shape(x)[0] * s.num_replicas_in_sync), tf.nn.compute_average_loss(x)
    return s.run(fn, args=(x,))
for x in (tf.ones([3]) * 6, tf.ones([4]) * 8):
    print([v.numpy() for v in s.experimental_local_results(f(x)[0])], [v.numpy() for v in s.experimental_local_results(f(x)[1])])
@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def g(x):
    def fn(x):
        return tf.nn.compute_average_loss(x, global_batch_size=tf.shape(x)[0] * s.num_replicas_in_sync)
    return s.run(fn, args=(x,))
for x in (tf.ones([3]) * 6, tf.ones([4]) * 8):
    print([v.numpy() for v in s.experimental_local_results(g(x))])
with s.scope():
    print(tf.nn.compute_average_loss(tf.ones([3, 2]), global_batch_size=4))
print(tf.nn.compute_average_loss(tf.ones([3, 2]), sample_weight=[1., 2., 3.], global_batch_size=4))
print(tf.nn.compute_average_loss(tf.ones([3]), global_batch_size=0))
print(tf.nn.compute_average_loss([1.0, 2.0], sample_weight=0.5))
print(tf.nn.compute_average_loss(tf.ones([0])))
print(tf.nn.compute_average_loss(tf.constant([1.0, 2.0], tf.float16)))
print(tf.nn.scale_regularization_loss([1.0, 2.0]))
print(tf.nn.scale_regularization_loss(3.0))
for bad in (lambda: tf.nn.compute_average_loss(tf.ones([3]), global_batch_size=-1), lambda: tf.nn.compute_average_loss(tf.ones([3]), global_batch_size=[4])):
    try: print(bad())
    except Exception as e: print(type(e).__name__, str(e).split("\n")[0].strip().rstrip("."))
