import numpy as np
import tensorflow as tf

keras = tf.keras
layers, losses, metrics = keras.layers, keras.losses, keras.metrics
labels, made = np.array([[1, 2, 0], [0, 1, 1]]), np.array([[1, 3, 1], [2, 1, 0]])


def shown(value):
    value = np.asarray(value)
    return value.dtype.name, value.shape, np.round(value.astype("float64"), 4).ravel().tolist()


for name in ("mse", "mae", "msle"):
    for dtype in ("int64", "int32"):
        print(name, shown(getattr(losses, name)(labels.astype(dtype), made.astype(dtype))))
for name in ("MeanSquaredError", "RootMeanSquaredError", "MeanAbsoluteError", "MeanSquaredLogarithmicError", "R2Score", "Accuracy"):
    metric = getattr(metrics, name)()
    metric.update_state(labels, made)
    print(name, shown(metric.result()))
metric = metrics.BinaryAccuracy()
metric.update_state(labels > 0, made > 1)
print(shown(metric.result()), shown(metrics.Mean()(labels)), shown(losses.MeanSquaredError()(labels, made)), shown(losses.MeanAbsoluteError()(labels, made)))
whole, part = np.array([[1, 2], [3, 4]], "int32"), np.array([[0.5, 1.5], [2.5, 3.5]], "float32")
for layer in (layers.Add(), layers.Subtract(), layers.Multiply(), layers.Average(), layers.Maximum(), layers.Minimum(), layers.Concatenate(), layers.Dot(axes=1)):
    print(type(layer).__name__, shown(layer([whole, part])), shown(layer([part, whole.astype("uint8")])), layer([whole, whole.astype("int64")]).dtype.name)
inputs = [keras.Input((2,), dtype="int32"), keras.Input((2,))]
model = keras.Model(inputs, layers.Add()(inputs))
print(model.output.dtype, shown(model([whole, part])))
