"""Which passes of a shuffled dataset a model reads, and who counts them."""
import contextlib

import numpy as np
import tensorflow as tf

keras = tf.keras
keras.utils.set_random_seed(1)
x = np.arange(12.0, dtype="float32").reshape(12, 1)


def shuffled():
    return tf.data.Dataset.from_tensor_slices((x, np.zeros_like(x))).shuffle(12, seed=1).batch(12)


def order(values):
    return tuple(int(value) for value in np.ravel(values))


known = shuffled()
pass_of = {order(next(iter(known))[0]): number for number in range(30)}


class Seen(keras.layers.Layer):
    """Keeps the batch that it was given last."""

    def build(self, shape):
        self.last = self.add_weight(shape=(12, 1), trainable=False, initializer="zeros", name="last")

    def call(self, inputs):
        self.last.assign(inputs)
        return inputs


class Passes(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.numbers = []

    def on_train_batch_end(self, batch, logs=None):
        self.numbers.append(pass_of.get(order(self.model.layers[-2].last.numpy()), "?"))


class OwnStep(keras.Sequential):
    def train_step(self, data):
        inputs, targets = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=targets, y_pred=self(inputs, training=True))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


def next_pass(dataset):
    return pass_of.get(order(next(iter(dataset))[0]))


def tell(name, use, kind=keras.Sequential, strategy=None):
    with strategy.scope() if strategy else contextlib.nullcontext():
        model = kind([keras.Input((1,), batch_size=12), Seen(), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    passes = Passes()
    told = use(model, shuffled(), {"verbose": 0, "callbacks": [passes]})
    print(name, passes.numbers, told if isinstance(told, int) else "")


def fit_and_next(model, dataset, how):
    model.fit(dataset, epochs=2, **how)
    return next_pass(dataset)


def stopped(model, dataset, how):
    def stop(epoch, logs):
        model.stop_training = epoch == 1
    model.fit(dataset, epochs=5, verbose=0, callbacks=how["callbacks"] + [keras.callbacks.LambdaCallback(on_epoch_end=stop)])
    return next_pass(dataset)


for kind in (keras.Sequential, OwnStep):
    tell("fit", lambda model, d, how: model.fit(d, epochs=3, **how), kind)
    tell("read, then fit", lambda model, d, how: (next_pass(d), model.fit(d, epochs=2, **how)), kind)
    tell("fit twice", lambda model, d, how: (model.fit(d, epochs=2, **how), model.fit(d, epochs=2, **how)), kind)
    tell("fit, then read", fit_and_next, kind)
    tell("evaluate, then fit", lambda model, d, how: (model.evaluate(d, verbose=0), model.fit(d, epochs=2, **how)), kind)
    tell("repeated", lambda model, d, how: model.fit(d.repeat(), epochs=3, steps_per_epoch=1, **how), kind)
    tell("two in a pass", lambda model, d, how: model.fit(d.repeat(2), epochs=2, **how), kind)
    tell("of unknown size", lambda model, d, how: model.fit(d.filter(lambda *batch: True), epochs=3, **how), kind)
    tell("from the second epoch", lambda model, d, how: model.fit(d, epochs=3, initial_epoch=1, **how), kind)
    tell("stopped", stopped, kind)
tell("predict twice", lambda model, d, how: (model.predict(d, verbose=0), model.predict(d, verbose=0), next_pass(d))[-1])
tell("evaluate and predict", lambda model, d, how: (model.evaluate(d, verbose=0), model.predict(d, verbose=0), next_pass(d))[-1])
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
tell("mirrored fit", lambda model, d, how: model.fit(d, epochs=3, **how), strategy=strategy)
tell("mirrored fit, then read", fit_and_next, strategy=strategy)
tell("mirrored evaluate", lambda model, d, how: (model.evaluate(d, verbose=0), next_pass(d))[-1], strategy=strategy)
