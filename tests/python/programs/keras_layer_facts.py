"""What layers and models tell of themselves before and after they are built, and the errors besides."""
import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers


def told(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:140])


class Linear(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units))
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=False)
        self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

    def call(self, inputs):
        return (keras.ops.matmul(inputs, self.w) + self.b) * self.scale


class Two(layers.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second = Linear(4), Linear(1)

    def call(self, inputs):
        return self.second(keras.ops.relu(self.first(inputs)))


linear, two = Linear(4), Two()
linear(np.ones((2, 2)))
two(np.ones((2, 2)))
print([one.path for one in linear.weights], [one.name for one in linear.weights])
print([one.path for one in two.weights])
print(keras.Variable(1.0).path, keras.Variable(1.0, name="named").path)

for layer in (layers.Dense(3), layers.Conv2D(2, 3), layers.LSTM(2), layers.MaxPooling2D(), layers.Activation("relu"), linear):
    print(layer.name, layer.input_spec)
told(lambda: layers.Dense(2).kernel)
told(lambda: layers.Dense(2).other)
told(lambda: layers.Dense(2).output)
dense = layers.Dense(3)
dense(np.ones((1, 2)))
print(dense.input_spec, dense.input_spec.get_config()["axes"], dense)
linear.input_spec = layers.InputSpec(ndim=2, axes={1: 2})
print(linear.input_spec)
told(lambda: linear(np.ones((2, 3))))
told(lambda: dense(np.ones((1, 3))))

row = keras.Sequential([layers.Dense(2), layers.Dense(3)])
for name in ("inputs", "outputs", "input_shape", "output_shape", "weights"):
    told(lambda: getattr(row, name))
row.build((None, 4))
print(row.input_shape, row.output_shape, [one.shape for one in row.inputs], [one.shape for one in row.outputs])
told(lambda: keras.Model(1, 2))
told(lambda: keras.Model(keras.Input((2,)), 3))
told(lambda: row.get_layer())
told(lambda: row.get_layer("other"))
told(lambda: row.get_layer(index=9))
# Weights that are trained stand first, in lists and in files.
order = [linear.get_weights()[1].shape, [one.trainable for one in linear.weights]]
other = Linear(4)
other(np.zeros((1, 2)))
other.set_weights([np.full((2, 4), 2.0), np.full((), 3.0), np.full((4,), 5.0)])
linear.trainable = False
print(order, other.scale.numpy(), other.b.numpy(), [one.name.partition("_")[0] for one in linear.weights])
model = keras.Sequential([keras.Input((2,)), other])
model.save_weights("order.weights.h5")
import h5py  # noqa: E402
with h5py.File("order.weights.h5") as file:
    values = file["layers/linear/vars"]
    print([values[str(place)][()].tolist() for place in range(3)])


class Adopting(layers.Layer):
    def __init__(self):
        super().__init__()
        self.fixed = keras.Variable([1.0], trainable=False, name="fixed")
        self.trained = keras.Variable([2.0], name="trained")

    def call(self, inputs):
        return inputs * self.trained + self.fixed


print([one.name for one in Adopting().weights])
