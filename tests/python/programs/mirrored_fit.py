import tensorflow as tf
import numpy as np

tf.keras.utils.set_random_seed(7)
strategy = tf.distribute.MirroredStrategy()
print(f"Number of devices: {strategy.num_replicas_in_sync}")
BUFFER_SIZE = 64
BATCH_SIZE_PER_REPLICA = 8
BATCH_SIZE = BATCH_SIZE_PER_REPLICA * strategy.num_replicas_in_sync

rng = np.random.RandomState(0)
x = rng.rand(64, 4).astype("float32")
y = (x.sum(axis=1) > 2.0).astype("int32")
train_dataset = tf.data.Dataset.from_tensor_slices((x, y)).cache().batch(BATCH_SIZE)
eval_dataset = tf.data.Dataset.from_tensor_slices((x[:16], y[:16])).batch(BATCH_SIZE)

with strategy.scope():
    model = tf.keras.Sequential([
        tf.keras.Input((4,)),
        tf.keras.layers.Dense(8, activation="relu"),
        tf.keras.layers.Dense(2)])
    model.compile(loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  optimizer=tf.keras.optimizers.Adam(learning_rate=0.01),
                  metrics=["accuracy"])

def decay(epoch):
    if epoch < 2:
        return 1e-2
    return 1e-3

class PrintLR(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print("\nLearning rate for epoch {} is {:.4f}".format(epoch + 1, model.optimizer.learning_rate.numpy()))

callbacks = [tf.keras.callbacks.LearningRateScheduler(decay), PrintLR()]
EPOCHS = 3
h = model.fit(train_dataset, epochs=EPOCHS, callbacks=callbacks, verbose=0)
print({k: [round(float(v), 3) for v in vs] for k, vs in h.history.items()})
eval_loss, eval_acc = model.evaluate(eval_dataset, verbose=0)
print("Eval loss: {:.3f}, Eval accuracy: {:.3f}".format(eval_loss, eval_acc))
print(model.predict(x[:2], verbose=0).shape)
print(model.optimizer.iterations.numpy())
