import numpy as np
import tensorflow as tf
keras = tf.keras
L = keras.layers


def steps(values):
    return L.Masking()(np.array([[[float(one)] for one in values]], "float32"))


def shown(tensor):
    mask = getattr(tensor, "_keras_mask", None)
    return np.round(np.asarray(tensor), 3).ravel().tolist(), None if mask is None else np.asarray(mask).ravel().tolist()


plain = np.array([[[4.0], [5.0], [6.0]]], "float32")
for kind in (L.Add, L.Subtract, L.Multiply, L.Average, L.Maximum, L.Minimum):
    print(kind.__name__, shown(kind()([steps([1, 0, 3]), steps([2, 5, 0])])), shown(kind()([steps([1, 0, 3]), plain])),
          shown(kind()([steps([-1, 0, 0]), steps([-2, 5, 0])])))
print("three", shown(L.Multiply()([steps([1, 0, 3]), steps([2, 5, 0]), steps([0, 0, 2])])),
      shown(L.Minimum()([steps([1, 0, 3]), steps([2, 5, 0]), steps([0, 0, 2])])))
print("concat", shown(L.Concatenate(axis=1)([steps([1, 0, 3]), steps([2, 5, 0])])),
      shown(L.Concatenate(axis=1)([steps([1, 0, 3]), plain])), shown(L.Concatenate()([steps([1, 0, 3]), steps([2, 5, 0])])))
print("dot", shown(L.Dot(axes=1)([steps([1, 0, 3]), steps([2, 5, 0])])))

mean = L.GlobalAveragePooling1D()
print(shown(mean(steps([1, 0, 3]))), shown(mean(inputs=steps([1, 0, 3]))), shown(mean(inputs=plain)))
attend = L.MultiHeadAttention(num_heads=1, key_dim=1, kernel_initializer="ones")
x, y = steps([1, 2, 0]), steps([1, 2, 0])
print(shown(attend(x, x, x)), shown(attend(query=y, value=y, key=y)))
lstm = L.LSTM(1, kernel_initializer="ones", recurrent_initializer="ones")
print(shown(lstm(steps([1, 0, 0]))), shown(lstm(sequences=steps([1, 0, 0]))))


class Inner(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.supports_masking = True

    def call(self, inputs, mask=None):
        return inputs if mask is None else inputs + tf.cast(mask, inputs.dtype)[..., None]


class Outer(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def call(self, values, factor=1.0):
        return self.inner(inputs=values) * factor


print(shown(Inner()(inputs=steps([1, 0, 3]))), shown(Outer()(values=steps([1, 0, 3]), factor=2.0)))

left, right = keras.Input((3, 1)), keras.Input((3, 1))
joined = L.Concatenate(axis=1)([L.Masking()(left), L.Masking()(right)])
model = keras.Model([left, right], L.GlobalAveragePooling1D()(joined))
print(shown(model([np.array([[[1.0], [0.0], [3.0]]]), np.array([[[2.0], [5.0], [0.0]]])])))
