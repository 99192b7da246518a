import numpy as np
import tensorflow as tf

keras = tf.keras
layers, metrics = keras.layers, keras.metrics
keras.utils.set_random_seed(1)


def shown(value):
    value = np.asarray(value)
    return value.dtype.name, value.shape, (np.round(value.astype("float64").ravel(), 3) + 0.0).tolist()


x = np.arange(12).reshape(3, 4).astype("float32") / 10
start = np.arange(8).reshape(4, 2) / 5
dense = layers.Dense(2, kernel_initializer=lambda shape, dtype=None: tf.constant(start, dtype))
spectral = layers.SpectralNormalization(dense)
print(shown(spectral(x)), [(one.path, tuple(one.shape), one.trainable) for one in spectral.variables])
print(shown(spectral.vector_u), shown(spectral(x, training=True)), shown(spectral.vector_u), shown(spectral(x, training=True)), shown(dense.kernel))
conv = layers.SpectralNormalization(layers.Conv2D(2, 2, kernel_initializer="ones"), power_iterations=2)
print(shown(conv(np.ones((1, 3, 3, 1), "float32"), training=True)), [tuple(one.shape) for one in conv.weights], conv.compute_output_shape((None, 4, 4, 1)))
print(layers.SpectralNormalization(layers.Embedding(4, 3))(np.array([1, 2])).shape)
model = keras.Sequential([keras.Input((4,)), layers.SpectralNormalization(layers.Dense(2, kernel_initializer="ones")), layers.Dense(1, kernel_initializer="ones")])
model.compile(keras.optimizers.SGD(0.1), loss="mse")
print(np.round(model.fit(x, np.ones((3, 1)), epochs=3, shuffle=False, verbose=0).history["loss"], 3).tolist(), model.count_params())
for act in (lambda: layers.SpectralNormalization(layers.ReLU())(x), lambda: layers.SpectralNormalization(layers.Dense(1), power_iterations=0), lambda: layers.SpectralNormalization(1)):
    try:
        act()
    except ValueError as error:
        print(error)

names, numbers = np.array(["A", "B", "A", "B", "A"]), np.array([101, 101, 101, 102, 102])
crossing = layers.HashedCrossing(num_bins=5)
print(shown(crossing((names, numbers))), shown(crossing((names[:, None], numbers[:, None]))), shown(crossing((names, names, numbers))), shown(crossing(("A", 3))))
print(shown(layers.HashedCrossing(num_bins=5, output_mode="one_hot")((names, numbers))), shown(layers.HashedCrossing(1000)((np.array(["x", "y"]), np.array(["z", ""])))))
print(shown(layers.HashedCrossing(1000, dtype="int32")((np.array([1, -2, 3]), np.array([4, 5, 6])))), crossing.get_config())
data = tf.data.Dataset.from_tensor_slices({"a": names, "b": numbers}).batch(3)
print([one.numpy().tolist() for one in data.map(lambda row: crossing((row["a"], row["b"])))])
for given in ((names,), names, (names, numbers[:2]), (names, numbers.astype("float32")), (np.ones((2, 2), int), np.ones((2, 2), int))):
    try:
        crossing(given)
    except ValueError as error:
        print("`HashedCrossing`" in str(error))

y_true, y_pred = np.array([[0, 1, 0.5], [1, 1, 0.2]], "float32"), np.array([[0.1, 0.9, 0.5], [1, 0.9, 0.2]], "float32")
for name in ("pearson_correlation", "concordance_correlation"):
    function, metric = getattr(metrics, name), getattr(metrics, name.title().replace("_", ""))()
    print(shown(function(y_true, y_pred)), shown(function(y_true[:, :2], y_pred[:, :2], axis=(0, 1))), shown(function(y_true, -y_pred)))
    metric.update_state(y_true, y_pred)
    metric.update_state(y_true, -y_pred, sample_weight=[1.0, 2.0])
    print(shown(metric.result()), metric.get_config(), type(metric).from_config(metric.get_config()).name)

for settings in ({}, {"warmup_steps": 3, "learning_rate": 0.1}, {"weight_decay": 0.1, "learning_rate": 0.1}, {"learning_rate": 0.1, "clipnorm": 0.1, "epsilon": 1e-3}):
    optimizer = keras.optimizers.ScheduleFreeAdamW(**settings)
    weight = keras.Variable(np.array([1.0, 2.0, -3.0], "float32"), name="v")
    optimizer.build([weight])
    for step in range(4):
        optimizer.apply_gradients([(tf.constant([0.5, -1.0, 2.0 + step]), weight)])
    print(shown(weight), [(one.path.partition("/")[2], shown(one)[2]) for one in optimizer.variables[2:]])
model = keras.Sequential([keras.Input((4,)), layers.Dense(1, kernel_initializer="ones")])
model.compile(keras.optimizers.ScheduleFreeAdamW(0.1), loss="mse", metrics=[metrics.PearsonCorrelation(axis=0)])
model.optimizer.build(model.trainable_variables)
print(np.round(model.train_on_batch(x, np.array([[0.0], [1.0], [3.0]])), 3).tolist(), model.optimizer.get_config()["warmup_steps"])
print(np.round(model.get_weights()[0], 3).ravel().tolist())
