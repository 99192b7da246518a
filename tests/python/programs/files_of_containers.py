"""Where layers in containers stand in files of weights, and that they come back."""
import collections
import os
import tempfile

import h5py
import numpy as np
import tensorflow as tf
from tensorflow import keras

Pair = collections.namedtuple("Pair", "a b")


def D():
    return keras.layers.Dense(2, use_bias=False)


def flat(value):
    value = list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in flat(part)]
    return [value]


FORMS = {
    "list": lambda s: setattr(s, "p", [D(), D()]),
    "append": lambda s: (setattr(s, "p", []), s.p.append(D()), s.p.append([D()])),
    "dict": lambda s: setattr(s, "p", {"b": D(), "a": [D(), (D(),)]}),
    "named": lambda s: setattr(s, "p", Pair(D(), [D()])),
    "tuple": lambda s: setattr(s, "p", (D(), [D(), D()], {"z": D(), "y": D()})),
    "nested": lambda s: setattr(s, "p", [[D()], [[D()], D()], {"x": [D()]}]),
    "private": lambda s: (setattr(s, "_q", [D()]), setattr(s, "r", D())),
    "ordered": lambda s: setattr(s, "p", collections.OrderedDict([("b", D()), ("a", D())])),
    "numbers": lambda s: setattr(s, "p", {2: D(), 1: D(), 10: D()}),
    "two": lambda s: (setattr(s, "b", [D()]), setattr(s, "a", [s.b[0], D()])),
}


def keys(path):
    found = []
    with h5py.File(path) as file:
        file.visititems(lambda name, one: found.append(name) if isinstance(one, h5py.Dataset) else None)
    return found


for name, form in FORMS.items():
    for kind in (keras.Model, keras.layers.Layer):
        class Part(kind):
            def __init__(self):
                super().__init__()
                form(self)

            def call(self, x):
                for key in ("p", "_q", "r", "b", "a"):
                    for layer in flat(getattr(self, key, [])):
                        x = layer(x)
                return x

        def make():
            made = Part() if kind is keras.Model else keras.Sequential([keras.Input((2,)), Part()])
            made(np.ones((1, 2), "float32"))
            return made
        saved, loaded = make(), make()
        path = os.path.join(tempfile.mkdtemp(), "a.weights.h5")
        saved.save_weights(path)
        loaded.load_weights(path)
        print(name, kind.__name__, keys(path), all(np.array_equal(a, b) for a, b in zip(saved.get_weights(), loaded.get_weights())))


class WithOptimizer(keras.Model):
    def __init__(self):
        super().__init__()
        self.generator, self.discriminator = D(), D()
        self.second = keras.optimizers.SGD(0.1, momentum=0.9)
        self.figures = [keras.metrics.Mean()]

    def call(self, x):
        return self.discriminator(self.generator(x))


m = WithOptimizer()
m.compile("adam", "mse")
m.fit(np.ones((2, 2)), np.ones((2, 2)), verbose=0)
m.second.build(m.trainable_variables)
path = os.path.join(tempfile.mkdtemp(), "a.weights.h5")
m.save_weights(path)
print(keys(path))
