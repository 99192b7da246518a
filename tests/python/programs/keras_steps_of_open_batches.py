# What a step of one's own sees of batches of which the last one is smaller: one trace for all of them.
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(5)
layers = tf.keras.layers
x = np.random.RandomState(0).standard_normal((70, 10)).astype("float32")
y = np.random.RandomState(1).standard_normal((70, 3)).astype("float32")
seen = {}


def note(where, *tensors):
    seen.setdefault(where, set()).add(" ".join(str(tuple(one.shape)) for one in tensors))


def tell(what):
    print(what, {where: sorted(shapes) for where, shapes in sorted(seen.items())})
    seen.clear()


class Scaled(layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 3), initializer=tf.keras.initializers.GlorotUniform(3), name="w")

    def call(self, inputs):
        note("layer", inputs)
        rows = tf.shape(inputs)[0]
        made = tf.reshape(inputs @ self.w, (rows, 3)) + tf.zeros((rows, 1))
        return tf.concat([made[:, :1], made[:, 1:]], -1) / tf.cast(rows, tf.float32)


class Own(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.scaled, self.norm, self.dense = Scaled(), layers.BatchNormalization(), layers.Dense(
            3, kernel_initializer=tf.keras.initializers.GlorotUniform(4))

    def call(self, inputs, training=False):
        note("model", inputs)
        return self.dense(tf.nn.relu(self.norm(self.scaled(inputs), training=training)))

    def train_step(self, data):
        inputs, labels = data
        note("train", inputs, labels)
        with tf.GradientTape() as tape:
            outputs = self(inputs, training=True)
            note("outputs", outputs)
            values = tf.reduce_mean((labels - outputs) ** 2, -1)
            loss = tf.reduce_sum(values) / tf.cast(tf.shape(values)[0], tf.float32)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss, "rows": tf.shape(inputs)[0], "norm": tf.linalg.global_norm(grads)}

    def test_step(self, data):
        inputs, labels = data
        note("test", inputs, labels)
        return {"loss": tf.reduce_mean((labels - self(inputs)) ** 2), "rows": tf.shape(inputs)[0]}


def figures(values):
    return {key: [round(float(one), 4) for one in np.ravel(value)] for key, value in values.items()}


model = Own()
model.compile(tf.keras.optimizers.SGD(0.1))
history = model.fit(x, y, epochs=2, verbose=0, shuffle=False)
seen.pop("model"), seen.pop("layer")
tell("fit")
print(figures(history.history))
print(figures(model.evaluate(x, y, verbose=0, return_dict=True)))
tell("evaluate")
print(model.predict(x, verbose=0).shape)
tell("predict")
print(model.predict(x, verbose=0).shape)
tell("predict again")
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
print(figures(model.fit(batches, epochs=1, verbose=0).history))
tell("fit on a dataset")
print(figures(model.fit(batches.take(4), epochs=1, verbose=0).history))
tell("fit on a part of it")


def ragged():
    for size in (3, 5, 3, 2):
        yield x[:size], y[:size]


print(figures(model.fit(ragged(), epochs=1, verbose=0).history))
tell("fit on a generator")

model = Own()
model.compile(tf.keras.optimizers.SGD(0.1))
print(figures(model.fit(x[:64], y[:64], epochs=1, verbose=0, shuffle=False).history))
seen.pop("model"), seen.pop("layer")
tell("fit on whole batches")
even = tf.data.Dataset.from_tensor_slices((x, y)).batch(8, drop_remainder=True)
print(figures(model.fit(even, epochs=1, verbose=0).history))
tell("fit on a dataset of whole batches")


class Sizes(tf.keras.Sequential):
    def train_step(self, data):
        note("train", *data)
        return super().train_step(data)


words = tf.data.Dataset.from_tensor_slices(tf.range(1, 8)).map(
    lambda n: (tf.ones([n], tf.int32), tf.cast(n, tf.float32))).padded_batch(3)
model = Sizes([layers.Embedding(10, 4, embeddings_initializer="ones"), layers.GlobalAveragePooling1D(), layers.Dense(
    1, kernel_initializer="ones")])
model.compile("sgd", "mse", metrics=["mae"])
print(figures(model.fit(words, epochs=2, verbose=0).history))
tell("fit on padded batches")
