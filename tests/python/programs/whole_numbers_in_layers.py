"""Layers of whole numbers: what is averaged, normalised and enlarged."""
import numpy as np
import tensorflow as tf

layers = tf.keras.layers


def show(name, value):
    value = tf.convert_to_tensor(value)
    print(name, value.dtype.name, value.shape, np.round(value.numpy().ravel()[:8], 3).tolist())


rows = tf.constant([[1, 2, 3, 5], [4, 0, 2, 1]])
steps = tf.constant([[[1, 2], [3, 4], [0, 1]]])
images = tf.reshape(tf.range(16), [1, 4, 2, 2])
ones = {"kernel_initializer": "ones"}
show("dense", layers.Dense(2, **ones)(rows))
show("batch normalization", layers.BatchNormalization()(rows))
show("lstm", layers.LSTM(2, recurrent_initializer="ones", **ones)(steps))
show("gru", layers.GRU(2, recurrent_initializer="ones", return_sequences=True, **ones)(steps))
show("simple rnn", layers.SimpleRNN(2, recurrent_initializer="ones", **ones)(steps))
show("attention", layers.MultiHeadAttention(1, 2, **ones)(steps, steps))
show("average", layers.GlobalAveragePooling2D()(images))
show("average of steps", layers.GlobalAveragePooling1D()(steps))
show("largest", layers.GlobalMaxPooling2D()(images))
show("largest of windows", layers.MaxPooling2D()(images))
show("largest of steps", layers.MaxPooling1D()(steps))
row = tf.reshape(tf.constant([0, 3, 1, 2, 7, 100]), [1, 1, 6, 1])
for dtype in ("int32", "uint8", "float32"):
    enlarge = layers.UpSampling2D((1, 2), interpolation="bilinear", dtype=dtype if dtype == "float32" else None)
    show("bilinear " + dtype, enlarge(tf.cast(row, dtype)))
print(layers.LayerNormalization()(rows).dtype.name, layers.GroupNormalization(2)(rows).dtype.name)
