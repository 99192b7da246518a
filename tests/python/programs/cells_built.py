"""Recurrent layers of cells, built by themselves: names, shapes and figures."""
import numpy as np
import tensorflow as tf

layers = tf.keras.layers
steps = np.random.RandomState(5).randn(2, 4, 3).astype("float32")


def cells():
    yield layers.RNN(layers.LSTMCell(3), return_state=True)
    yield layers.RNN([layers.LSTMCell(3), layers.GRUCell(2)], return_sequences=True, return_state=True)
    yield layers.RNN(layers.StackedRNNCells([layers.GRUCell(2, reset_after=False), layers.SimpleRNNCell(4)]))
    yield layers.RNN([layers.SimpleRNNCell(2), layers.SimpleRNNCell(3), layers.LSTMCell(1)], go_backwards=True)
    yield layers.Bidirectional(layers.GRU(2), merge_mode="sum")
    yield layers.TimeDistributed(layers.Dense(2))


for layer in cells():
    layer.build((2, 4, 3))
    print([one.path for one in layer.weights])
    numbers = np.random.RandomState(1)
    layer.set_weights([numbers.randn(*one.shape).astype("float32") * 0.4 for one in layer.get_weights()])
    for one in tf.nest.flatten(layer(steps)):
        print(np.round(one.numpy(), 4).tolist())
for layer in cells():
    layer(steps)
    print([one.path for one in layer.weights])
for options in {"strides": 2, "dilation_rate": 2}, {"strides": (3, 2), "output_padding": (1, 2)}, {"output_padding": 1}:
    try:
        layers.Conv2DTranspose(2, 3, **options)
    except ValueError as error:
        print(error)
