# What callbacks add to the figures, how often a PyDataset hears of epochs, losses of outputs over uneven batches, averages
# of weights, the address that a RemoteMonitor does not reach.
import contextlib
import io
import re
import warnings

import numpy as np
import tensorflow as tf

K, L = tf.keras, tf.keras.layers
K.utils.set_random_seed(7)
numbers = np.random.RandomState(0)
x = numbers.rand(50, 6).astype("float32")
y = (x.sum(1) > 3).astype("float32")[:, None]


def rounded(values):
    return {name: [round(float(one), 4) for one in values[name]] for name in sorted(values)}


def lines_of(function):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        function()
    print(re.sub(r"\d+(ms|s|us)\b(/step|/epoch)?", "T", text.getvalue()))


def model_of():
    return K.Sequential([K.Input((6,)), L.Dense(4, activation="tanh"), L.Dense(1)])


class Adds(K.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs["mine"] = 0.5

    def on_train_end(self, logs=None):
        print("end of training:", sorted(logs))


model = model_of()
model.compile(K.optimizers.SGD(0.1), "mse", metrics=["mae"])
lines_of(lambda: model.fit(x, y, epochs=2, verbose=2, validation_split=0.2, callbacks=[
    K.callbacks.LearningRateScheduler(lambda epoch: 0.05, verbose=1), Adds()]))


class Set(K.utils.PyDataset):
    heard = ""

    def __len__(self):
        return 3

    def __getitem__(self, place):
        return x[place * 16:place * 16 + 16], y[place * 16:place * 16 + 16]

    def on_epoch_begin(self):
        self.heard += "b"

    def on_epoch_end(self):
        self.heard += "e"


data = Set()
model.fit(data, epochs=2, verbose=0, shuffle=False)
print(data.heard)
model.evaluate(data, verbose=0)
print(data.heard)
model.predict(data, verbose=0)
print(data.heard)

inputs = K.Input((6,))
hidden = L.Dense(4, activation="tanh")(inputs)
both = K.Model(inputs, [L.Dense(1, name="a")(hidden), L.Dense(2, name="b")(hidden)])
for eagerly in (False, True):
    both.compile("sgd", ["mse", "mae"], run_eagerly=eagerly)
    print(rounded(both.fit(x, [y, np.c_[y, y]], batch_size=16, shuffle=False, verbose=0).history),
          [round(one, 4) for one in both.evaluate(x, [y, np.c_[y, y]], batch_size=16, verbose=0)])

for swap in (False, True):
    K.utils.set_random_seed(5)
    model, seen = model_of(), []
    model.compile(K.optimizers.SGD(0.3, use_ema=True, ema_momentum=0.8), "mse")
    history = model.fit(x, y, epochs=3, batch_size=20, verbose=0, validation_data=(x, y), callbacks=[
        K.callbacks.SwapEMAWeights(swap),
        K.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(round(float(np.sum(model.get_weights()[0])), 3)))])
    print(rounded(history.history), seen, np.round(model.get_weights()[2], 3).tolist())
    averages = [K.callbacks.SwapEMAWeights()]
    print(round(model.evaluate(x, y, verbose=0), 4), round(model.evaluate(x, y, verbose=0, callbacks=averages), 4),
          np.round(model.predict(x[:2], verbose=0, callbacks=averages), 3).tolist())
model.compile("sgd", "mse")
try:
    model.fit(x, y, verbose=0, validation_data=(x, y), callbacks=[K.callbacks.SwapEMAWeights()])
except ValueError as error:
    print(error)

scaled = L.Normalization()
print(scaled.mean)
scaled.adapt(x)
print(np.round(scaled.mean, 4).tolist(), np.round(scaled.variance, 4).tolist(), scaled.mean.dtype)
given = L.Normalization(mean=3.0, variance=4.0)
given.build((None, 2))
print(np.asarray(given.mean), np.round(given(np.ones((1, 2))), 4).tolist())
