import tensorflow as tf
import numpy as np
# Custom training with tf.distribute.Strategy (tutorial), two logical CPUs
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()])
strategy = tf.distribute.MirroredStrategy(devices=["/cpu:0", "/cpu:1"])
print('Number of devices: {}'.format(strategy.num_replicas_in_sync))
BATCH_SIZE_PER_REPLICA = 8
GLOBAL_BATCH_SIZE = BATCH_SIZE_PER_REPLICA * strategy.num_replicas_in_sync
EPOCHS = 3
rng = np.random.RandomState(0)
x_train = rng.rand(64, 10).astype(np.float32); y_train = (x_train[:, :3].argmax(1)).astype(np.int64)
train_dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(GLOBAL_BATCH_SIZE)
train_dist_dataset = strategy.experimental_distribute_dataset(train_dataset)
test_dist_dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x_train[:32], y_train[:32])).batch(GLOBAL_BATCH_SIZE))
def create_model():
    return tf.keras.Sequential([tf.keras.Input((10,)), tf.keras.layers.Dense(16, activation='relu', kernel_initializer=tf.keras.initializers.GlorotUniform(seed=1)), tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.GlorotUniform(seed=2))])
with strategy.scope():
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)
    def compute_loss(labels, predictions, model_losses):
        per_example_loss = loss_object(labels, predictions)
        loss = tf.nn.compute_average_loss(per_example_loss)
        if model_losses:
            loss += tf.nn.scale_regularization_loss(tf.add_n(model_losses))
        return loss
    test_loss = tf.keras.metrics.Mean(name='test_loss')
    train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name='train_accuracy')
    test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name='test_accuracy')
    model = create_model()
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.5)
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
for epoch in range(EPOCHS):
    total_loss = 0.0; num_batches = 0
    for x in train_dist_dataset:
        total_loss += distributed_train_step(x); num_batches += 1
    train_loss = total_loss / num_batches
    for x in test_dist_dataset:
        distributed_test_step(x)
    template = "Epoch {}, Loss: {:.4f}, Accuracy: {:.2f}, Test Loss: {:.4f}, Test Accuracy: {:.2f}"
    print(template.format(epoch + 1, train_loss, train_accuracy.result() * 100, test_loss.result(), test_accuracy.result() * 100))
    test_loss.reset_state(); train_accuracy.reset_state(); test_accuracy.reset_state()
for _ in range(2):
    total_loss = 0.0; num_batches = 0
    train_iter = iter(train_dist_dataset)
    for _ in range(3):
        total_loss += distributed_train_step(next(train_iter)); num_batches += 1
    print("Loss {:.4f}".format(total_loss / num_batches))
@tf.function
def distributed_train_epoch(dataset):
    total_loss = 0.0; num_batches = 0
    for x in dataset:
        per_replica_losses = strategy.run(train_step, args=(x,))
        total_loss += strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)
        num_batches += 1
    return total_loss / tf.cast(num_batches, dtype=tf.float32)
print("Epoch loss {:.4f}".format(distributed_train_epoch(train_dist_dataset)))
