"""Which batches callbacks hear of where several are one execution: `compile(steps_per_execution=n)`."""
import numpy as np
import tensorflow as tf

keras = tf.keras


class Heard(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.words = []

    def note(self, what, number, logs):
        self.words.append(f"{what}{number}" + "".join(f" {key}" for key in sorted(logs or {})))

    def tell(self, what):
        print(what, *self.words, sep=", ")
        self.words = []


for hook in ("train_batch_begin", "train_batch_end", "test_batch_begin", "test_batch_end", "predict_batch_begin",
             "predict_batch_end", "epoch_begin", "epoch_end"):
    def heard(self, number, logs=None, short="".join(part[0] for part in hook.split("_"))):
        self.note(short, number, logs)
    setattr(Heard, f"on_{hook}", heard)


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(1, kernel_initializer="ones")

    def call(self, x):
        return self.dense(x)

    def train_step(self, data):
        return super().train_step(data)


def rows():
    while True:
        for i in range(7):
            yield x[i:i + 1], y[i:i + 1]


x = np.arange(14, dtype="float32").reshape(7, 2) / 10
y = x.sum(1, keepdims=True) * 2.0
for size in (1, 2, 3, 10):
    for kind in ("arrays", "dataset", "generator", "own step"):
        model = Own() if kind == "own step" else keras.Sequential([
            keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse", metrics=["mae"], steps_per_execution=size)
        print("==", size, kind)
        told = Heard()
        quiet = {"verbose": 0, "callbacks": [told]}
        if kind in ("arrays", "own step"):
            history = model.fit(x, y, batch_size=1, epochs=2, shuffle=False, validation_data=(x[:3], y[:3]),
                                validation_batch_size=1, **quiet)
            told.tell("fit")
            figures = model.evaluate(x[:5], y[:5], batch_size=1, **quiet)
            told.tell("evaluate")
            made = model.predict(x[:5], batch_size=1, **quiet)
            told.tell("predict")
        elif kind == "dataset":
            data = tf.data.Dataset.from_tensor_slices((x, y)).batch(1)
            history = model.fit(data, epochs=1, validation_data=data.take(3), **quiet)
            told.tell("fit")
            history = model.fit(data.repeat(), epochs=2, steps_per_epoch=3, validation_data=data, validation_steps=2, **quiet)
            told.tell("so many steps")
            figures = model.evaluate(data, steps=3, **quiet)
            made = model.predict(data, steps=3, **quiet)
            told.tell("evaluate, predict")
        else:
            history = model.fit(rows(), steps_per_epoch=5, epochs=1, **quiet)
            figures, made = model.evaluate(rows(), steps=5, verbose=0), model.predict(rows(), steps=3, verbose=0)
            told.tell("fit")
        print({key: np.round(value, 3).tolist() for key, value in history.history.items()}, np.round(figures, 3).tolist(),
              made.shape, int(model.optimizer.iterations), np.round(model.get_weights()[0], 3).ravel().tolist())
