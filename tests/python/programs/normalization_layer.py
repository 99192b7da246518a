# Numbers brought to mean 0 and variance 1.
import numpy as np
import tensorflow as tf

L = tf.keras.layers
rng = np.random.default_rng(0)
x = rng.normal(3, 2, size=(10, 4)).astype("float32")
y = rng.normal(size=(6, 3, 4)).astype("float32")


def show(*values):
    print(*[np.round(np.asarray(one), 4).tolist() for one in values])


n = L.Normalization()
n.adapt(x)
show(n(x[:2]))
print([w.name for w in n.weights], [tuple(w.shape) for w in n.weights], n.get_config()["axis"])
n = L.Normalization(axis=None)
n.adapt(y)
show(n(y[:1, :1]))
n = L.Normalization(axis=(1, 2))
n.adapt(y)
show(n(y[:1]))
print([tuple(w.shape) for w in n.weights])
n = L.Normalization(mean=2.0, variance=4.0)
show(n(x[:2]), len(n.weights))
for invert in (False, True):
    show(L.Normalization(mean=[1.0, 2.0, 3.0, 4.0], variance=[1.0, 4.0, 9.0, 16.0], invert=invert)(x[:2]))
n = L.Normalization()
n.adapt(tf.data.Dataset.from_tensor_slices(x).batch(3))
show(n(x[:2]))
n.adapt(x * 2)
show(n(x[:1]))
n = L.Normalization()
n.adapt(x * 2)
model = tf.keras.Sequential([L.Input((4,)), n, L.Dense(1, kernel_initializer="ones")])
show(model(x[:2]))
print(len(model.trainable_weights), len(model.weights))
model.compile("sgd", "mse")
model.fit(x, x[:, :1], verbose=0, epochs=1, shuffle=False)
show(model.predict(x[:2], verbose=0))
n = L.Normalization()
show(n(x[:1]))
n.adapt(tf.data.Dataset.from_tensor_slices(x))
show(n(x[:2]))
for wrong in [lambda: L.Normalization(mean=1.0), lambda: L.Normalization(axis=5).adapt(x), lambda: n.adapt(x[:, :2])]:
    try:
        wrong()
    except ValueError as error:
        print(str(error)[:60])
