import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
print("replicas", strategy.num_replicas_in_sync)


class Regularized(tf.keras.layers.Layer):
    def __init__(self, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs):
        self.add_loss(self.rate * tf.reduce_mean(tf.square(inputs)))
        return inputs

    def get_config(self):
        return {**super().get_config(), "rate": self.rate}


class CustomModel(tf.keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.hidden = tf.keras.layers.Dense(4, activation="relu")
        self.reg = Regularized(0.05)
        self.out = tf.keras.layers.Dense(1)
        self.loss_tracker = tf.keras.metrics.Mean(name="loss")
        self.mae_metric = tf.keras.metrics.MeanAbsoluteError(name="mae")

    def call(self, x, training=False):
        return self.out(self.reg(self.hidden(x)))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = tf.reduce_mean(tf.square(y - y_pred)) + sum(self.losses)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.loss_tracker.update_state(loss)
        self.mae_metric.update_state(y, y_pred)
        return {"loss": self.loss_tracker.result(), "mae": self.mae_metric.result()}

    def test_step(self, data):
        x, y = data
        y_pred = self(x, training=False)
        self.mae_metric.update_state(y, y_pred)
        return {"mae": self.mae_metric.result()}

    @property
    def metrics(self):
        return [self.loss_tracker, self.mae_metric]


rng = np.random.RandomState(0)
x = rng.rand(40, 3).astype("float32")
y = x.sum(1, keepdims=True)
with strategy.scope():
    model = CustomModel()
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1))
history = model.fit(x, y, epochs=3, batch_size=8, verbose=0, shuffle=False)
for key in sorted(history.history):
    print(key, np.round(history.history[key], 4).tolist())
print({k: round(float(v), 4) for k, v in model.evaluate(x, y, verbose=0, return_dict=True).items()})
print(len(model.losses), [w.shape for w in model.trainable_variables])
print(model.predict(x[:2], verbose=0).shape)
with strategy.scope():
    try:
        Regularized(rate=1, unknown=2)
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
layer = Regularized.from_config(Regularized(0.3, name="r").get_config())
print(layer.rate, layer.name)
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(16).repeat()
history = model.fit(dataset, epochs=2, steps_per_epoch=3, verbose=0, validation_data=(x, y))
print(sorted(history.history), len(history.epoch))
