# Layers that compute in half precision and keep their weights in float32.
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, mixed_precision

mixed_precision.set_global_policy("mixed_bfloat16")
policy = mixed_precision.global_policy()
print(policy, policy.name, policy.compute_dtype, policy.variable_dtype)

rng = np.random.default_rng(0)
steps = rng.normal(size=(2, 5, 4)).astype("float32")
images = rng.normal(size=(2, 6, 6, 2)).astype("float32")
for layer, x in [(layers.Dense(3, activation="relu"), steps), (layers.Conv2D(3, 2), images),
                 (layers.BatchNormalization(), images), (layers.LayerNormalization(), steps),
                 (layers.LSTM(3), steps), (layers.Bidirectional(layers.GRU(2)), steps),
                 (layers.Attention(), [steps, steps]), (layers.Embedding(10, 3), np.array([[1, 2], [3, 4]])),
                 (layers.Normalization(mean=1.0, variance=2.0), steps), (layers.Rescaling(1 / 255), images),
                 (layers.Dense(2, dtype="float32"), steps)]:
    y = layer(x)
    print(type(layer).__name__, y.dtype.name, [str(w.numpy().dtype) for w in layer.weights], layer.dtype, layer.compute_dtype,
          layer.variable_dtype, layer.dtype_policy.name)


class Scaled(layers.Layer):
    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], 2), initializer="ones", name="kernel")
        self.offset = self.add_weight(shape=(2,), initializer="zeros", autocast=False, name="offset")

    def call(self, x):
        y = tf.matmul(x, self.kernel)
        print("in call:", x.dtype.name, y.dtype.name, tf.convert_to_tensor(self.offset).dtype.name)
        return tf.cast(y, tf.float32) + self.offset


print(Scaled()(np.ones((1, 3), "float32")).numpy())

x = rng.normal(size=(64, 6)).astype("float32")
y = (x.sum(1) > 0).astype("int32")


def small(last):
    return tf.keras.Sequential([layers.Input((6,)), layers.Dense(8, activation="tanh", kernel_initializer="ones"),
                                layers.Dense(2, kernel_initializer="ones"),
                                layers.Activation("softmax", dtype=last)])


model = small("float32")
print([one.compute_dtype for one in model.layers], model.outputs[0].dtype, model.dtype_policy)
print(model.layers[0].get_config()["dtype"])
model.compile(tf.keras.optimizers.SGD(0.5), "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0).history
print([f"{one:.2f}" for one in history["loss"]], model.predict(x[:2], verbose=0).dtype, model.optimizer.name)
with tf.GradientTape() as tape:
    value = tf.reduce_mean(model(x))
print([one.dtype.name for one in tape.gradient(value, model.trainable_variables)])

mixed_precision.set_global_policy("mixed_float16")
model = small("float32")
model.compile(tf.keras.optimizers.SGD(0.5), "sparse_categorical_crossentropy")
print(type(model.optimizer).__name__, type(model.optimizer.inner_optimizer).__name__)
print([f"{one:.2f}" for one in model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0).history["loss"]])
model.compile(tf.keras.optimizers.SGD(0.5), "mse", auto_scale_loss=False)
print(type(model.optimizer).__name__)
again = tf.keras.Sequential.from_config(model.get_config())
print([one.dtype_policy for one in again.layers])
print(tf.keras.losses.MeanSquaredError()(tf.ones((2, 2)), tf.zeros((2, 2), tf.float16)).dtype.name)
for wrong in ["mixed_int8", "half", 3]:
    try:
        mixed_precision.set_global_policy(wrong)
    except ValueError as error:
        print(str(error)[:70])
tf.keras.config.set_dtype_policy("float32")
print(layers.Dense(1)(x).dtype.name, tf.keras.config.dtype_policy())
