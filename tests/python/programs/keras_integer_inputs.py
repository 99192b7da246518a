import numpy as np
import tensorflow as tf

L = tf.keras.layers


class Seen(L.Layer):
    dtypes = []

    def call(self, x):
        name = getattr(x.dtype, "name", x.dtype)
        if name not in Seen.dtypes:
            Seen.dtypes.append(name)
        return x


def dense():
    return L.Dense(1, kernel_initializer="ones")


def sequential():
    return tf.keras.Sequential([Seen(), dense()])


def with_input():
    return tf.keras.Sequential([tf.keras.Input((6,)), Seen(), dense()])


def of_integers():
    inputs = tf.keras.Input((6,), dtype="int32")
    return tf.keras.Model(inputs, dense()(Seen()(inputs)))


def of_names():
    inputs = {"a": tf.keras.Input((6,), name="a")}
    return tf.keras.Model(inputs, dense()(Seen()(inputs["a"])))


class Own(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.seen, self.dense = Seen(), dense()

    def call(self, x):
        return self.dense(self.seen(x))


values = np.arange(24).reshape(4, 6) % 2
for make in (sequential, with_input, of_integers, of_names, Own):
    for dtype in ("int64", "uint8", "bool", "float64"):
        x = values.astype(dtype)
        x = {"a": x} if make is of_names else x
        y = np.arange(4)
        Seen.dtypes.clear()
        model = make()
        model.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
        print(make.__name__, dtype, model(x).numpy().ravel().tolist(), model.predict(x, verbose=0).dtype, Seen.dtypes,
              round(float(model.evaluate(x, y, verbose=0)), 4),
              [round(one, 4) for one in model.fit(x, y, epochs=2, shuffle=False, verbose=0).history["loss"]])
model = with_input()
model.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
batches = tf.data.Dataset.from_tensor_slices((values, np.arange(4))).batch(2)
print(round(model.fit(batches, verbose=0).history["loss"][0], 4), round(float(model.train_on_batch(values, np.arange(4))), 4))

images = (np.arange(50).reshape(2, 5, 5, 1) * 37 % 256)
for dtype in ("uint8", "int32"):
    x, steps = images.astype(dtype), values.astype(dtype)
    for layer in (L.EinsumDense("ab,bc->ac", 2, kernel_initializer="ones"), L.BatchNormalization(),
                  L.Normalization(mean=0.5, variance=4.0), L.LeakyReLU(), L.Rescaling(0.5), L.Activation("tanh")):
        made = layer(steps)
        print(type(layer).__name__, made.dtype.name, round(float(tf.reduce_sum(made)), 4))
    for layer in (L.GlobalAveragePooling2D(), L.GlobalMaxPooling2D(), L.CenterCrop(2, 2), L.Resizing(3, 2), L.RandomCrop(5, 5),
                  L.RandomFlip("horizontal"), L.Flatten()):
        made = layer(x, training=False) if "Random" in type(layer).__name__ else layer(x)
        print(type(layer).__name__, made.dtype.name, np.ravel(made)[:6].tolist())
    for layer in (L.SimpleRNN(1), L.GRU(2), L.Bidirectional(L.LSTM(1)), L.TimeDistributed(dense())):
        print(type(layer).__name__, layer(x[..., 0]).dtype.name)
    print(L.MultiHeadAttention(1, 2)(x[..., 0], x[..., 0]).dtype.name, L.Masking(1)(np.array([[[1, 2], [1, 1]]], dtype)).numpy())
