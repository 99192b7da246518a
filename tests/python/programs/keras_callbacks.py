import tensorflow as tf
import numpy as np, os, tempfile
from tensorflow import keras
keras.utils.set_random_seed(7)
def get_model():
    m = keras.Sequential([keras.Input((6,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    m.compile(optimizer=keras.optimizers.RMSprop(learning_rate=0.1), loss="mean_squared_error", metrics=["mean_absolute_error"]); return m
r = np.random.RandomState(0); X = r.rand(64, 6).astype("float32"); Y = X.sum(1, keepdims=True)
class CustomCallback(keras.callbacks.Callback):
    def on_train_begin(self, logs=None): print("Starting training; got log keys: {}".format(list(logs.keys())))
    def on_train_end(self, logs=None): print("Stop training; got log keys: {}".format(list(logs.keys())))
    def on_epoch_begin(self, epoch, logs=None): print("Start epoch {} of training; got log keys: {}".format(epoch, list(logs.keys())))
    def on_epoch_end(self, epoch, logs=None): print("End epoch {} of training; got log keys: {}".format(epoch, list(logs.keys())))
    def on_test_begin(self, logs=None): print("Start testing; got log keys: {}".format(list(logs.keys())))
    def on_test_end(self, logs=None): print("Stop testing; got log keys: {}".format(list(logs.keys())))
    def on_predict_begin(self, logs=None): print("Start predicting; got log keys: {}".format(list(logs.keys())))
    def on_predict_end(self, logs=None): print("Stop predicting; got log keys: {}".format(list(logs.keys())))
    def on_train_batch_begin(self, batch, logs=None): print("...Training: start of batch {}; got log keys: {}".format(batch, list(logs.keys())))
    def on_train_batch_end(self, batch, logs=None): print("...Training: end of batch {}; got log keys: {}".format(batch, list(logs.keys())))
    def on_test_batch_end(self, batch, logs=None): print("...Evaluating: end of batch {}; got log keys: {}".format(batch, list(logs.keys())))
    def on_predict_batch_end(self, batch, logs=None): print("...Predicting: end of batch {}; got log keys: {}".format(batch, list(logs.keys())))
m = get_model(); m.fit(X, Y, batch_size=32, epochs=1, verbose=0, validation_split=0.5, callbacks=[CustomCallback()]); m.evaluate(X, Y, batch_size=64, verbose=0, callbacks=[CustomCallback()]); m.predict(X, batch_size=64, verbose=0, callbacks=[CustomCallback()])
class LRS(keras.callbacks.Callback):
    def __init__(self, schedule): super().__init__(); self.schedule = schedule
    def on_epoch_begin(self, epoch, logs=None):
        lr = self.model.optimizer.learning_rate; new = self.schedule(epoch, float(lr)); self.model.optimizer.learning_rate = new; print(f"Epoch {epoch}: Learning rate is {float(np.array(self.model.optimizer.learning_rate)):.4f}.")
m.fit(X, Y, epochs=3, verbose=0, callbacks=[LRS(lambda e, lr: lr if e < 1 else lr * .5)])
class Stop(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 1: self.model.stop_training = True; print("stopping", self.params["epochs"])
print(m.fit(X, Y, epochs=10, verbose=0, callbacks=[Stop()]).epoch)
es = keras.callbacks.EarlyStopping(monitor="loss", min_delta=100, patience=2, verbose=1, restore_best_weights=True); h = m.fit(X, Y, epochs=8, verbose=0, callbacks=[es]); print(len(h.epoch), es.stopped_epoch)
m.fit(X, Y, epochs=2, verbose=0, callbacks=[keras.callbacks.LearningRateScheduler(lambda e, lr: 0.01 * (e + 1), verbose=1)]); print(round(float(m.optimizer.learning_rate), 4))
rl = keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.5, patience=1, min_delta=100., verbose=1); m.fit(X, Y, epochs=4, verbose=0, callbacks=[rl]); print(round(float(m.optimizer.learning_rate), 5))
d = tempfile.mkdtemp(); cl = keras.callbacks.CSVLogger(os.path.join(d, "log.csv")); m.fit(X, Y, epochs=2, verbose=0, callbacks=[cl]); print([l.split(",")[0] for l in open(os.path.join(d, "log.csv")).read().split()])
lc = keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: print("lambda", e, sorted(logs))); m.fit(X, Y, epochs=1, verbose=0, callbacks=[lc])
ck = keras.callbacks.ModelCheckpoint(filepath=os.path.join(d, "ck_{epoch:02d}.weights.h5"), save_weights_only=True, verbose=1 if False else 0); m.fit(X, Y, epochs=2, verbose=0, callbacks=[ck]); print(sorted(f for f in os.listdir(d) if f.startswith("ck")))
m.fit(X, Y, epochs=1, verbose=0, callbacks=[keras.callbacks.TerminateOnNaN(), keras.callbacks.TensorBoard(os.path.join(d, "tb"))]); print(sorted(os.listdir(os.path.join(d, "tb"))))
m.fit(X, Y, batch_size=32, epochs=2, verbose=2 if False else 0, callbacks=[keras.callbacks.BackupAndRestore(os.path.join(d, "bk"))]); print("backup")
h = keras.callbacks.History(); m.fit(X, Y, epochs=1, verbose=0, callbacks=[h]); print(sorted(h.history))
m.fit(tf.data.Dataset.from_tensor_slices((X, Y)).batch(16).repeat(), steps_per_epoch=3, epochs=2, verbose=0, callbacks=[keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: print("b", batch, end=" "))]); print()
m.fit(X, Y, epochs=2, initial_epoch=1, verbose=0, callbacks=[keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: print("epoch", epoch))])
m.fit(X, Y, class_weight=None, sample_weight=np.ones(64), epochs=1, verbose=0); print("weights")
try: m.fit(X, Y[:3], verbose=0)
except ValueError as e: print(str(e)[:60])
