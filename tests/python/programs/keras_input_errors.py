# What Keras says of inputs and arguments that do not fit.
import numpy as np
import tensorflow as tf
from tensorflow import keras
L = keras.layers
def t(f):
    try: print("no error", f())
    except Exception as e: print(type(e).__name__, *[line for line in str(e).splitlines() if line][:2])
m = keras.Sequential([keras.Input((3,), name="inp"), L.Dense(2)]); t(lambda: m(np.ones((2, 5))))
m = keras.Sequential([L.Dense(2)]); m(np.ones((1, 3))); t(lambda: m(np.ones((2, 5))))
a, b = keras.Input((3,), name="a"), keras.Input((2,), name="b"); m = keras.Model([a, b], L.Concatenate()([a, b])); t(lambda: m([np.ones((1, 3)), np.ones((1, 3))])); t(lambda: m([np.ones((1, 3))])); t(lambda: m({"a": np.ones((1, 3))})); t(lambda: m.predict([np.ones((1, 3))], verbose=0))
t(lambda: L.Dense(2)(keras.Input(()))); t(lambda: L.LSTM(2)(keras.Input((3,), name="q"))); t(lambda: L.Conv2D(2, 3)(keras.Input((3, 3))))
class A(L.Layer):
    def __init__(self): super().__init__(); self.input_spec = L.InputSpec(shape=(None, 3), dtype="float32")
    def call(self, x): return x
t(lambda: A()(np.ones((2, 4), "float32"))); t(lambda: A()(np.ones((2, 3), "int32"))); t(lambda: A()(np.ones((2, 3), "float32")).shape)
t(lambda: L.Reshape((5,))(np.ones((2, 3)))); t(lambda: L.Reshape((5,))(keras.Input((3,))))
t(lambda: L.LSTM(0)); t(lambda: L.Permute((0, 1))); t(lambda: L.RepeatVector("a")); t(lambda: L.Embedding(3, 0))
x = np.ones((2, 4, 3), "float32")
keras.backend.clear_session()
for wrong in (lambda: L.LSTM(2)(x[0]), lambda: L.Conv2D(2, 2)(x), lambda: L.Conv1D(2, 2)(x[0]), lambda: L.Dense(2)(tf.constant(1.0)), lambda: L.MaxPooling2D()(x),
              lambda: L.GlobalAveragePooling2D()(x), lambda: L.GRU(2)(np.ones(3)), lambda: L.LSTM(-1), lambda: L.Dense(0), lambda: L.Conv2D(0, 3), lambda: L.Conv2D(2, 0),
              lambda: L.Embedding(-1, 2), lambda: L.Bidirectional(3), lambda: L.Bidirectional(L.LSTM(2), merge_mode="x"), lambda: L.Add()(x), lambda: L.Concatenate()([x, x[:, :2]]),
              lambda: L.Add()([x, x[:, :, :2]]), lambda: L.Dot(axes=1)([x, x[:, :2]]), lambda: L.Conv2D(2, 2, strides=0), lambda: keras.Input(), lambda: L.Activation("nope"), lambda: L.Dense(2, foo=1)):
    t(wrong)
keras.backend.clear_session()
d = L.Dense(2); d(np.ones((1, 3))); t(lambda: d(np.ones((1, 4))))
c = L.Conv2D(2, 2); c(np.ones((1, 4, 4, 3))); t(lambda: c(np.ones((1, 4, 4, 1))))
i = keras.Input((3,)); m = keras.Model(i, L.Dense(2)(i)); print(m.name, m.layers[0].name); t(lambda: m(np.ones((2, 5)))); t(lambda: m.predict(np.ones((2, 5)), verbose=0))
s = keras.Sequential([keras.Input((None, 3)), L.Masking(0.0), L.LSTM(4, return_sequences=True), L.Dense(1)]); s.summary(); print(s.layers[0].output.shape, s.output_shape)
