"""Symbolic tensors and the places of inputs: what they are, become, and refuse."""
import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers


def told(function):
    """What a function gives, or the error that it raises."""
    try:
        made = function()
        print(made if isinstance(made, (bool, int, str)) or made is None else (type(made).__name__, getattr(made, "shape", None)))
    except Exception as error:
        print(type(error).__name__, str(error)[:120])


inputs = keras.Input((3,))
print(inputs, str(inputs) == format(inputs), inputs.ndim, inputs.sparse, inputs.ragged)
for refused in (lambda: np.asarray(inputs), lambda: np.sum(inputs), lambda: np.ones((3,), "float32") + inputs,
                lambda: float(inputs), lambda: int(inputs), lambda: len(inputs), lambda: bool(inputs), lambda: list(inputs),
                lambda: tf.reduce_sum(inputs), lambda: tf.convert_to_tensor(inputs), lambda: inputs.numpy()):
    told(refused)
for made in (lambda: round(inputs), lambda: inputs.reshape((3, 1)), lambda: keras.Input((3, 1)).squeeze(), lambda: abs(inputs),
             lambda: inputs @ tf.ones((3, 2)), lambda: -inputs // 2.0, lambda: inputs < 1, lambda: inputs in [inputs]):
    told(made)

dense = layers.Dense(2)
for symbol in (inputs, dense(inputs), dense(inputs), layers.LSTM(2, return_state=True)(keras.Input((4, 3)))[2]):
    history = symbol._keras_history
    print(history.operation.name, history.node_index, history.tensor_index)

for shape in (10, None, "a", (2.5,), (-1, 2), [2, 3], (), tf.TensorShape([2]), (tf.constant(3),), (np.int64(4),), (None, 2)):
    told(lambda: keras.Input(shape))
told(lambda: keras.Input((2,), batch_shape=(None, 2)))
told(lambda: keras.Input(batch_shape=(2,), batch_size=3))
told(lambda: keras.Input(batch_shape=3))
told(lambda: keras.Input())
told(lambda: keras.Input((2,), sparse=True, ragged=True))
told(lambda: keras.Input((2,), batch_size=3))
told(lambda: keras.Input((2,), dtype=tf.int32).dtype)
told(lambda: keras.Input(tensor=dense(inputs)))
told(lambda: layers.InputLayer((2,), dtype="int32").dtype)
told(lambda: layers.InputLayer())
for shape in ((2, -1), 3, None, (None, 2)):
    told(lambda: keras.KerasTensor(shape))
print(keras.Input((2,), name="given").name, keras.KerasTensor((2,), dtype="int32", name="own"))

# A model from a tensor in the middle of another.
middle = dense(inputs)
outputs = layers.Activation("relu")(middle)
model = keras.Model(middle, outputs)
print(model(np.array([[-1.0, 2.0]], "float32")).numpy(), [layer.name for layer in model.layers][1:])
base = keras.Input((3,))
hidden = layers.Dense(4, name="hidden")(base)
left = layers.Dense(2, name="left")(hidden)
summed = layers.Add(name="summed")([left, layers.Dense(2, name="right")(hidden)])
model = keras.Model([hidden, left], summed)
print(len(model.layers), [layer.name for layer in model.layers][2:], model.input_shape, model.output is summed, left is
      model.get_layer("left" if len(model.layers) == 5 else "right").output)
model = keras.Model(hidden, summed)
again = keras.Model.from_config(model.get_config())
again.set_weights(model.get_weights())
x = np.ones((2, 4), "float32")
print([type(layer).__name__ for layer in again.layers], np.allclose(model(x), again(x)))
