import tensorflow as tf, numpy as np
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()]*2)
s = tf.distribute.MirroredStrategy(["CPU:0","CPU:1"])
x = np.arange(48, dtype=np.float32).reshape(16, 3) / 48; y = x.sum(1, keepdims=True)
ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
with s.scope():
    w = tf.Variable([[1.0], [2.0], [3.0]])
    mean = tf.keras.metrics.Mean()
dist = s.experimental_distribute_dataset(ds)
def make(op, sync):
    @tf.function
    def train(batch):
        def step(b):
            x, y = b
            with tf.GradientTape() as t:
                l = tf.nn.compute_average_loss(tf.reduce_sum((op(x, w) - y) ** 2, -1), global_batch_size=4)
            g = t.gradient(l, w)
            if sync: g = tf.distribute.get_replica_context().all_reduce("SUM", g)
            return l
        return s.reduce("SUM", s.run(step, args=(batch,)), axis=None)
    return train
for name, op in (("@", lambda x, w: x @ w), ("matmul", lambda x, w: tf.matmul(x, w)), ("read", lambda x, w: x @ w.read_value()), ("tr", lambda x, w: x * tf.transpose(w))):
    for sync in (False, True):
        try: print(name, sync, ["%.6f" % float(make(op, sync)(b)) for b in dist])
        except Exception as e: print(name, sync, type(e).__name__, str(e)[:150])
