import tensorflow as tf
import numpy as np, os, tempfile
from tensorflow import keras
d = tempfile.mkdtemp(); keras.utils.set_random_seed(2)
def get_model():
    i = keras.Input(shape=(32,)); o = keras.layers.Dense(1)(i); m = keras.Model(i, o); m.compile(optimizer=keras.optimizers.Adam(), loss="mean_squared_error"); return m
model = get_model(); r = np.random.RandomState(0); X = r.random_sample((128, 32)).astype("float32"); Y = r.random_sample((128, 1)).astype("float32"); model.fit(X, Y, verbose=0)
model.save(os.path.join(d, "my_model.keras")); rec = keras.models.load_model(os.path.join(d, "my_model.keras")); np.testing.assert_allclose(model.predict(X, verbose=0), rec.predict(X, verbose=0)); print("same", rec.optimizer.__class__.__name__, int(rec.optimizer.iterations), rec.loss)
rec.fit(X, Y, verbose=0); rec.summary()
@keras.utils.register_keras_serializable(package="my_package", name="custom_fn")
def custom_fn(x): return x ** 2
@keras.utils.register_keras_serializable(package="MyLayers")
class CustomLayer(keras.layers.Layer):
    def __init__(self, factor): super().__init__(); self.factor = factor
    def call(self, x): return x * self.factor
    def get_config(self): return {"factor": self.factor}
def get_m2(): i = keras.Input(shape=(4,)); m = keras.layers.Dense(1, activation=custom_fn)(CustomLayer(.5)(i)); return keras.Model(i, m)
m2 = get_m2(); m2.save(os.path.join(d, "custom.keras")); r2 = keras.models.load_model(os.path.join(d, "custom.keras")); x = np.random.random((4, 4)); np.testing.assert_allclose(m2.predict(x, verbose=0), r2.predict(x, verbose=0)); print("custom", r2.layers[1].factor)
layer = keras.layers.Dense(3, activation="relu"); cfg = layer.get_config(); new = keras.layers.Dense.from_config(cfg); print(cfg["units"], cfg["activation"], new.units)
model = keras.Sequential([keras.Input((32,)), keras.layers.Dense(1)]); c = model.get_config(); nm = keras.Sequential.from_config(c); print(len(nm.layers), nm.input_shape)
i = keras.Input((32,)); model = keras.Model(i, keras.layers.Dense(1)(i)); nm = keras.Model.from_config(model.get_config()); print(nm.output_shape)
js = model.to_json(); print(keras.models.model_from_json(js).count_params()); cl = keras.models.clone_model(model); print(len(cl.weights), np.allclose(cl.get_weights()[0], model.get_weights()[0]))
model.save_weights(os.path.join(d, "a.weights.h5")); cl.load_weights(os.path.join(d, "a.weights.h5")); print(np.allclose(cl.get_weights()[0], model.get_weights()[0]))
print(keras.layers.deserialize(keras.layers.serialize(keras.layers.Dense(2, name="dd"))).name)
try: keras.models.load_model(os.path.join(d, "none.keras"))
except ValueError as e: print(type(e).__name__, str(e)[:14])
try: model.save(os.path.join(d, "plain"))
except ValueError as e: print(type(e).__name__, str(e)[:60])
sq = keras.Sequential([keras.Input((8, 8, 3)), keras.layers.Conv2D(4, 3), keras.layers.BatchNormalization(), keras.layers.Flatten(), keras.layers.Dense(2)]); sq.save(os.path.join(d, "s.keras")); s2 = keras.models.load_model(os.path.join(d, "s.keras"), compile=False); z = np.ones((1, 8, 8, 3), "float32"); print(np.array_equal(sq(z), s2(z)), [l.name for l in s2.layers])
