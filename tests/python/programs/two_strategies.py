"""OneDeviceStrategy and CentralStorageStrategy: variables, devices, custom training, restore into each other."""
import os, tempfile
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
folder = tempfile.mkdtemp()
def train(strategy, restore=None):
    tf.keras.utils.set_random_seed(4)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3, kernel_initializer="ones", activation="tanh"), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        opt = tf.keras.optimizers.Adam(0.1)
        opt.build(model.trainable_variables)
        step = tf.Variable(0, dtype=tf.int64, trainable=False, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
    ckpt = tf.train.Checkpoint(model=model, opt=opt, step=step)
    if restore:
        ckpt.restore(restore).assert_existing_objects_matched()
    print(type(strategy).__name__, strategy.num_replicas_in_sync, step.numpy(), opt.iterations.numpy())
    ds = tf.data.Dataset.from_tensor_slices((tf.reshape(tf.range(16.0), [8, 2]) / 16, tf.reshape(tf.range(8.0), [8, 1]) / 8)).batch(4)
    @tf.function
    def train_step(inputs):
        def fn(inputs):
            x, y = inputs
            with tf.GradientTape() as tape:
                loss = tf.nn.compute_average_loss(tf.reduce_sum((model(x) - y) ** 2, axis=1), global_batch_size=4)
            opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
            step.assign_add(tf.constant(1, tf.int64))
            return loss
        return strategy.reduce("SUM", strategy.run(fn, args=(inputs,)), axis=None)
    print([f"{train_step(b).numpy():.4f}" for b in strategy.experimental_distribute_dataset(ds)])
    print(step.numpy(), [[round(float(z), 4) for z in w.ravel()] for w in model.get_weights()][-2:])
    return ckpt.save(os.path.join(folder, type(strategy).__name__))
a = train(tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]))
b = train(tf.distribute.OneDeviceStrategy("/cpu:1"), a)
c = train(tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0"), b)
d = train(tf.distribute.get_strategy(), c)
print([os.path.basename(p) for p in (a, b, c, d)])
keys = [[k for k, _ in tf.train.list_variables(p)] for p in (a, b, c, d)]
print(len(keys[0]), [k == keys[0] for k in keys])
central = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:1")
with central.scope():
    w = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)


def f():
    w.assign_add(tf.constant(2.0))
    return w.read_value()
central.run(tf.function(f))
print(w.numpy())
