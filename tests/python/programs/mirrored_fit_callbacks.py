import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from tensorflow import keras
x = np.linspace(-1, 1, 64).reshape(32, 2).astype("float32"); y = (x.sum(1) > 0).astype("float32")
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
def get_compiled_model():
    inputs = keras.Input(shape=(2,)); h = keras.layers.Dense(8, activation="relu", kernel_initializer=keras.initializers.Constant(0.3))(inputs)
    outputs = keras.layers.Dense(1, activation="sigmoid", kernel_initializer=keras.initializers.Constant(0.2))(h)
    model = keras.Model(inputs, outputs); model.compile(optimizer=keras.optimizers.Adam(0.05), loss="binary_crossentropy", metrics=["accuracy", keras.metrics.AUC(name="auc")])
    return model
checkpoint_dir = "./ckpt"; os.makedirs(checkpoint_dir, exist_ok=True)
def make_or_restore():
    found = sorted(os.path.join(checkpoint_dir, n) for n in os.listdir(checkpoint_dir))
    if found: print("Restoring from", found[-1]); return keras.models.load_model(found[-1])
    print("Creating a new model"); return get_compiled_model()
class Log(keras.callbacks.Callback):
    def on_train_begin(self, logs=None): print("begin", self.params)
    def on_epoch_end(self, epoch, logs=None): print(epoch, sorted(logs), round(float(self.model.optimizer.learning_rate.numpy()), 4))
    def on_train_batch_end(self, batch, logs=None):
        if batch == 1: print("batch", batch, sorted(logs))
def decay(epoch, lr): return lr if epoch < 1 else lr * 0.5
def run_training(epochs):
    with strategy.scope(): model = make_or_restore()
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    h = model.fit(ds, epochs=epochs, validation_data=ds.take(2), verbose=0, callbacks=[keras.callbacks.ModelCheckpoint(filepath=checkpoint_dir + "/ckpt-{epoch}.keras", save_freq="epoch"), Log(), keras.callbacks.LearningRateScheduler(decay), keras.callbacks.EarlyStopping(patience=3), keras.callbacks.CSVLogger("log.csv")])
    print({k: [round(float(a), 3) for a in v] for k, v in h.history.items()}); print(open("log.csv").readline().strip())
    return model
m = run_training(2); m = run_training(1); print(sorted(os.listdir(checkpoint_dir)), int(m.optimizer.iterations.numpy()))
print([round(float(v), 3) for v in m.evaluate(x, y, verbose=0)], m.predict(x[:2], verbose=0).shape, strategy.num_replicas_in_sync)
print(m.train_on_batch(x[:8], y[:8], return_dict=True).keys(), np.round(m.test_on_batch(x[:8], y[:8]), 3).shape, m.predict_on_batch(x[:3]).shape)
class Stop(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None): self.model.stop_training = logs["accuracy"] > 0.5
print(len(m.fit(x, y, epochs=5, verbose=0, callbacks=[Stop()]).history["loss"]))
h = m.fit(x, y, epochs=3, initial_epoch=1, steps_per_epoch=2, batch_size=4, verbose=0, class_weight={0: 1.0, 1: 2.0}, validation_split=0.25); print(h.epoch, sorted(h.history))
h = m.fit(x, y, sample_weight=np.ones(32), epochs=1, verbose=0, shuffle=False); print(h.params["epochs"], h.params["steps"])
