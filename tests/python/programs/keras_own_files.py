"""Layers and models that keep variables, files and builds of their own in `.keras` files."""
import os

import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers
registered = keras.utils.register_keras_serializable(package="own")


@registered
class Scaled(layers.Dense):
    def __init__(self, units, **options):
        super().__init__(units, **options)
        self.scales = tf.Variable(np.arange(3.0), dtype=tf.float32)

    def save_own_variables(self, store):
        super().save_own_variables(store)
        store["scales"] = self.scales.numpy()

    def load_own_variables(self, store):
        self.scales.assign(store["scales"])
        for place, variable in enumerate(self.weights):
            variable.assign(store[f"{place}"])


@registered
class Worded(layers.Dense):
    def __init__(self, words=None, *args, **options):
        super().__init__(*args, **options)
        self.words = words

    def save_assets(self, folder):
        with open(os.path.join(folder, "words.txt"), "w") as file:
            file.write(self.words)

    def load_assets(self, folder):
        print("files of", os.path.basename(folder), os.listdir(folder))
        with open(os.path.join(folder, "words.txt")) as file:
            self.words = file.read().upper()


@registered
class Begun(layers.Layer):
    def build(self, input_shape, initializer):
        self.kernel = self.add_weight(shape=(input_shape[-1], 2), initializer=initializer)
        self.initializer = initializer

    def call(self, inputs):
        return tf.matmul(inputs, self.kernel)

    def get_build_config(self):
        config = super().get_build_config()
        print("built with", config)
        return {**config, "initializer": self.initializer}

    def build_from_config(self, config):
        self.build(tuple(config["shapes_dict"]["input_shape"]), config["initializer"])


@registered
class Whole(keras.Model):
    def __init__(self):
        super().__init__()
        self.worded, self.scaled, self.note = Worded("deep", 3), Scaled(1), None

    def call(self, inputs):
        return self.scaled(self.worded(inputs))

    def get_config(self):
        return {}

    def save_assets(self, folder):
        with open(os.path.join(folder, "note.txt"), "w") as file:
            file.write("note")

    def load_assets(self, folder):
        with open(os.path.join(folder, "note.txt")) as file:
            self.note = file.read()


x = np.ones((2, 3), "float32")
model = keras.Sequential([keras.Input((3,)), Scaled(1)])
model.layers[0].scales.assign([5.0, 6.0, 7.0])
model.save("scaled.keras")
again = keras.models.load_model("scaled.keras")
print(again.layers[0].scales.numpy(), np.allclose(model(x), again(x)))
again.layers[0].scales.assign([0.0, 0.0, 0.0])
model.save_weights("scaled.weights.h5")
again.load_weights("scaled.weights.h5")
print(again.layers[0].scales.numpy())

model = keras.Sequential([Worded("one", 5), Worded("two", 2)])
model(x)
model.save("worded.keras")
print([layer.words for layer in keras.models.load_model("worded.keras").layers])

layer = Begun()
layer.build(input_shape=(3,), initializer="ones")
model = keras.Sequential([layer, layers.Dense(1)])
model(x)
model.save("begun.keras")
again = keras.models.load_model("begun.keras")
print(again.layers[0].initializer, again.built, np.allclose(model(x), again(x)))

model = Whole()
model(x)
model.scaled.scales.assign([9.0, 9.0, 9.0])
model.save("whole.keras")
again = keras.models.load_model("whole.keras")
print(again.note, again.worded.words, again.scaled.scales.numpy(), np.allclose(model(x), again(x)))


class Parts(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = layers.Dense(3), layers.Dense(2)

    def get_config(self):
        return {}


@registered
class Pair(Parts):
    def call(self, inputs):
        return self.second(self.first(inputs[0]) * inputs[1])


@registered
class Named(Parts):
    def call(self, inputs):
        return self.second(self.first(inputs["b"]) * inputs["a"])


for kind, inputs in ((Pair, [x, 2 * x]), (Named, {"b": x, "a": x})):
    model = kind()
    model(inputs)
    model.save("parts.keras")
    print(np.allclose(model(inputs), keras.models.load_model("parts.keras")(inputs)))

dense, other = layers.Dense(2), layers.Dense(2)
print(dense.get_build_config())
dense(x)
print(dense.get_build_config()["input_shape"][1:])
other.build_from_config(dense.get_build_config())
store = {}
dense.save_own_variables(store)
other.load_own_variables(store)
print(sorted(store), np.allclose(dense(x), other(x)))
for layer, values in ((other, {"0": store["0"]}), (layers.Dense(2), store)):
    try:
        layer.load_own_variables(values)
    except ValueError as error:
        print(str(error).splitlines()[0])
optimizer, other = keras.optimizers.Adam(0.25), keras.optimizers.Adam(0.5)
store = {}
for one in (optimizer, other):
    one.build([dense.kernel])
optimizer.save_own_variables(store)
other.load_own_variables(store)
print(sorted(store), float(other.learning_rate))
