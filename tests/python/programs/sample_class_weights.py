# Weights of samples and classes, parts for validation, and what evaluate gives.
import numpy as np
import tensorflow as tf
from tensorflow import keras
keras.utils.set_random_seed(5)
x = np.arange(20, dtype="float32").reshape(10, 2) / 10
y = np.array([0, 1, 0, 2, 1, 2, 0, 1, 2, 1])
def build(**more):
    m = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3, kernel_initializer=keras.initializers.GlorotUniform(seed=1))])
    m.compile(keras.optimizers.Adam(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True), **more); return m
def r(d): return {k: np.round(v, 3).tolist() for k, v in d.items()}
m = build(metrics=["accuracy"]); print(r(m.fit(x, y, epochs=2, batch_size=4, class_weight={0: 1.0, 1: 2.0, 2: 0.5}, shuffle=False, verbose=0).history))
m = build(metrics=["accuracy"], weighted_metrics=["accuracy", keras.metrics.SparseTopKCategoricalAccuracy(2, name="top2")])
sw = np.linspace(0, 1, 10)
print(r(m.fit(x, y, sample_weight=sw, epochs=2, batch_size=4, validation_split=0.3, shuffle=False, verbose=0).history))
print(r(m.evaluate(x, y, sample_weight=sw, verbose=0, return_dict=True)), np.round(m.evaluate(x, y, verbose=0), 3).tolist())
ds = tf.data.Dataset.from_tensor_slices((x, y, sw.astype("float32"))).batch(4)
print(r(m.evaluate(ds, verbose=0, return_dict=True)), r(m.evaluate(ds, steps=1, verbose=0, return_dict=True)))
print(r(m.train_on_batch(x[:4], y[:4], class_weight={0: 1.0, 1: 3.0, 2: 1.0}, return_dict=True)), np.round(m.test_on_batch(x[:4], y[:4], sample_weight=sw[:4]), 3).tolist())
for f in (lambda: m.fit(ds, y, verbose=0), lambda: m.fit(x, y[:5], verbose=0), lambda: m.fit(ds, sample_weight=sw, verbose=0),
          lambda: m.fit(x, y, class_weight={0: 1.0}, sample_weight=sw, verbose=0, batch_size=4), lambda: m.predict(np.ones((2, 3)), verbose=0), lambda: m.fit(x, y, batch_size=4, steps_per_epoch=0, verbose=0)):
    try: print("no error", type(f()).__name__)
    except Exception as e: print(type(e).__name__, (str(e) + "\n-").splitlines()[0][:150])
a, b = keras.Input((2,), name="a"), keras.Input((2,), name="b")
h = keras.layers.Add()([a, b])
m = keras.Model([a, b], [keras.layers.Dense(1, name="p", kernel_initializer="ones")(h), keras.layers.Dense(1, name="q", kernel_initializer="zeros")(h)])
m.compile("sgd", loss=["mse", "mae"], loss_weights=[1.0, 0.5], metrics=[["mae"], ["mse"]])
t = x.sum(1)
print(r(m.fit([x, x], [t, t * 2], epochs=1, batch_size=10, verbose=0).history))
print(r(m.evaluate({"a": x, "b": x}, [t, t], verbose=0, return_dict=True)), m.metrics_names)
m.compile("sgd", loss={"p": "mse", "q": None}, metrics={"p": "mae"})
try: print(r(m.evaluate({"a": x, "b": x}, {"p": t, "q": t}, verbose=0, return_dict=True)))
except Exception as e: print(type(e).__name__, (str(e) + "\n-").splitlines()[0][:150])
def gen():
    for k in range(3): yield x[k:k + 2], y[k:k + 2]
m = build(); print(len(m.fit(gen(), epochs=1, verbose=0).history["loss"]))
class Seq(keras.utils.PyDataset):
    def __len__(self): return 3
    def __getitem__(self, i): return x[i:i + 3], y[i:i + 3]
print(len(m.fit(Seq(), epochs=2, verbose=0).epoch), m.predict(Seq(), verbose=0).shape)
