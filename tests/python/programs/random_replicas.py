import tensorflow as tf, numpy as np
tf.config.set_logical_device_configuration(tf.config.list_physical_devices('CPU')[0], [tf.config.LogicalDeviceConfiguration()] * 2)
s = tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])
tf.random.set_seed(4)
def loc(v): return [x.numpy().round(4).tolist() for x in s.experimental_local_results(v)]
@tf.function
def c(v):
    def f(t):
        u = tf.random.normal(tf.shape(t), seed=7)
        return u + t
    return s.run(f, args=(v,))
ds = s.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(np.zeros([5, 1], 'float32')).batch(4))
for v in ds: print([x.shape for x in s.experimental_local_results(c(v))])
with s.scope():
    g = tf.random.Generator.from_seed(3)
    w = tf.Variable(tf.random.uniform([2], seed=1)); u = tf.Variable(tf.random.normal([2]))
print(loc(w), loc(u))
@tf.function
def d(): return s.run(lambda: g.normal([2]))
print(loc(d()), loc(d()))
def aug(x): return x + tf.random.uniform([], seed=2)
dd = s.experimental_distribute_dataset(tf.data.Dataset.range(8).map(lambda x: tf.cast(x, tf.float32)).map(aug).batch(4))
for e in range(2): print([loc(v) for v in dd])
dsf = s.distribute_datasets_from_function(lambda ctx: tf.data.Dataset.range(8).map(lambda x: tf.cast(x, tf.float32)).map(aug).shuffle(8, seed=1).batch(2))
for e in range(2): print([loc(v) for v in dsf])
print(loc(s.run(lambda: tf.random.stateless_uniform([2], [1, 2]))))
def rid():
    ctx = tf.distribute.get_replica_context()
    return tf.random.stateless_uniform([1], tf.stack([5, ctx.replica_id_in_sync_group]))
print(loc(s.run(rid)), loc(s.run(tf.function(rid))))
l = None
with s.scope(): l = tf.keras.layers.Dropout(0.5, seed=1)
@tf.function
def drop(): return s.run(lambda: l(tf.ones([6]), training=True))
r = loc(drop()); print(r); print(loc(drop()))
opt = tf.data.Options(); opt.deterministic = True
p = tf.data.Dataset.range(6).map(lambda x: tf.random.uniform([], seed=3), num_parallel_calls=1).with_options(opt)
print([round(float(v), 4) for v in p])
