"""Reduction to one loss value: per-example losses, uneven last batches, regularizers, sample weights."""
import numpy as np
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
x = np.arange(14, dtype="float32").reshape(7, 2) / 10; y = np.arange(7) % 2
ds = tf.data.Dataset.from_tensor_slices((x, y, np.linspace(0.5, 1.5, 7).astype("float32"))).batch(4)
dist = strategy.experimental_distribute_dataset(ds)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(2, kernel_initializer="ones", kernel_regularizer="l2")])
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)
    opt = tf.keras.optimizers.SGD(0.5)
    test_loss = tf.keras.metrics.Mean(name="test_loss"); acc = tf.keras.metrics.SparseCategoricalAccuracy(); auc = tf.keras.metrics.AUC(num_thresholds=10)
    def compute_loss(labels, predictions, weights, losses):
        per = loss_object(labels, predictions)
        loss = tf.nn.compute_average_loss(per, sample_weight=weights, global_batch_size=4)
        return loss + tf.nn.scale_regularization_loss(losses)
@tf.function
def train(a, b, w):
    def fn(a, b, w):
        with tf.GradientTape() as tape:
            p = model(a, training=True); loss = compute_loss(b, p, w, model.losses)
        opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        acc.update_state(b, p); auc.update_state(b, tf.nn.softmax(p)[:, 1]); return loss
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(fn, args=(a, b, w)), axis=None)
@tf.function
def test(a, b, w):
    strategy.run(lambda a, b, w: test_loss.update_state(loss_object(b, model(a)), w), args=(a, b, w))
for epoch in range(2):
    print([f"{train(*e).numpy():.4f}" for e in dist])
    for e in dist: test(*e)
    print(f"{test_loss.result().numpy():.4f} {acc.result().numpy():.4f} {auc.result().numpy():.4f}", test_loss.count.numpy())
    for q in (test_loss, acc, auc): q.reset_state()
print(np.round(model.get_weights()[0], 4).tolist(), np.round(model.get_weights()[1], 4).tolist())
print(tf.nn.compute_average_loss([1.0, 2.0, 3.0]).numpy(), tf.nn.compute_average_loss(tf.constant([1.0, 2.0]), global_batch_size=8).numpy(), tf.nn.scale_regularization_loss(tf.constant(3.0)).numpy())
with strategy.scope():
    for call in (lambda: tf.nn.compute_average_loss(tf.constant([1.0])), lambda: tf.nn.scale_regularization_loss(tf.constant(1.0))):
        try: print(call())
        except RuntimeError as e: print("RuntimeError", e)
print(local := [v.numpy() for v in strategy.experimental_local_results(strategy.run(lambda: tf.nn.compute_average_loss(tf.constant([1.0, 3.0]))))])
print([v.numpy() for v in strategy.experimental_local_results(strategy.run(lambda: tf.nn.scale_regularization_loss(tf.constant(1.0))))])
try: tf.nn.compute_average_loss(tf.constant(1.0), global_batch_size=2)
except ValueError as e: print("ValueError", e)
try: tf.nn.compute_average_loss(tf.constant([1.0]), global_batch_size=2.0)
except TypeError as e: print("TypeError", e)
