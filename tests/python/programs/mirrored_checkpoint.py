import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(11)
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
x = np.random.RandomState(0).rand(24, 3).astype("float32")
y = x @ np.array([[1.0], [2.0], [3.0]], "float32")
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.Adam(0.05)
    step = tf.Variable(0, dtype=tf.int64, trainable=False)
    loss_fn = tf.keras.losses.MeanSquaredError(reduction="none")
    loss_metric = tf.keras.metrics.Mean()
dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(8))
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
manager = tf.train.CheckpointManager(checkpoint, "ckpts", max_to_keep=2)


@tf.function
def train_step(inputs):
    def replica(batch):
        features, labels = batch
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(loss_fn(labels, model(features, training=True)), global_batch_size=8)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        loss_metric.update_state(loss)
        return loss
    losses = strategy.run(replica, args=(inputs,))
    step.assign_add(1)
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


def epoch():
    loss_metric.reset_state()
    for batch in dataset:
        train_step(batch)
    return round(float(loss_metric.result()), 4)


print(epoch(), manager.save())
after_one = epoch()
print(after_one, manager.save(), int(step.numpy()))
checkpoint.restore(manager.checkpoints[0]).assert_existing_objects_matched()
print(int(step.numpy()), int(optimizer.iterations.numpy()), epoch() == after_one)
print(len(tf.train.list_variables(manager.latest_checkpoint)))
with strategy.scope():
    fresh = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)])
tf.train.Checkpoint(model=fresh).restore(manager.latest_checkpoint).expect_partial()
print([w.shape for w in fresh.get_weights()], np.isfinite(fresh(x).numpy()).all())
one = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)])
one.set_weights(fresh.get_weights())
print(np.allclose(one(x), fresh(x)))
fresh.save_weights("w.weights.h5")
one.load_weights("w.weights.h5")
print(np.allclose(one(x), fresh(x)))
try:
    one.load_weights("none.weights.h5")
except (FileNotFoundError, OSError, tf.errors.NotFoundError) as e:
    print("missing")
try:
    with strategy.scope():
        strategy.run(lambda: tf.distribute.get_replica_context().merge_call(lambda s: s.num_replicas_in_sync))
    print("merged")
except RuntimeError as e:
    print("RuntimeError")
other = tf.distribute.OneDeviceStrategy("/cpu:0")
try:
    with strategy.scope():
        with other.scope():
            pass
except RuntimeError as e:
    print("RuntimeError")
