"""Metrics, mixed precision and loss scaling in a custom loop under MirroredStrategy."""
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
tf.keras.mixed_precision.set_global_policy("mixed_float16")
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(2, kernel_initializer="ones"), tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")])
    opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.125), initial_scale=1024.0, dynamic_growth_steps=3)
    mean = tf.keras.metrics.Mean(); acc = tf.keras.metrics.BinaryAccuracy(threshold=0.5); mse = tf.keras.metrics.MeanSquaredError()
    opt.build(model.trainable_variables)
print(model.layers[0].compute_dtype, model.layers[0].variable_dtype, model.layers[1].compute_dtype, model.dtype_policy.name)
@tf.function
def step(x, y):
    def fn(x, y):
        with tf.GradientTape() as tape:
            p = model(x, training=True)
            loss = tf.nn.compute_average_loss(tf.square(p - y)[:, 0], global_batch_size=4)
            scaled = opt.scale_loss(loss)
        grads = tape.gradient(scaled, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        mean.update_state(loss); acc.update_state(y, p); mse.update_state(y, p)
        return loss
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(fn, args=(x, y)), axis=None)
x = tf.constant([[0.0, 0.25], [0.5, 0.25], [0.25, 0.25], [0.0, 0.5]]); y = tf.constant([[0.0], [1.0], [1.0], [0.0]])
ds = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat(4))
for a, b in ds:
    print(f"{step(a, b).numpy():.3f}", opt.iterations.numpy(), float(opt.dynamic_scale.numpy()))
print(f"{mean.result().numpy():.3f} {acc.result().numpy():.3f} {mse.result().numpy():.3f}")
print([[len(strategy.experimental_local_results(v)), round(float(v.numpy()), 2)] for v in mean.variables])
mean.reset_state()
print(mean.result().numpy(), [v.numpy() for v in mean.variables])
bad = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x * float("inf"), y)).batch(4))
before = model.get_weights()
for a, b in bad:
    step(a, b)
print(float(opt.dynamic_scale.numpy()), opt.iterations.numpy(), all((p == q).all() for p, q in zip(before, model.get_weights())))
tf.keras.mixed_precision.set_global_policy("float32")
import os
import tempfile
import zipfile
import h5py
d = tempfile.mkdtemp()
o = tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), initial_scale=16.0); w = tf.Variable(1.0, name="w")
print([v.path for v in o.variables], o.built)
o.build([w])
print([(v.path, v.shape) for v in o.variables])
for k, s in tf.train.list_variables(tf.train.Checkpoint(o=o, w=w).save(os.path.join(d, "c"))): print(k, s)
m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, dtype="mixed_float16")], name="m"); m.compile(tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 16.0, 2, name="lso"), "mse")
m.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0, epochs=3)
m.save(os.path.join(d, "m.keras"))
l = tf.keras.models.load_model(os.path.join(d, "m.keras"))
print(type(l.optimizer).__name__, l.optimizer.name, l.optimizer.dynamic_scale.numpy(), l.optimizer.step_counter.numpy(), l.optimizer.iterations.numpy(), l.optimizer.learning_rate.numpy())
m.save_weights(os.path.join(d, "x.weights.h5"))
zipfile.ZipFile(os.path.join(d, "m.keras")).extract("model.weights.h5", d)
h5py.File(os.path.join(d, "model.weights.h5")).visititems(lambda n, o: print(n, getattr(o, "shape", "")))
for bad in (dict(clipnorm=1.0), dict(foo=1), dict(dynamic=False)):
    try: tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), **bad)
    except ValueError as e: print(e)
print(o.scale_loss(2.0).numpy())
print(tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(o)).initial_scale)
