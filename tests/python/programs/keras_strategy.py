import tensorflow as tf
import numpy as np, os, tempfile
strategy = tf.distribute.MirroredStrategy()
print('Number of devices: {}'.format(strategy.num_replicas_in_sync))
tf.keras.utils.set_random_seed(5)
rng = np.random.RandomState(0); x = rng.rand(120, 12).astype("float32"); y = (x[:, :4].sum(1) > 2).astype("int64")
BATCH = 20 * strategy.num_replicas_in_sync
train = tf.data.Dataset.from_tensor_slices((x[:100], y[:100])).cache().batch(BATCH); test = tf.data.Dataset.from_tensor_slices((x[100:], y[100:])).batch(BATCH)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((12,)), tf.keras.layers.Dense(16, activation='relu'), tf.keras.layers.Dense(2)])
    model.compile(loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), optimizer=tf.keras.optimizers.Adam(learning_rate=0.01), metrics=['accuracy'])
d = tempfile.mkdtemp()
def decay(epoch): return 1e-2 if epoch < 2 else 1e-3
class PrintLR(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None): print('Learning rate for epoch {} is {:.4f}'.format(epoch + 1, self.model.optimizer.learning_rate.numpy()))
callbacks = [tf.keras.callbacks.ModelCheckpoint(filepath=os.path.join(d, "ckpt_{epoch}.weights.h5"), save_weights_only=True), tf.keras.callbacks.LearningRateScheduler(decay), PrintLR(), tf.keras.callbacks.TensorBoard(log_dir=os.path.join(d, "logs"))]
h = model.fit(train, epochs=4, callbacks=callbacks, verbose=0)
print({k: [round(float(a), 3) for a in v] for k, v in h.history.items() if k != "learning_rate"})
print(sorted(os.listdir(d)))
model.load_weights(os.path.join(d, "ckpt_1.weights.h5")); l1 = model.evaluate(test, verbose=0)
model.load_weights(os.path.join(d, "ckpt_4.weights.h5")); l4 = model.evaluate(test, verbose=0)
print("loss %.3f -> %.3f, accuracy %.2f -> %.2f" % (l1[0], l4[0], l1[1], l4[1]))
path = os.path.join(d, "my_model.keras"); model.save(path)
again = tf.keras.models.load_model(path); print(np.allclose(again.predict(x[:5], verbose=0), model.predict(x[:5], verbose=0)))
with strategy.scope():
    rep = tf.keras.models.load_model(path); print("%.3f" % rep.evaluate(test, verbose=0)[0] == "%.3f" % l4[0])
print([v.shape for v in model.trainable_variables], model.optimizer.iterations.numpy())
model.summary()
