import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
print("replicas", strategy.num_replicas_in_sync)
x = np.arange(64, dtype="float32").reshape(16, 4) / 64
y = (x.sum(1) > 2).astype("int64")
BATCH_SIZE_PER_REPLICA = 4
GLOBAL = BATCH_SIZE_PER_REPLICA * strategy.num_replicas_in_sync
train = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL))
test = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL))
with strategy.scope():
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=tf.keras.losses.Reduction.NONE)
    def compute_loss(labels, predictions, model_losses):
        per_example_loss = loss_object(labels, predictions)
        loss = tf.nn.compute_average_loss(per_example_loss)
        if model_losses:
            loss += tf.nn.scale_regularization_loss(tf.add_n(model_losses))
        return loss
    test_loss = tf.keras.metrics.Mean(name="test_loss")
    train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="train_accuracy")
    test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="test_accuracy")
    regularizer = tf.keras.regularizers.L2(1e-3)
    model = tf.keras.models.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8, activation="relu", kernel_regularizer=regularizer, kernel_initializer=tf.keras.initializers.Constant(0.2)), tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.Constant([[0.1, -0.1]] * 8), kernel_regularizer=regularizer)])
    optimizer = tf.keras.optimizers.Adam(learning_rate=0.05)
    checkpoint = tf.train.Checkpoint(optimizer=optimizer, model=model)

def train_step(inputs):
    images, labels = inputs
    with tf.GradientTape() as tape:
        predictions = model(images, training=True)
        loss = compute_loss(labels, predictions, model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_accuracy.update_state(labels, predictions)
    return loss

def test_step(inputs):
    images, labels = inputs
    predictions = model(images, training=False)
    t_loss = loss_object(labels, predictions)
    test_loss.update_state(t_loss)
    test_accuracy.update_state(labels, predictions)

@tf.function
def distributed_train_step(dataset_inputs):
    per_replica_losses = strategy.run(train_step, args=(dataset_inputs,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)

@tf.function
def distributed_test_step(dataset_inputs):
    return strategy.run(test_step, args=(dataset_inputs,))

for epoch in range(4):
    total_loss = 0.0
    num_batches = 0
    for item in train:
        total_loss += distributed_train_step(item)
        num_batches += 1
    train_loss = total_loss / num_batches
    for item in test:
        distributed_test_step(item)
    if epoch % 2 == 0:
        checkpoint.save(os.path.join("training", "ckpt"))
    template = "Epoch {}, Loss: {:.4f}, Accuracy: {:.2f}, Test Loss: {:.4f}, Test Accuracy: {:.2f}"
    print(template.format(epoch + 1, float(train_loss), float(train_accuracy.result() * 100), float(test_loss.result()), float(test_accuracy.result() * 100)))
    test_loss.reset_state(); train_accuracy.reset_state(); test_accuracy.reset_state()

@tf.function
def distributed_train_epoch(dataset):
    total_loss = 0.0
    num_batches = 0
    for item in dataset:
        per_replica_losses = strategy.run(train_step, args=(item,))
        total_loss += strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)
        num_batches += 1
    return total_loss / tf.cast(num_batches, dtype=tf.float32)
print(f"whole epoch {float(distributed_train_epoch(train)):.4f}")
eval_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="eval_accuracy")
new_model = tf.keras.models.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
checkpoint = tf.train.Checkpoint(optimizer=tf.keras.optimizers.Adam(), model=new_model)
status = checkpoint.restore(tf.train.latest_checkpoint("training"))
print(os.path.basename(tf.train.latest_checkpoint("training")))
@tf.function
def eval_step(images, labels):
    predictions = new_model(images, training=False)
    eval_accuracy(labels, predictions)
for images, labels in tf.data.Dataset.from_tensor_slices((x, y)).batch(4): eval_step(images, labels)
print("Accuracy after restoring: {:.2f}".format(float(eval_accuracy.result() * 100)))
it = iter(train)
for _ in range(1):
    print(round(float(distributed_train_step(next(it))), 4))
@tf.function
def replica_fn():
    ctx = tf.distribute.get_replica_context()
    return ctx.replica_id_in_sync_group, ctx.num_replicas_in_sync, ctx.all_reduce("sum", tf.cast(ctx.replica_id_in_sync_group, tf.float32) + 1)
ids, n, s = strategy.run(replica_fn)
print([int(i) for i in strategy.experimental_local_results(ids)], n if isinstance(n, int) else strategy.experimental_local_results(n)[0], [float(v) for v in strategy.experimental_local_results(s)])
per = strategy.experimental_distribute_values_from_function(lambda ctx: tf.constant(ctx.replica_id_in_sync_group * 10.0))
print(strategy.experimental_local_results(per), strategy.reduce("MEAN", per, axis=None).numpy())
print(strategy.gather(strategy.run(lambda: tf.constant([[1, 2]])), axis=0).numpy())
