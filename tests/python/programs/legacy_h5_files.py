# Whole models in HDF5, Keras's format of before `.keras`: saved, loaded, weights alone by order and by name, what does not fit.
import warnings

import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers
warnings.simplefilter("ignore")


def stacked(*units, first="a"):
    model = keras.Sequential([keras.Input((3,))] + [layers.Dense(one, name=first + str(place)) for place, one in enumerate(units)])
    model.set_weights([np.full(one.shape, 1.0 + place, "float32") for place, one in enumerate(model.get_weights())])
    return model


def outcome(call):
    try:
        call()
        return "loads"
    except (ValueError, TypeError, OSError) as error:
        return type(error).__name__, str(error)[:60]


inputs = keras.Input((6,), name="words", dtype="int32")
hidden = layers.Embedding(10, 4, name="embed")(inputs)
hidden = layers.Bidirectional(layers.LSTM(3, name="lstm"), name="both")(hidden)
hidden = layers.BatchNormalization(name="norm")(layers.Dropout(0.5, name="drop")(hidden))
model = keras.Model(inputs, layers.Dense(2, activation="softmax", kernel_regularizer="l2", name="out")(hidden))
model.compile(keras.optimizers.SGD(0.1, momentum=0.9), keras.losses.SparseCategoricalCrossentropy(), metrics=["accuracy"])
x, y = np.arange(24).reshape(4, 6) % 10, np.array([0, 1, 0, 1])
model.fit(x, y, epochs=2, verbose=0)
for name in ("m.h5", "m.hdf5"):
    model.save(name)
    loaded = keras.models.load_model(name)
    plain = keras.models.load_model(name, compile=False)
    print(name, np.array_equal(loaded.predict(x, verbose=0), model.predict(x, verbose=0)), getattr(plain, "optimizer", None), type(loaded).__name__,
          [one.name for one in loaded.layers], type(loaded.optimizer).__name__, type(loaded.loss).__name__,
          round(float(np.asarray(loaded.optimizer.learning_rate)), 3), loaded.optimizer.momentum)
    print([a == b for a, b in zip([one.shape for one in model.get_weights()], [one.shape for one in loaded.get_weights()])])
    print(np.allclose(loaded.evaluate(x, y, verbose=0), model.evaluate(x, y, verbose=0)))

stacked(4, 2).save("two.h5")
for what, other, options in (("same", stacked(4, 2), {}), ("longer", stacked(4, 2, 1), {}), ("shorter", stacked(4), {}),
                             ("other shape", stacked(4, 5), {}), ("skipping", stacked(4, 5), {"skip_mismatch": True}),
                             ("by name", stacked(4, 2, 1), {"by_name": True}), ("no such name", stacked(4, 2, first="b"), {"by_name": True}),
                             ("by name, other shape", stacked(4, 5), {"by_name": True})):
    other.set_weights([np.zeros_like(one) for one in other.get_weights()])
    print(what, outcome(lambda: other.load_weights("two.h5", **options)), [float(one.ravel()[0]) for one in other.get_weights()])


class Own(keras.layers.Layer):
    def __init__(self, units=2, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, shape):
        self.scale = self.add_weight(shape=(self.units,), initializer="ones", trainable=False, name="scale")
        self.kernel = self.add_weight(shape=(shape[-1], self.units), initializer="ones", name="kernel")

    def call(self, inputs):
        return inputs @ self.kernel * self.scale

    def get_config(self):
        return {**super().get_config(), "units": self.units}


own = keras.Sequential([keras.Input((3,)), Own(4, name="own")])
own.set_weights([np.full(one.shape, 2.0 + place, "float32") for place, one in enumerate(own.get_weights())])
own.save("own.h5")
print(outcome(lambda: keras.models.load_model("own.h5"))[0])
print(keras.models.load_model("own.h5", custom_objects={"Own": Own})(np.ones((1, 3), "float32")).numpy().tolist())
keras.Sequential([keras.Input((2,)), layers.Lambda(lambda x: x * 2)]).save("lambda.h5")
print(outcome(lambda: keras.models.load_model("lambda.h5"))[0],
      keras.models.load_model("lambda.h5", safe_mode=False)(np.ones((1, 2), "float32")).numpy().tolist())
