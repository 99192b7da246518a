import numpy as np
import tensorflow as tf


class Scale(tf.keras.layers.Layer):
    def __init__(self, factor=2.0, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def call(self, x):
        return x * self.factor

    def get_config(self):
        config = super().get_config()
        config.update({"factor": self.factor})
        return config


tf.keras.utils.set_random_seed(4)
inputs = tf.keras.Input((4,), name="in")
h = tf.keras.layers.Dense(3, activation="relu", kernel_regularizer="l2", name="h")(inputs)
out = Scale(3.0, name="scale")(h)
model = tf.keras.Model(inputs, out, name="net")
config = model.get_config()
print(sorted(config), [layer["class_name"] for layer in config["layers"]])
again = tf.keras.Model.from_config(config, custom_objects={"Scale": Scale})
print([l.name for l in again.layers], again.layers[2].factor)
clone = tf.keras.models.clone_model(model)
x = np.ones((1, 4), "float32")
print(np.allclose(model(x), clone(x)), clone.name, [l.name for l in clone.layers])
clone.set_weights(model.get_weights())
print(np.allclose(model(x), clone(x)))


def swap(layer):
    if isinstance(layer, tf.keras.layers.Dense):
        return tf.keras.layers.Dense(3, activation="tanh", name="swapped")
    return layer.__class__.from_config(layer.get_config())


other = tf.keras.models.clone_model(model, clone_function=swap)
print([l.name for l in other.layers], other.layers[1].get_config()["activation"])
text = model.to_json()
with tf.keras.utils.custom_object_scope({"Scale": Scale}):
    third = tf.keras.models.model_from_json(text)
print(third.layers[2].factor, third.count_params())
layer = tf.keras.layers.Conv2D(2, 3, padding="same", name="c")
c = layer.get_config()
print({k: c[k] for k in ("filters", "padding", "groups", "activation", "use_bias")})
for l in (tf.keras.layers.Dropout(0.3), tf.keras.layers.BatchNormalization(momentum=0.9), tf.keras.layers.Embedding(5, 2),
          tf.keras.layers.LSTM(3, return_sequences=True), tf.keras.layers.Flatten(), tf.keras.layers.Reshape((2, 2))):
    copy = type(l).from_config(l.get_config())
    print(type(l).__name__, copy.get_config() == l.get_config())
seq = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)], name="s")
print(sorted(seq.get_config()), [l["class_name"] for l in seq.get_config()["layers"]])
print(tf.keras.Sequential.from_config(seq.get_config()).output_shape)
s = tf.keras.layers.serialize(tf.keras.layers.Dense(2, name="d"))
print(s["class_name"], tf.keras.layers.deserialize(s).units)
for thing in (tf.keras.optimizers.Adam(0.01, beta_1=0.8), tf.keras.losses.Huber(delta=0.5), tf.keras.initializers.HeNormal(seed=3),
              tf.keras.regularizers.L1L2(0.1, 0.2), tf.keras.constraints.MaxNorm(3)):
    cfg = thing.get_config()
    back = type(thing).from_config(cfg)
    print(type(thing).__name__, back.get_config() == cfg)


class NoConfig(tf.keras.layers.Layer):
    def __init__(self, thing, **kwargs):
        super().__init__(**kwargs)
        self.thing = thing

    def call(self, x):
        return x


try:
    NoConfig(object()).get_config()
except NotImplementedError as e:
    print("NotImplementedError")
