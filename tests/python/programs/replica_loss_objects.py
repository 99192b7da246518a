import numpy as np
import tensorflow as tf
from tensorflow import keras

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.arange(16, dtype="float32").reshape(8, 2) / 10
y = (x.sum(1, keepdims=True) - 0.5).astype("float32")
w = np.linspace(0.5, 2, 8).astype("float32")


class Own(keras.losses.Loss):
    def call(self, t, p):
        return tf.reduce_mean(tf.abs(t - p), -1)


class Scalar(keras.losses.Loss):
    def call(self, t, p):
        return tf.reduce_mean(tf.abs(t - p))


class Custom(keras.Model):
    def train_step(self, data):
        inputs, labels = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(inputs, labels, self(inputs, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"own": loss}


class WithLoss(keras.Model):
    mse = keras.losses.MeanSquaredError()

    def train_step(self, data):
        inputs, labels = data
        with tf.GradientTape() as tape:
            loss = self.mse(labels, self(inputs, training=True))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"own": loss}


for replicas in (1, 2):
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])

    def summed(value):
        return round(float(strategy.reduce("SUM", value, axis=None)), 5)
    mse, mean = keras.losses.MeanSquaredError, "mean_with_sample_weight"
    losses = [mse(), mse("sum"), keras.losses.Huber(), Own(), Own(reduction="sum"), Scalar(), keras.losses.Dice(), keras.losses.LogCosh(),
              keras.losses.Tversky(axis=(1,)), keras.losses.MeanAbsoluteError(reduction=mean), keras.losses.CosineSimilarity()]
    with strategy.scope():
        print(replicas, "in cross-replica context", [round(float(one(y, x[:, :1])), 5) for one in losses])
    data = tf.data.Dataset.from_tensor_slices((y, x, w)).batch(8)
    batch = next(iter(strategy.experimental_distribute_dataset(data)))
    for loss in losses:
        def one(labels, outputs, weights):
            return loss(labels, outputs[:, :1]), loss(labels, outputs[:, :1], sample_weight=weights)
        print(replicas, type(loss).__name__, loss.reduction, [summed(one) for one in strategy.run(one, args=batch)],
              [summed(one) for one in tf.function(lambda *b: strategy.run(one, args=b))(*batch)])
    print(replicas, "of vectors", [summed(one) for one in strategy.run(lambda y, x, w: (mse()(y[:, 0], x[:, 0]), keras.losses.get("mse")(
        y, x[:, :1])[0]), args=batch)])
    for loss in ("mse", mse("sum"), Own(), Own(reduction="sum")):
        for kind in (keras.Model, Custom, WithLoss):
            with strategy.scope():
                inputs = keras.Input((2,))
                dense = keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer=keras.regularizers.L2(0.1))
                model = kind(inputs, dense(inputs))
                model.compile(keras.optimizers.SGD(0.05), loss)
            history = model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0).history
            print(replicas, loss if isinstance(loss, str) else f"{type(loss).__name__} {loss.reduction}", kind.__name__,
                  {key: np.round(one, 4).tolist() for key, one in history.items()}, np.round(model.get_weights()[0].ravel(), 4).tolist(),
                  round(float(model.evaluate(x, y, batch_size=4, verbose=0)), 4))
    with strategy.scope():
        both = [keras.layers.Dense(1, kernel_initializer=first, name=first)(inputs) for first in ("ones", "zeros")]
        model = keras.Model(inputs, both)
        model.compile(keras.optimizers.SGD(0.05), ["mse", keras.losses.MeanAbsoluteError("sum")], loss_weights=[0.5, 2.0])
    history = model.fit(x, [y, y], batch_size=4, epochs=2, shuffle=False, verbose=0).history
    print(replicas, {key: np.round(one, 4).tolist() for key, one in history.items()})
for bad in ("auto", "average"):
    try:
        keras.losses.MeanSquaredError(bad)
    except ValueError:
        print(bad, "is no reduction")
