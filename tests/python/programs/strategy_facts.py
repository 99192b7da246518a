"""Facts of strategies, of distributed datasets and of restores; what callbacks write of evaluations; masked metrics."""
import os
import tempfile
import numpy as np
import tensorflow as tf
keras = tf.keras
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
os.chdir(tempfile.mkdtemp())
one = tf.distribute.OneDeviceStrategy("CPU:1")
print(one.extended.worker_devices, one.extended.parameter_devices)
s = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
d = s.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(2))
print(d.cardinality, s.experimental_distribute_dataset(tf.data.Dataset.range(2).repeat().batch(2)).cardinality)
ck = tf.train.Checkpoint(v=tf.Variable(1.0)); print(type(ck.restore(ck.save("c/k"))).__name__)
keras.utils.set_random_seed(1)
m = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
for name in ("metrics", "weighted_metrics"):
    try: m.compile("sgd", "mse", **{name: "mae"})
    except ValueError as e: print(str(e)[:70])
m.compile("sgd", "mse", metrics=["mae"]); x, y = np.ones((4, 1)), np.ones(4)
for bad in (dict(validation_data=5), dict(sample_weight=np.ones(3))):
    try: m.fit(x, y, verbose=0, **bad)
    except ValueError as e: print(str(e)[:30], "'sample_weight' sizes: 3" in str(e))
m.compile("sgd", "mse", metrics=["mae"]); m.fit(x, y, epochs=2, batch_size=2, verbose=0, validation_split=0.5, callbacks=[keras.callbacks.TensorBoard("logs", write_graph=False)])
tags = set()
for name in os.listdir("logs/validation"):
    for event in tf.compat.v1.train.summary_iterator(os.path.join("logs/validation", name)):
        tags |= {(value.tag, event.step) for value in event.summary.value}
print(sorted(tags))
ids = np.array([[1, 2, 3, 0, 0], [4, 5, 0, 0, 0], [1, 1, 1, 1, 1], [2, 0, 0, 0, 0]]); t = np.random.RandomState(0).rand(4, 5, 1).astype("float32")
i = keras.Input((None,), dtype="int32"); h = keras.layers.Embedding(6, 3, mask_zero=True)(i); h = keras.layers.LSTM(2, return_sequences=True)(h)
m = keras.Model(i, keras.layers.TimeDistributed(keras.layers.Dense(1))(h)); m.compile("sgd", "mse", metrics=["mae", keras.metrics.RootMeanSquaredError(name="rmse")], weighted_metrics=["mae"])
for w in m.weights: w.assign(np.full(w.shape, 0.1))
print(np.round(m.evaluate(ids, t, verbose=0), 4), np.round(m.evaluate(ids, t, verbose=0, sample_weight=np.linspace(0, 1, 20).reshape(4, 5)), 4))
