# A train_step as it was written for Keras 2, and one that goes over the metrics.
import warnings

import numpy as np
import tensorflow as tf

K, L = tf.keras, tf.keras.layers
warnings.simplefilter("ignore")
x = np.random.RandomState(0).rand(48, 4).astype("float32")
y = x.sum(1, keepdims=True)


class Older(K.Model):
    def train_step(self, data):
        inputs, labels = data
        with tf.GradientTape() as tape:
            made = self(inputs, training=True)
            loss = self.compiled_loss(labels, made, regularization_losses=self.losses)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.compiled_metrics.update_state(labels, made)
        return {"mine": loss, **{one.name: one.result() for one in self.metrics}}

    def test_step(self, data):
        inputs, labels = data
        made = self(inputs, training=False)
        self.compiled_loss(labels, made)
        self.compiled_metrics.update_state(labels, made)
        return {one.name: one.result() for one in self.metrics}


class Newer(K.Model):
    def train_step(self, data):
        inputs, labels = data
        with tf.GradientTape() as tape:
            made = self(inputs, training=True)
            loss = self.compute_loss(y=labels, y_pred=made)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(labels, made)
        return {one.name: one.result() for one in self.metrics}


for kind in (Older, Newer):
    for eagerly in (False, True):
        K.utils.set_random_seed(2)
        inputs = K.Input((4,))
        model = kind(inputs, L.Dense(1, kernel_regularizer="l2")(L.Dense(3, activation="tanh")(inputs)))
        model.compile("sgd", "mse", metrics=["mae", K.metrics.RootMeanSquaredError(name="root")], run_eagerly=eagerly)
        history = model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0).history
        print(kind.__name__, {name: [round(float(one), 4) for one in values] for name, values in sorted(history.items())})
        print({name: round(float(one), 4) for name, one in sorted(model.evaluate(x, y, verbose=0, return_dict=True).items())})
