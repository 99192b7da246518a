# A model with its own train_step, test_step, predict_step, metrics and compile.
import numpy as np
import tensorflow as tf
from tensorflow import keras
keras.utils.set_random_seed(11)
class Regressor(keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.hidden = keras.layers.Dense(4, activation="tanh", kernel_initializer="ones")
        self.out = keras.layers.Dense(1, kernel_initializer="ones")
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.mae = keras.metrics.MeanAbsoluteError(name="mae")
    def call(self, x, training=False):
        return self.out(self.hidden(x))
    def compile(self, optimizer, scale=1.0, **kwargs):
        super().compile(optimizer=optimizer, **kwargs)
        self.scale = scale
    @property
    def metrics(self):
        return [self.loss_tracker, self.mae]
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            p = self(x, training=True)
            loss = self.scale * tf.reduce_mean(tf.square(y - p))
        grads = tape.gradient(loss, self.trainable_variables)
        grads, norm = tf.clip_by_global_norm(grads, 1.0)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.loss_tracker.update_state(loss)
        self.mae.update_state(y, p)
        return {"loss": self.loss_tracker.result(), "mae": self.mae.result(), "norm": norm}
    def test_step(self, data):
        x, y = data
        p = self(x, training=False)
        self.mae.update_state(y, p)
        return {"mae": self.mae.result()}
    def predict_step(self, data):
        x = data[0] if isinstance(data, tuple) else data
        return {"p": self(x, training=False), "twice": 2 * self(x)}
x = np.linspace(-1, 1, 12).reshape(6, 2).astype("float32")
y = x.sum(1, keepdims=True)
m = Regressor(name="reg")
m.compile(keras.optimizers.SGD(0.1), scale=2.0)
h = m.fit(x, y, epochs=3, batch_size=3, shuffle=False, verbose=0, validation_data=(x[:2], y[:2]))
for k, v in h.history.items(): print(k, np.round(v, 4))
print({k: round(float(v), 4) for k, v in m.evaluate(x, y, verbose=0, return_dict=True).items()})
p = m.predict(x, batch_size=4, verbose=0)
print({k: (v.shape, np.round(v[:2, 0], 3)) for k, v in p.items()})
print([n.name for n in m.metrics], m.metrics_names)
try:
    Regressor().fit(x, y)
except ValueError as e: print(str(e).splitlines()[0])
m.summary()
m.reset_metrics() if hasattr(m, "reset_metrics") else None
print(float(m.mae.result()), [v.path for v in m.trainable_variables], m.optimizer.iterations.numpy())
ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
print({k: v.shape for k, v in m.predict(ds, verbose=0).items()})
print(sorted(m.predict_on_batch(x[:2])))
