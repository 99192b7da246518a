import tensorflow as tf
import numpy as np
import os, tempfile
tf.keras.utils.set_random_seed(2)
d = tempfile.mkdtemp()
x = np.linspace(-1, 1, 32).reshape(16, 2).astype("float32"); y = (x[:, :1] * 2 + 1).astype("float32")
def make():
    m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    m.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    return m
class Log(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None): print("train begin", self.params, self.model.name is not None)
    def on_epoch_begin(self, epoch, logs=None): print("epoch begin", epoch, logs)
    def on_train_batch_begin(self, batch, logs=None): print("batch begin", batch, logs)
    def on_train_batch_end(self, batch, logs=None): print("batch end", batch, {k: round(float(v), 4) for k, v in logs.items()})
    def on_test_begin(self, logs=None): print("test begin", logs)
    def on_test_batch_end(self, batch, logs=None): print("test batch end", batch, sorted(logs))
    def on_test_end(self, logs=None): print("test end", sorted(logs))
    def on_epoch_end(self, epoch, logs=None): print("epoch end", epoch, {k: round(float(v), 4) for k, v in logs.items()})
    def on_train_end(self, logs=None): print("train end", sorted(logs))
    def on_predict_begin(self, logs=None): print("predict begin")
    def on_predict_batch_end(self, batch, logs=None): print("predict batch", batch, sorted(logs))
    def on_predict_end(self, logs=None): print("predict end")
m = make(); m.fit(x, y, batch_size=8, epochs=1, shuffle=False, validation_data=(x[:8], y[:8]), callbacks=[Log()], verbose=0); m.predict(x, batch_size=8, callbacks=[Log()], verbose=0)
es = tf.keras.callbacks.EarlyStopping(monitor="loss", patience=1, min_delta=1.0, restore_best_weights=True, verbose=1)
h = make().fit(x, y, epochs=10, callbacks=[es], verbose=0); print(len(h.history["loss"]), es.stopped_epoch, round(float(es.best), 4), es.wait)
cp = tf.keras.callbacks.ModelCheckpoint(os.path.join(d, "w{epoch:02d}.weights.h5"), save_weights_only=True, save_best_only=True, monitor="loss", verbose=1)
make().fit(x, y, epochs=2, callbacks=[cp], verbose=0) if False else None
cp = tf.keras.callbacks.ModelCheckpoint(os.path.join(d, "w{epoch:02d}.weights.h5"), save_weights_only=True)
make().fit(x, y, epochs=2, callbacks=[cp], verbose=0); print(sorted(os.listdir(d)))
rl = tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.5, patience=0, min_delta=1.0, verbose=1); m = make(); h = m.fit(x, y, epochs=3, callbacks=[rl], verbose=0); print([round(float(v), 4) for v in h.history["learning_rate"]])
csv = tf.keras.callbacks.CSVLogger(os.path.join(d, "log.csv"), separator=";"); make().fit(x, y, epochs=2, callbacks=[csv], verbose=0); print(open(os.path.join(d, "log.csv")).readline().strip())
lam = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: print("lambda", e, sorted(logs))); make().fit(x, y, epochs=1, callbacks=[lam], verbose=0)
sch = tf.keras.callbacks.LearningRateScheduler(lambda e, lr: lr * 0.5, verbose=1); m = make(); m.fit(x, y, epochs=2, callbacks=[sch], verbose=0); print(float(m.optimizer.learning_rate))
class Stop(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 1: self.model.stop_training = True
h = make().fit(x, y, batch_size=4, epochs=5, callbacks=[Stop()], verbose=0); print(len(h.epoch), h.epoch, h.params)
tn = tf.keras.callbacks.TerminateOnNaN(); m = make(); h = m.fit(x * np.nan, y, epochs=3, callbacks=[tn], verbose=0); print(len(h.history["loss"]))
b = tf.keras.callbacks.BackupAndRestore(os.path.join(d, "backup")); make().fit(x, y, epochs=2, callbacks=[b], verbose=0)
hist = tf.keras.callbacks.History(); make().fit(x, y, epochs=2, callbacks=[hist], verbose=0, validation_split=0.25); print(sorted(hist.history))
m = make(); m.fit(x, y, epochs=2, verbose=2) if False else None
cl = tf.keras.callbacks.CallbackList([Log()], model=make(), add_history=True); print(len(cl.callbacks) >= 2)
m.fit(x, y, epochs=4, initial_epoch=2, verbose=0, class_weight=None, sample_weight=np.ones(16)); print(m.history.epoch)
m.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat(), steps_per_epoch=2, epochs=2, verbose=0, validation_data=(x, y), validation_freq=2); print({k: len(v) for k, v in sorted(m.history.history.items())})
r = m.evaluate(x, y, verbose=0, return_dict=True); print(sorted(r)); print(m.metrics_names, len(m.train_on_batch(x, y, return_dict=True)), len(m.test_on_batch(x, y)), m.predict_on_batch(x).shape)
print(tf.keras.callbacks.ProgbarLogger.__name__)

for told in (dict(monitor="nope"), dict(monitor="nope", mode="min"), dict(monitor="mae")):
    watched = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    watched.compile("sgd", "mse", metrics=["mae"])
    try:
        watched.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0, callbacks=[tf.keras.callbacks.EarlyStopping(**told)])
        print("no error")
    except ValueError as error:
        print(error)
