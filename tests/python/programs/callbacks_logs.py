# Callbacks of one's own, and Keras's, and what they see.
import numpy as np
import tensorflow as tf
from tensorflow import keras
keras.utils.set_random_seed(3)
x = np.arange(24, dtype="float32").reshape(12, 2) / 24
y = x @ np.array([[1.0], [-2.0]], "float32") + 0.5
def build():
    m = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="zeros")])
    m.compile(keras.optimizers.SGD(0.5), "mse", metrics=["mae", keras.metrics.RootMeanSquaredError(name="rmse")])
    return m
class Log(keras.callbacks.Callback):
    def on_train_begin(self, logs=None): print("train begin", logs, self.params)
    def on_epoch_begin(self, epoch, logs=None): print("epoch", epoch, logs)
    def on_train_batch_end(self, batch, logs=None): print("  batch", batch, {k: round(float(v), 3) for k, v in logs.items()})
    def on_test_begin(self, logs=None): print("  test begin", logs)
    def on_test_batch_end(self, batch, logs=None): print("  test batch", batch, sorted(logs))
    def on_epoch_end(self, epoch, logs=None): print("end", epoch, {k: round(float(v), 3) for k, v in logs.items()})
    def on_train_end(self, logs=None): print("train end", sorted(logs))
    def on_predict_begin(self, logs=None): print("predict begin", logs)
    def on_predict_batch_end(self, batch, logs=None): print("  predict batch", batch, {k: np.shape(v) for k, v in logs.items()})
    def on_predict_end(self, logs=None): print("predict end", logs)
m = build()
h = m.fit(x, y, epochs=2, batch_size=5, validation_split=0.25, shuffle=False, verbose=0, callbacks=[Log()])
m.predict(x, batch_size=8, verbose=0, callbacks=[Log()])
m.evaluate(x, y, batch_size=8, verbose=0, callbacks=[Log()])
print(h.epoch, h.params, sorted(h.history))
class StopAt(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 1: self.model.stop_training = True
m = build(); h = m.fit(x, y, epochs=5, batch_size=4, verbose=0, callbacks=[StopAt()]); print(len(h.history["loss"]), m.optimizer.iterations.numpy())
lrs = []
m = build()
m.fit(x, y, epochs=4, batch_size=4, verbose=0, callbacks=[keras.callbacks.LearningRateScheduler(lambda e, lr: lr * 0.5 if e else lr, verbose=1),
    keras.callbacks.LambdaCallback(on_epoch_end=lambda e, l: lrs.append(round(float(l["learning_rate"]), 4)))])
print(lrs)
m = build()
stop = keras.callbacks.EarlyStopping("loss", min_delta=0.05, patience=1, restore_best_weights=True, verbose=1, start_from_epoch=1)
h = m.fit(x, y, epochs=30, batch_size=12, verbose=0, callbacks=[stop]); print(len(h.epoch), stop.stopped_epoch, stop.best_epoch, round(float(stop.best), 4))
m = build()
plateau = keras.callbacks.ReduceLROnPlateau("loss", factor=0.1, patience=1, min_delta=0.2, verbose=1, min_lr=1e-3)
h = m.fit(x, y, epochs=5, batch_size=12, verbose=0, callbacks=[plateau]); print(np.round(h.history["learning_rate"], 4))
class Nan(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None): self.model.layers[0].bias.assign([np.inf])
h = build().fit(x, y, epochs=3, batch_size=4, verbose=0, callbacks=[Nan(), keras.callbacks.TerminateOnNaN()]); print(len(h.epoch))
cl = keras.callbacks.CallbackList([Log()], add_history=True, model=m); print(len(cl.callbacks), [type(c).__name__ for c in cl.callbacks])
