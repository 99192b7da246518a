import tensorflow as tf, numpy as np
from tensorflow import keras
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
class Numbered(keras.layers.Layer):
    def call(self, x):
        c = tf.distribute.get_replica_context()
        return x if c is None else x + 100.0 * tf.cast(c.replica_id_in_sync_group, x.dtype)
class Own(keras.Model):
    def predict_step(self, data):
        x = data[0] if isinstance(data, tuple) else data
        c = tf.distribute.get_replica_context()
        return {"y": self(x), "n": tf.fill([tf.shape(x)[0]], c.replica_id_in_sync_group if c else -1)}
    def test_step(self, data):
        c = tf.distribute.get_replica_context()
        return {"ctx": tf.cast(c.replica_id_in_sync_group, tf.float32) if c else -1.0}
x = np.arange(7, dtype="float32").reshape(7, 1)
for name, s in (("none", None), ("one", tf.distribute.OneDeviceStrategy("CPU:0")), ("m1", tf.distribute.MirroredStrategy(["CPU:0"])), ("m2", tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]))):
    import contextlib
    with s.scope() if s else contextlib.nullcontext():
        i = keras.Input((1,)); m = keras.Model(i, Numbered()(i)); m.compile(loss="mae", metrics=["mae"])
        d = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, kernel_initializer="ones"), Numbered()]); d.compile(keras.optimizers.SGD(0.0), loss="mae")
        o = Own(i, keras.layers.Dense(1, kernel_initializer="ones")(i)); o.compile(loss="mae")
    print(name, "predict", m.predict(x, batch_size=4, verbose=0).ravel().tolist())
    print(name, "predict ds", m.predict(tf.data.Dataset.from_tensor_slices((x, x)).batch(3), verbose=0).ravel().tolist(), m.predict(tf.data.Dataset.from_tensor_slices(x).batch(3), steps=1, verbose=0).ravel().tolist())
    print(name, "evaluate", [round(v, 4) for v in m.evaluate(x, x, batch_size=4, verbose=0)])
    print(name, "fit", {k: np.round(v, 4).tolist() for k, v in d.fit(x, x, batch_size=4, epochs=1, shuffle=False, verbose=0, validation_data=(x, x)).history.items()})
    p = o.predict(x, batch_size=4, verbose=0); print(name, "own", p["y"].ravel().tolist(), p["n"].tolist())
    print(name, "own test", o.evaluate(x, x, batch_size=4, verbose=0, return_dict=True))
    for what, f in (("test_on_batch", lambda: np.round(m.test_on_batch(x[:2], x[:2]), 3).tolist()),
                    ("call", lambda: m(x[:2]).numpy().ravel().tolist())):
        try: print(name, what, f())
        except Exception as e: print(name, what, type(e).__name__)
