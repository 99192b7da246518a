# Layers and models at each step of a sequence.
import numpy as np, os, tempfile
import tensorflow as tf
L = tf.keras.layers; K = tf.keras
K.utils.set_random_seed(1)
x = np.linspace(-1, 1, 24).reshape(2, 4, 3).astype("float32")
t = L.TimeDistributed(L.Dense(2, kernel_initializer="ones")); y = t(x); print(y.shape, [w.path for w in t.weights], t.layer.name, t.name)
print(L.TimeDistributed(L.Flatten())(x[:, :, None]).shape, L.TimeDistributed(L.Lambda(lambda v: v * 2))(x).numpy()[0, 0])
frame = K.Sequential([K.Input((8, 8, 1)), L.Conv2D(2, 3), L.GlobalAveragePooling2D()], name="frame")
i = K.Input((3, 8, 8, 1)); h = L.TimeDistributed(frame)(i); o = L.Dense(1)(L.LSTM(2)(h)); m = K.Model(i, o); m.summary(); print(h.shape, m.output_shape, len(m.trainable_weights))
m.compile("sgd", "mse"); v = np.random.RandomState(0).rand(4, 3, 8, 8, 1).astype("float32"); h1 = m.fit(v, np.ones((4, 1)), epochs=2, verbose=0).history["loss"]; print(len(h1), h1[1] < h1[0])
i = K.Input((None, 3)); m2 = K.Model(i, L.TimeDistributed(L.Dense(2))(i)); print(m2.output_shape, m2(x).shape, m2(x[:, :2]).shape)
d = tempfile.mkdtemp(); m.save(os.path.join(d, "m.keras")); r = K.models.load_model(os.path.join(d, "m.keras")); print(np.allclose(m.predict(v, verbose=0), r.predict(v, verbose=0)), [l.name for l in r.layers]); m.save_weights(os.path.join(d, "m.weights.h5")); r.load_weights(os.path.join(d, "m.weights.h5"))
class Own(L.Layer):
    def build(self, s): self.k = self.add_weight(shape=(s[-1],), initializer="ones", name="k")
    def call(self, v, training=False): return v * self.k
t = L.TimeDistributed(Own()); print(t(x, training=True).shape, t.get_config()["layer"]["class_name"], [w.path for w in t.weights])
print(L.TimeDistributed(L.Embedding(5, 2))(np.ones((2, 3, 4), int)).shape, L.TimeDistributed(L.BatchNormalization())(x, training=True).numpy().std().round(2))
try: L.TimeDistributed(3)
except ValueError as e: print(str(e)[:70])
