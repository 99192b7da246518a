"""The dtypes in which losses and variables of Keras are, and training with nothing to train or nothing finite."""
import warnings

import numpy as np
import tensorflow as tf

keras = tf.keras
layers, losses = keras.layers, keras.losses
warnings.showwarning = lambda message, *_, **__: print("warned:", message)

values = np.random.RandomState(0).rand(3, 4)
values /= values.sum(1, keepdims=True)
hot, classes = np.eye(4)[[0, 1, 2]], np.array([0, 1, 2])
for kind in (losses.MeanSquaredError, losses.BinaryCrossentropy, losses.CategoricalCrossentropy, losses.Huber,
             losses.SparseCategoricalCrossentropy, losses.CategoricalGeneralizedCrossEntropy, losses.Dice, losses.KLDivergence):
    targets = classes if "Sparse" in kind.__name__ or "General" in kind.__name__ else hot
    made = [kind(**options)(targets, values) for options in ({}, {"dtype": "float64"}, {"reduction": "none"})]
    print(kind.__name__, kind().dtype, [one.dtype.name for one in made], np.round(made[0].numpy(), 4))
print(losses.mse(hot, values).dtype, losses.categorical_crossentropy(hot, values).dtype)


class Squares(losses.Loss):
    def call(self, y_true, y_pred):
        if tf.executing_eagerly():
            print("called with", y_true.dtype.name, y_pred.dtype.name)
        return keras.ops.mean((y_true - y_pred) ** 2, axis=-1)


for targets, outputs in ((hot, values), (hot.astype("int32"), values), (hot.astype("float16"), values.astype("float16"))):
    print(Squares()(targets, outputs).dtype, Squares(dtype="float64")(targets, outputs).dtype)
print(round(float(Squares()(hot, values, sample_weight=[1.0, 2.0, 3.0])), 5))
model = keras.Sequential([layers.Dense(4, kernel_initializer="ones")])
for loss in (Squares(), lambda y_true, y_pred: keras.ops.mean((y_true - y_pred) ** 2, axis=-1)):
    model.compile("sgd", loss)
    print(round(float(model.evaluate(np.ones((3, 2)), hot.astype("int64"), verbose=0)), 4))

for value in (np.ones(2), np.ones(2, "float16"), [1.0, 2.0], [1, 2], tf.ones(2, tf.float64), 1.5, np.arange(3), True):
    variable = keras.Variable(value)
    print(tf.as_dtype(variable.dtype).name, tf.as_dtype(keras.Variable(value, dtype="float32").dtype).name)
variable = keras.Variable([1.0, 2.0])
optimizer = keras.optimizers.SGD(0.5)
print(optimizer.apply([tf.ones(2)], [variable]), int(optimizer.apply_gradients([(tf.ones(2), variable)])), variable.numpy())


class Sum(layers.Layer):
    def call(self, inputs):
        self.add_loss(0.01 * keras.ops.mean(inputs))
        return inputs


inputs = keras.Input((3,))
model = keras.Model(inputs, Sum()(inputs))
model.compile("adam", "mse")
print(np.round(model.fit(np.ones((2, 3)), np.zeros((2, 3)), verbose=0).history["loss"], 4))
model = keras.Sequential([layers.Rescaling(2.0)])
model.compile("sgd", "mse", metrics=["mae"])
print(model.fit(np.ones((4, 3)), np.zeros((4, 3)), batch_size=2, epochs=2, verbose=0).history)
print([float(one) for one in model.train_on_batch(np.ones((4, 3)), np.zeros((4, 3)))])
model = keras.Sequential([layers.Dense(2)])
model.trainable = False
model.compile("sgd", "mse")
print(list(model.fit(np.ones((4, 3)), np.zeros((4, 2)), verbose=0).history), int(model.optimizer.iterations))


class End(keras.callbacks.Callback):
    def on_train_end(self, logs=None):
        print("training has ended")


model = keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
model.compile("sgd", "mse")
for raises in (False, True):
    stop = keras.callbacks.TerminateOnNaN(raise_error=raises)
    try:
        history = model.fit(np.full((4, 3), np.inf), np.zeros((4, 1)), batch_size=2, verbose=0, callbacks=[stop, End()])
        print(history.history)
    except RuntimeError as error:
        print(error)
