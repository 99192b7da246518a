"""Steps counted, steps_per_execution, callbacks' logs and a custom train_step under a strategy."""
import numpy as np
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.tracker = tf.keras.metrics.Mean(name="tracked")
    def call(self, x, training=False):
        return self.dense(x)
    def train_step(self, data):
        x, y = data
        ctx = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x=x, y=y, y_pred=self(x, training=True))
        self.optimizer.apply(self_grads := tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        self.tracker.update_state(tf.reduce_sum(x) + tf.cast(ctx.replica_id_in_sync_group, tf.float32))
        return {"loss": loss, "tracked": self.tracker.result(), "rows": tf.shape(x)[0]}
    @property
    def metrics(self):
        return [self.tracker]
class Log(tf.keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None): print("begin", batch, end=" ")
    def on_train_batch_end(self, batch, logs=None): print("end", batch, sorted(logs), f"{float(logs['tracked']):.3f}")
    def on_epoch_end(self, epoch, logs=None): print("epoch", epoch, {k: round(float(v), 3) for k, v in logs.items() if k == "tracked"}, self.model.optimizer.iterations.numpy())
x = np.arange(24, dtype="float32").reshape(12, 2) / 24; y = x.sum(1, keepdims=True) * 2
with strategy.scope():
    m = Model(); m.compile(tf.keras.optimizers.SGD(0.05), "mse")
m.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0, callbacks=[Log()])
print(m.dense.kernel.numpy().round(4).tolist(), m.dense.bias.numpy().round(4).tolist())
class Eval(tf.keras.Model):
    def __init__(self): super().__init__(); self.d = tf.keras.layers.Dense(1, kernel_initializer="ones")
    def call(self, x): return self.d(x)
    def test_step(self, data):
        x, y = data
        p = self(x)
        for one in self.metrics: one.update_state(self.compute_loss(x, y, p)) if one.name == "loss" else one.update_state(y, p)
        return {one.name: one.result() for one in self.metrics}
    def predict_step(self, data): return self(data) * 10.0
with strategy.scope():
    e = Eval(); e.compile("sgd", "mse")
print({k: round(float(v), 4) for k, v in e.evaluate(x, y, batch_size=4, verbose=0, return_dict=True).items()}, e.predict(x[:4], batch_size=2, verbose=0).round(3).tolist())
with strategy.scope():
    s = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    s.compile(tf.keras.optimizers.SGD(0.05), "mse", metrics=[tf.keras.metrics.RootMeanSquaredError(), "mae"])
h = s.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
print({k: [round(v, 4) for v in q] for k, q in h.history.items()}, s.optimizer.iterations.numpy())
