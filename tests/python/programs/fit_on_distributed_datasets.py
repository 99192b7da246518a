import numpy as np
import tensorflow as tf
from tensorflow import keras
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.arange(16, dtype="float32").reshape(8, 2) / 10
y = x.sum(1, keepdims=True) - 0.5
for names in (["CPU:0"], ["CPU:0", "CPU:1"]):
    s = tf.distribute.MirroredStrategy(names)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
    def model():
        with s.scope():
            m = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")]); m.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
        return m
    def t(name, f):
        try: print(len(names), name, f())
        except Exception as e: print(len(names), name, type(e).__name__)
    h = lambda r: {k: np.round(v, 4).tolist() for k, v in sorted(r.history.items())}
    t("plain", lambda: h(model().fit(data, verbose=0, epochs=2)))
    t("fit", lambda: h(model().fit(s.experimental_distribute_dataset(data), verbose=0, epochs=2)))
    t("fit steps", lambda: h(model().fit(s.experimental_distribute_dataset(data.repeat()), verbose=0, epochs=2, steps_per_epoch=3)))
    t("from function", lambda: h(model().fit(s.distribute_datasets_from_function(lambda c: tf.data.Dataset.from_tensor_slices((x, y)).batch(4 // len(names)).repeat()), steps_per_epoch=2, verbose=0, epochs=2)))
    t("from function no steps", lambda: h(model().fit(s.distribute_datasets_from_function(lambda c: tf.data.Dataset.from_tensor_slices((x, y)).batch(4 // len(names))), verbose=0)))
    t("validation", lambda: h(model().fit(data, verbose=0, validation_data=s.experimental_distribute_dataset(data))))
    t("both", lambda: h(model().fit(s.experimental_distribute_dataset(data), verbose=0, validation_data=s.experimental_distribute_dataset(data), validation_steps=1)))
    t("evaluate", lambda: np.round(model().evaluate(s.experimental_distribute_dataset(data), verbose=0), 4).tolist())
    t("evaluate steps", lambda: np.round(model().evaluate(s.experimental_distribute_dataset(data), verbose=0, steps=1), 4).tolist())
    t("predict", lambda: np.round(model().predict(s.experimental_distribute_dataset(data), verbose=0).ravel(), 4).tolist())
    t("predict from function", lambda: np.round(model().predict(s.distribute_datasets_from_function(lambda c: tf.data.Dataset.from_tensor_slices((x, y)).batch(4 // len(names))), steps=1, verbose=0).ravel(), 4).tolist())
    t("class_weight", lambda: h(model().fit(s.experimental_distribute_dataset(data), verbose=0, class_weight={0: 1.0, 1: 2.0})))
    t("shuffle batch_size", lambda: h(model().fit(s.experimental_distribute_dataset(data), verbose=0, batch_size=2)))
    t("y", lambda: h(model().fit(s.experimental_distribute_dataset(data), y, verbose=0)))
t("other strategy", lambda: h(model().fit(tf.distribute.MirroredStrategy(["CPU:0"]).experimental_distribute_dataset(data), verbose=0)))
