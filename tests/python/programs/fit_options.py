"""Options of fit: save_freq, validation_freq, initial_epoch, steps_per_epoch, validation_split, class_weight and sample_weight."""
import os

import numpy as np
import tensorflow as tf
from tensorflow import keras

x = np.arange(48, dtype="float32").reshape(16, 3) / 48
y = (x.sum(1, keepdims=True) > 1.4).astype("float32")
classes = np.arange(16) % 3


def model_of(units=1, loss="mse", **kwargs):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(
        units, kernel_initializer=keras.initializers.Constant(0.1), activation="softmax" if units > 1 else None)])
    model.compile("sgd", loss, **({} if "steps_per_execution" in kwargs else {"run_eagerly": True}), **kwargs)
    return model


def rounded(values):
    return [float(f"{one:.4g}") for one in values]


def show(name, call):
    try:
        made = call()
        if isinstance(made, keras.callbacks.History):
            made = {key: rounded(one) for key, one in sorted(made.history.items())}, made.epoch
        print(name, made)
    except Exception as e:
        print(name, "raises", type(e).__name__)


# save_freq
for freq in (1, 3, 5, "epoch"):
    for execution in (1, 2, 3):
        folder = f"saved-{freq}-{execution}"
        os.makedirs(folder)
        model_of(steps_per_execution=execution).fit(
            x, y, batch_size=4, epochs=3, verbose=0, shuffle=False, callbacks=[keras.callbacks.ModelCheckpoint(
                folder + "/{epoch}-{batch}.weights.h5" if freq != "epoch" else folder + "/{epoch}.weights.h5",
                save_weights_only=True, save_freq=freq)])
        print("save_freq", freq, execution, sorted(os.listdir(folder)))


class Seen(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.calls = []

    def on_epoch_begin(self, epoch, logs=None):
        self.calls.append(f"e{epoch}")

    def on_train_batch_end(self, batch, logs=None):
        self.calls.append(f"b{batch}")

    def on_test_begin(self, logs=None):
        self.calls.append("v")


def seen(*args, model=None, **kwargs):
    watch = Seen()
    history = (model or model_of()).fit(*args, verbose=0, callbacks=[watch], **kwargs)
    return " ".join(watch.calls), sorted(history.history), history.epoch, len(history.history["loss"])


for freq in (1, 2, [1], [2, 4], [5], (1, 3), {2}, []):
    show(f"validation_freq {freq}", lambda: seen(x, y, batch_size=8, epochs=4, validation_data=(x, y), validation_freq=freq))
for freq in (0, -1, "bogus", 1.5):
    show(f"validation_freq {freq}", lambda: seen(x, y, batch_size=8, epochs=2, validation_data=(x, y), validation_freq=freq)[1])
for first, last in ((0, 2), (1, 3), (2, 2), (3, 2), (-1, 1)):
    show(f"initial_epoch {first} {last}", lambda: model_of().fit(x, y, batch_size=8, epochs=last, initial_epoch=first, verbose=0,
                                                                 shuffle=False))
show("initial_epoch and validation_freq", lambda: seen(x, y, batch_size=8, epochs=5, initial_epoch=2, validation_data=(x, y),
                                                       validation_freq=2))


def batches(repeat=1):
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat(repeat)


def endless():
    while True:
        yield x[:4], y[:4]


def short():
    for _ in range(5):
        yield x[:4], y[:4]


for name, data in (("dataset", batches), ("repeated", lambda: batches(3)), ("endless dataset", lambda: batches(-1)),
                   ("endless", endless)):
    for steps in (2, 3, 4, 6, None):
        if steps is None and name.startswith("endless") or name == "dataset" and steps in (3, 6):  # Lockstep goes on in the next pass
            continue
        show(f"steps_per_epoch {name} {steps}", lambda: seen(data(), epochs=3, steps_per_epoch=steps))
for steps in (2, 4, 0):
    show(f"steps_per_epoch arrays {steps}", lambda: seen(x, y, batch_size=4, epochs=2, steps_per_epoch=steps))
for steps in (1, 2, 9):
    show(f"validation_steps {steps}", lambda: rounded(model_of().fit(
        x, y, epochs=1, verbose=0, shuffle=False, validation_data=batches(), validation_steps=steps).history["val_loss"]))
    show(f"evaluate steps {steps}", lambda: rounded([model_of().evaluate(batches(), steps=steps, verbose=0)]))
    show(f"predict steps {steps}", lambda: model_of().predict(batches(), steps=steps, verbose=0).shape)

# validation_split
kinds = {"arrays": (x, y), "lists of arrays": ([x], [y]), "dicts": ({"x": x}, y), "tensors": (tf.constant(x), tf.constant(y)),
         "tuples": ((x,), y)}
for split in (0.25, 0.5, 0.1):
    for name, (inputs, targets) in kinds.items():
        def fit():
            entry = keras.Input((3,), name="x")
            model = keras.Model({"x": entry} if name == "dicts" else entry, keras.layers.Dense(1, kernel_initializer="ones")(entry))
            model.compile("sgd", "mse", run_eagerly=True)
            return model.fit(inputs, targets, batch_size=4, epochs=2, verbose=0, shuffle=False, validation_split=split)
        show(f"validation_split {split} {name}", fit)
weights = np.linspace(0.5, 2.0, 16).astype("float32")
show("split with weights", lambda: model_of(weighted_metrics=["mae"]).fit(
    x, y, sample_weight=weights, batch_size=4, epochs=2, verbose=0, shuffle=False, validation_split=0.25))
for name, data in (("dataset", batches()), ("generator", short())):
    show(f"validation_split {name}", lambda: model_of().fit(data, verbose=0, validation_split=0.25))
for split in (1.0, 0.0, 0.01, 0.99):
    show(f"validation_split {split}", lambda: sorted(model_of().fit(x, y, verbose=0, validation_split=split).history))
show("both", lambda: rounded(model_of().fit(x, y, verbose=0, shuffle=False, validation_split=0.5, validation_data=(x[:2], y[:2])).history["val_loss"]))

# weights
weights_of = {0: 1.0, 1: 3.0, 2: 0.5}
onehot = np.eye(3, dtype="float32")[classes]
for name, loss, targets in (("sparse", "sparse_categorical_crossentropy", classes), ("column", "sparse_categorical_crossentropy", classes[:, None]),
                            ("onehot", "categorical_crossentropy", onehot)):
    for given in ({}, dict(class_weight=weights_of), dict(sample_weight=weights), dict(class_weight=weights_of, sample_weight=weights)):
        show(f"{name} {sorted(given)}", lambda: model_of(3, loss, metrics=["accuracy"], weighted_metrics=["accuracy"]).fit(
            x, targets, batch_size=8, epochs=2, verbose=0, shuffle=False, **given))
    show(f"{name} split", lambda: model_of(3, loss).fit(x, targets, batch_size=8, epochs=2, verbose=0, shuffle=False,
                                                        class_weight=weights_of, validation_split=0.25))
    show(f"{name} dataset", lambda: model_of(3, loss).fit(tf.data.Dataset.from_tensor_slices((x, targets)).batch(8), epochs=1, verbose=0,
                                                          class_weight=weights_of))
    show(f"{name} dataset with weights", lambda: model_of(3, loss).fit(
        tf.data.Dataset.from_tensor_slices((x, targets, weights)).batch(8), epochs=1, verbose=0, class_weight=weights_of))
    show(f"{name} dataset and sample_weight", lambda: model_of(3, loss).fit(
        tf.data.Dataset.from_tensor_slices((x, targets)).batch(8), epochs=1, verbose=0, sample_weight=weights))
    show(f"{name} missing class", lambda: model_of(3, loss).fit(x, targets, batch_size=8, epochs=1, verbose=0, shuffle=False,
                                                                class_weight={0: 2.0, 1: 1.0}))
    show(f"{name} train_on_batch", lambda: rounded([model_of(3, loss).train_on_batch(x, targets, class_weight=weights_of)]))
    show(f"{name} train_on_batch with both", lambda: rounded([model_of(3, loss).train_on_batch(
        x, targets, sample_weight=weights, class_weight=weights_of)]))
two = keras.Model(entry := keras.Input((3,)), [keras.layers.Dense(1)(entry), keras.layers.Dense(1)(entry)])
two.compile("sgd", "mse", run_eagerly=True)
show("class_weight of two outputs", lambda: two.fit(x, [y, y], verbose=0, class_weight=weights_of))
for bad in (np.ones(15), np.ones((16, 2)), "bogus"):
    show(f"sample_weight {getattr(bad, 'shape', type(bad).__name__)}", lambda: model_of().fit(
        x, y, verbose=0, batch_size=16, shuffle=False, sample_weight=bad))
