"""Values of replicas used as one, clones of compiled models, inputs by name, schedules of one's own, and steps masked out."""
import numpy as np
import tensorflow as tf
keras = tf.keras
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
per = strategy.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group)
for use in (lambda: float(per), lambda: per[0], lambda: list(per), lambda: len(per), lambda: [one for one in per], lambda: per + 1):
    try: print(use())
    except TypeError as e: print("TypeError", str(e)[:35])
print(hasattr(per, "numpy"), hasattr(per, "values"))
with strategy.scope():
    own = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, trainable=False, name="own")
print(own)
strategy.run(lambda: own.assign(5.0)); print(own)
print(strategy.experimental_local_results(own.values)[0][1].numpy() if isinstance(own.values, tuple) else "")
keras.utils.set_random_seed(1)
i = keras.Input((3,), name="a"); j = keras.Input((2,), name="b")
m = keras.Model({"a": i, "b": j}, keras.layers.Dense(1)(keras.layers.Concatenate()([i, j])))
m.compile(keras.optimizers.Adam(0.25), "mae", metrics=["mse"])
c = keras.models.clone_model(m); print(c.compiled, type(c.optimizer).__name__, c.optimizer is m.optimizer, float(c.optimizer.learning_rate), c.loss)
s = keras.models.clone_model(keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])); print(s.compiled)
x = {"a": np.ones((4, 3), "float32"), "b": np.zeros((4, 2), "float32")}
c.set_weights(m.get_weights()); print(np.array_equal(c.evaluate(x, np.ones((4, 1)), verbose=0), m.evaluate(x, np.ones((4, 1)), verbose=0)))
try: m({"a": x["a"]})
except ValueError as e: print("Missing data for input" in str(e))
class Warm(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, d): self.d = d
    def __call__(self, step): return self.d * tf.minimum(tf.cast(step, tf.float32) + 1, 4.0)
    def get_config(self): return {"d": self.d}
print(keras.optimizers.SGD(Warm(0.1)).get_config()["learning_rate"])
print(keras.optimizers.schedules.CosineDecay(0.1, 10, alpha=0.1, warmup_target=0.5, warmup_steps=3).get_config())
for bad in (lambda: keras.optimizers.SGD("fast"), lambda: keras.optimizers.Adam(lr=0.1)):
    try: bad()
    except ValueError as e: print(str(e)[:42])
print(keras.layers.Masking(-1.0)(np.array([[[1., 2.], [-1., -1.]]], "float32")).numpy())
