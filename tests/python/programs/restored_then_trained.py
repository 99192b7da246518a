"""Optimizers that are restored before they have slots, and then train."""
import os
import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras
features = np.random.RandomState(1).randn(12, 5).astype("float32")
targets = np.random.RandomState(2).randn(12, 3).astype("float32")


class Momenta(keras.optimizers.Optimizer):
    """A rule of its own, with a slot for each weight."""

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        self.momenta = [self.add_variable_from_reference(one, name="momentum") for one in variables]

    def update_step(self, gradient, variable, learning_rate):
        momentum = self.momenta[self._get_variable_index(variable)]
        self.assign(momentum, momentum * 0.5 + gradient)
        self.assign_sub(variable, momentum * learning_rate)


def sequential():
    return keras.Sequential([keras.Input((5,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(3)])


def values(model):
    return [one.numpy() for one in model.trainable_variables + model.optimizer.variables]


def fit(model):
    model.fit(features, targets, batch_size=4, epochs=1, shuffle=False, verbose=0)


def step(model):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(features) - targets))
    model.optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))


def built(model):
    model(features[:1])
    model.optimizer.build(model.trainable_variables)
    fit(model)


optimizers = {
    "Adam": lambda: keras.optimizers.Adam(0.01, amsgrad=True),
    "SGD": lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "plain SGD": lambda: keras.optimizers.SGD(0.1),
    "RMSprop": lambda: keras.optimizers.RMSprop(0.01, momentum=0.5, centered=True),
    "own": lambda: Momenta(learning_rate=0.1),
}
for name, optimizer in optimizers.items():
    for how in fit, built, step:
        model = sequential()
        model.compile(optimizer(), "mse")
        fit(model)
        with tempfile.TemporaryDirectory() as folder:
            path = tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(os.path.join(folder, "saved"))
            how(model)
            wanted = values(model)
            again = sequential()
            again.compile(optimizer(), "mse")
            status = tf.train.Checkpoint(model=again, optimizer=again.optimizer).restore(path)
            how(again)
            status.assert_existing_objects_matched()
            found = values(again)
        same = [np.allclose(one, other, rtol=1e-5, atol=1e-6) for one, other in zip(wanted, found)]
        print(name, how.__name__, len(found) == len(wanted), same.count(False))
