# Layers that are built by shapes, and what models without an input of their own tell of it.
import numpy as np
import tensorflow as tf

layers = tf.keras.layers


def attempt(run):
    try:
        return run()
    except Exception as error:
        return type(error).__name__


def described(model):
    config = model.get_config()
    rows = [(one["class_name"], one["config"]["name"], one["config"].get("batch_shape"), one.get("build_config"))
            for one in config["layers"]]
    print(rows, config.get("build_input_shape"), config["name"], config["trainable"])


row = tf.keras.Sequential([layers.Dense(3, name="a"), layers.Dense(2, name="b")], name="row")
described(row)
row.build((None, 4))
described(row)
copy = tf.keras.Sequential.from_config(row.get_config())
print(copy.built, [one.name for one in copy.layers], [tuple(one.shape) for one in copy.weights], copy.input_shape)
described(copy)
described(tf.keras.models.clone_model(row))
called = tf.keras.Sequential([layers.Dense(3, name="a"), layers.Dropout(0.5, name="d"), layers.Dense(2, name="b")], name="called")
called(np.ones((2, 4), "float32"))
described(called)
copy = tf.keras.Sequential.from_config(called.get_config())
print(copy.built, copy(np.ones((5, 4), "float32")).shape, [one.name for one in copy.layers])
words = tf.keras.Sequential([layers.Embedding(5, 3, name="e"), layers.GlobalMaxPooling1D(name="p")], name="words")
words(tf.constant([[1, 2], [3, 4]]))
print([one["class_name"] for one in words.get_config()["layers"]], words.get_config()["build_input_shape"])
copy = tf.keras.Sequential.from_config(words.get_config())
copy.set_weights(words.get_weights())
print(bool(tf.reduce_all(copy(tf.constant([[1, 2], [3, 4]])) == words(tf.constant([[1, 2], [3, 4]])))))
known = tf.keras.Sequential([tf.keras.Input((4,), name="in"), layers.Dense(3, name="a")], name="known", trainable=False)
described(known)
described(tf.keras.Sequential(name="empty"))

for options, shapes in (({}, ((None, 5, 6), (None, 7, 8))), ({"value_dim": 3}, ((None, 5, 6), (None, 7, 8), (None, 7, 9))),
                        ({"output_shape": 5, "use_bias": False}, ((None, 5, 6), (None, 5, 6), (None, 5, 6)))):
    layer = layers.MultiHeadAttention(2, 4, **options)
    layer.build(*shapes)
    print(layer.built, [(one.path.split("/", 1)[1], tuple(one.shape)) for one in layer.weights], layer.compute_output_shape(*shapes))
layer = layers.MultiHeadAttention(2, 4)
layer.build(query_shape=(None, 5, 6), value_shape=(None, 5, 6))
print([tuple(one.shape) for one in layer.weights], layer(np.ones((2, 5, 6), "float32"), np.ones((2, 5, 6), "float32")).shape)
layer = layers.Attention(use_scale=True, score_mode="concat")
layer.build([(None, 3, 4), (None, 5, 4)])
print([(one.path.split("/")[-1], tuple(one.shape)) for one in layer.weights])

whole = np.arange(24).reshape(1, 6, 4)
layer = layers.AdditiveAttention(use_scale=False)
print(layer([whole, whole]).dtype.name, np.round(layer([whole, whole])[0, 0].numpy(), 3))
print(attempt(lambda: layers.Attention()([whole, whole])))


class Bare(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.inner = layers.Dense(5)

    def call(self, inputs):
        return self.inner(inputs)


class Built(layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 2), name="w")

    def call(self, inputs):
        return inputs @ self.w


class Telling(Built):
    def compute_output_shape(self, shape):
        return (*shape[:-1], 2)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__(name="net")
        self.parts = [Bare(name="bare"), Built(name="built"), Telling(name="telling"), layers.Dense(3, name="dense")]

    def call(self, inputs):
        for one in self.parts:
            inputs = one(inputs)
        return inputs


net = Net()
net(np.ones((2, 4), "float32"))
net.summary()
tf.keras.Sequential([tf.keras.Input((4,)), Bare(name="bare"), Built(name="built"), Telling(name="telling")], name="rows").summary()
