"""State trees of models, devices of Keras, and whole numbers as inputs of cells."""
import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers


def show(tree, depth=1):
    for key, value in tree.items():
        print(" " * depth + key, "" if isinstance(value, dict) else tuple(value.shape))
        if isinstance(value, dict):
            show(value, depth + 1)


def made():
    model = keras.Sequential([keras.Input((1,)), layers.Dense(2, name="first"), layers.BatchNormalization(name="norm"),
                              layers.Dense(1, name="last")], name="row")
    model.compile("adam", "mse", metrics=[keras.metrics.MeanAbsoluteError(name="error")])
    model.fit(np.ones((2, 1)), np.ones((2, 1)), batch_size=2, verbose=0)
    return model


model, other = made(), made()
tree = model.get_state_tree()
for kind in tree:
    print(kind)
    show(tree[kind])
tree = model.get_state_tree("numpy_array")
print(type(tree["trainable_variables"]["row"]["first"]["kernel"]).__name__)
other.fit(np.ones((2, 1)), np.zeros((2, 1)), batch_size=2, verbose=0)
print(int(other.optimizer.iterations))
other.set_state_tree(tree)
print(all(np.allclose(a, b) for a, b in zip(model.get_weights(), other.get_weights())), int(other.optimizer.iterations))
other.set_state_tree({"trainable_variables": {"row": {"first": {"bias": [3.0, 4.0]}, "unknown": {"bias": [1.0]}}}})
print(other.layers[0].bias.numpy(), [one.path for one in other.metrics_variables])
for wrong in (lambda: other.set_state_tree({"variables": {}}), lambda: other.get_state_tree("tensors")):
    try:
        wrong()
    except ValueError as error:
        print(error)
twice = keras.Sequential([keras.Sequential([layers.Dense(1, name="same")], name="a"),
                          keras.Sequential([layers.Dense(1, name="same")], name="b")], name="outer")
twice(np.ones((1, 2)))
twice.compile("sgd", "mse")
print(sorted(twice.get_state_tree()["trainable_variables"]))

with keras.device("cpu:0"):
    print(keras.ops.ones((2,)).device[-5:])

steps = np.arange(24).reshape(2, 4, 3)
for layer in (layers.RNN([layers.LSTMCell(4), layers.GRUCell(2)]), layers.RNN(layers.SimpleRNNCell(3), return_sequences=True),
              layers.LSTM(3), layers.GRU(3), layers.Bidirectional(layers.LSTM(2))):
    print(layer(steps).shape, layer(steps).dtype)
cell = layers.LSTMCell(3)
output, states = cell(steps[:, 0], [np.zeros((2, 3)), np.zeros((2, 3))])
print(output.shape, [one.dtype.name for one in states], np.allclose(output, cell(steps[:, 0].astype("float32"), cell.get_initial_state(2))[0]))
try:
    layers.ConvLSTM1D(2, 2)(steps)
except ValueError as error:
    print(error)
