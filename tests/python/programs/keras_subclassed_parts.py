"""Metrics, losses, layers, optimizers and callbacks that change what a class of Keras does."""
import numpy as np
import tensorflow as tf
tf.keras.utils.set_random_seed(0)
x = np.array([[0.1, 0.9], [0.8, 0.3], [0.4, 0.6], [0.7, 0.2]], "float32"); labels = np.array([1, 0, 1, 0]); y = np.eye(2, dtype="float32")[labels]

def rmse(y_true, y_pred): return tf.sqrt(tf.reduce_mean(tf.square(y_pred - y_true), axis=-1))
def f1(y_true, y_pred): return tf.reduce_sum(y_true * y_pred) / tf.reduce_sum(y_pred)
def accuracy(y_true, y_pred): return tf.reduce_mean(y_pred)
class UpdatedMeanIoU(tf.keras.metrics.MeanIoU):
    def __init__(self, num_classes=None, name=None, dtype=None):
        super().__init__(num_classes=num_classes, name=name, dtype=dtype)
    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(tf.argmax(y_true, axis=-1), tf.argmax(y_pred, axis=-1), sample_weight)
class DoubledMean(tf.keras.metrics.Mean):
    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(tf.abs(y_true - y_pred) * 2, sample_weight=sample_weight)
class PercentAccuracy(tf.keras.metrics.CategoricalAccuracy):
    def result(self): return super().result() * 100
class BinaryTruePositives(tf.keras.metrics.Metric):
    def __init__(self, name="binary_true_positives", **kwargs):
        super().__init__(name=name, **kwargs)
        self.true_positives = self.add_weight(name="tp", initializer="zeros")
    def update_state(self, y_true, y_pred, sample_weight=None):
        values = tf.cast(tf.logical_and(tf.equal(y_true, 1.0), y_pred > 0.5), self.dtype)
        if sample_weight is not None:
            values = tf.multiply(values, tf.cast(sample_weight, self.dtype))
        self.true_positives.assign_add(tf.reduce_sum(values))
    def result(self): return self.true_positives
    def reset_state(self): self.true_positives.assign(0)
def small(layers=None, **compile_args):
    model = tf.keras.Sequential([tf.keras.Input((2,))] + (layers or [tf.keras.layers.Dense(2, activation="softmax", kernel_initializer=tf.keras.initializers.Constant(0.5))]))
    model.compile(**{**dict(optimizer=tf.keras.optimizers.SGD(0.5), loss="mse"), **compile_args})
    return model
def run(name, model, epochs=2, target=y, **kwargs):
    history = model.fit(x, target, epochs=epochs, batch_size=2, verbose=0, shuffle=False, **kwargs).history
    print(name, {k: [round(float(a), 4) for a in v] for k, v in history.items()}, [round(float(a), 4) for a in np.ravel(model.evaluate(x, target, batch_size=2, verbose=0))])
run("functions", small(metrics=[rmse, f1, accuracy]))
run("subclasses", small(metrics=[UpdatedMeanIoU(2, name="iou"), DoubledMean(name="doubled"), PercentAccuracy(name="percent"), BinaryTruePositives()]))
run("options", small(metrics=[tf.keras.metrics.Precision(class_id=1, name="p1"), tf.keras.metrics.Recall(top_k=1, name="r1"), tf.keras.metrics.Precision(name="p")]))
run("wrapped", small(metrics=[tf.keras.metrics.MeanMetricWrapper(rmse, name="wrapped"), "mae"]))

class WeightedMSE(tf.keras.losses.MeanSquaredError):
    def call(self, y_true, y_pred): return super().call(y_true, y_pred) * 3.0
class Huberish(tf.keras.losses.Loss):
    def __init__(self, threshold=0.1, **kwargs):
        super().__init__(**kwargs)
        self.threshold = threshold
    def call(self, y_true, y_pred):
        error = y_true - y_pred
        small_error = tf.abs(error) <= self.threshold
        return tf.where(small_error, tf.square(error) / 2, self.threshold * (tf.abs(error) - self.threshold / 2))
def mse(y_true, y_pred): return tf.reduce_mean(tf.abs(y_true - y_pred) ** 3, axis=-1)
run("loss subclass", small(loss=WeightedMSE())); run("own loss", small(loss=Huberish(0.2))); run("loss named mse", small(loss=mse)); run("sum", small(loss=Huberish(reduction="sum")))

class ScaledDense(tf.keras.layers.Dense):
    def call(self, inputs): return super().call(inputs) * 0.5
class NoisyRelu(tf.keras.layers.ReLU):
    def call(self, inputs): return super().call(inputs) + 1.0
class MCDropout(tf.keras.layers.Dropout):
    def call(self, inputs, training=None): return super().call(inputs, training=True)
class FrozenBN(tf.keras.layers.BatchNormalization):
    def call(self, inputs, training=None, mask=None): return super().call(inputs, training=False)
class BuiltDense(tf.keras.layers.Dense):
    def build(self, input_shape):
        super().build(input_shape)
        self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
    def call(self, inputs): return super().call(inputs) * self.scale
half = tf.keras.initializers.Constant(0.5)
for name, layers in {"scaled": [ScaledDense(2, kernel_initializer=half)], "noisy": [NoisyRelu(), tf.keras.layers.Dense(2, kernel_initializer=half)], "frozen": [FrozenBN(), tf.keras.layers.Dense(2, kernel_initializer=half)], "built": [BuiltDense(2, kernel_initializer=half)]}.items():
    model = small(layers); run(name, model); print(model.predict(x, verbose=0).round(4).tolist(), [w.name for w in model.weights])
model = small([MCDropout(0.5), tf.keras.layers.Dense(2, kernel_initializer="ones")]); predictions = np.stack([model.predict(x, verbose=0) for _ in range(20)]); print("mc dropout varies:", predictions.std(0).max() > 0)

class SignSGD(tf.keras.optimizers.SGD):
    def update_step(self, gradient, variable, learning_rate): variable.assign_sub(tf.cast(learning_rate, variable.dtype) * tf.sign(gradient))
class ScaledAdam(tf.keras.optimizers.Adam):
    def apply_gradients(self, grads_and_vars): return super().apply_gradients([(g * 10.0, v) for g, v in grads_and_vars])
class OwnSGD(tf.keras.optimizers.Optimizer):
    def __init__(self, learning_rate=0.1, name="own", **kwargs): super().__init__(learning_rate=learning_rate, name=name, **kwargs)
    def build(self, variables):
        if self.built: return
        super().build(variables)
        self.sums = [self.add_variable_from_reference(v, "sum") for v in variables]
    def update_step(self, gradient, variable, learning_rate):
        s = self.sums[self._get_variable_index(variable)]
        s.assign_add(gradient); variable.assign_sub(learning_rate * s)
for optimizer in (SignSGD(0.1), ScaledAdam(0.01), OwnSGD(0.3)):
    model = small(optimizer=optimizer); run(type(optimizer).__name__, model); print(model.layers[0].kernel.numpy().round(4).tolist(), int(optimizer.iterations))
class Clamp(tf.keras.constraints.Constraint):
    def __call__(self, w): return tf.clip_by_value(w, -0.55, 0.55)
class Push(tf.keras.regularizers.Regularizer):
    def __call__(self, w): return 0.1 * tf.reduce_sum(tf.abs(w))
class Ramp(tf.keras.initializers.Initializer):
    def __call__(self, shape, dtype=None, **kwargs): return tf.reshape(tf.range(np.prod(shape), dtype=dtype or tf.float32), shape) / 10
class Warm(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step): return 0.1 * (tf.cast(step, tf.float32) + 1)
model = small([tf.keras.layers.Dense(2, kernel_initializer=Ramp(), kernel_constraint=Clamp(), kernel_regularizer=Push(), activation=lambda t: tf.nn.relu(t) * 2)], optimizer=tf.keras.optimizers.SGD(Warm()))
run("parts", model); print(model.layers[0].kernel.numpy().round(4).tolist())
model = small([tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.Constant([[1.0, -1.0], [0.5, 0.25]]))]); print(model.layers[0].kernel.numpy().tolist())
class Stepped(tf.keras.optimizers.schedules.ExponentialDecay):
    def __call__(self, step): return super().__call__(step) * 2.0
class Half(tf.keras.initializers.Ones):
    def __call__(self, shape, dtype=None, **kwargs): return super().__call__(shape, dtype) / 2
class Twice(tf.keras.regularizers.L2):
    def __call__(self, w): return 2.0 * super().__call__(w)
class Narrow(tf.keras.constraints.NonNeg):
    def __call__(self, w): return tf.minimum(super().__call__(w), 0.52)
model = small([tf.keras.layers.Dense(2, kernel_initializer=Half(), kernel_regularizer=Twice(0.1), kernel_constraint=Narrow())], optimizer=tf.keras.optimizers.SGD(Stepped(0.1, 2, 0.5)))
run("subclassed parts", model); print(model.layers[0].kernel.numpy().round(4).tolist())
