import numpy as np
import tensorflow as tf
keras = tf.keras
L = keras.layers
x = np.arange(24, dtype="float32").reshape(2, 4, 3) ** 1.5
x[0, 2:] = 0
x[1, 3:] = 0
layer = L.BatchNormalization()
masked = L.Masking()(tf.constant(x))
made = layer(masked, training=True)
print(np.round(made.numpy(), 3).tolist(), np.round(layer.moving_mean.numpy(), 4).tolist(), np.round(layer.moving_variance.numpy(), 4).tolist())
try:
    layer(x, training=True, mask=np.ones((2,), bool))
except ValueError as error:
    print("ValueError", "one dimension less" in str(error))
r = L.BatchNormalization(renorm=True, renorm_clipping={"rmin": 0.5, "rmax": 2.0, "dmax": 1.0})
for _ in range(3):
    made = r(x[:, 0], training=True)
print(np.round(made.numpy(), 3).tolist(), [w.path.rpartition("/")[2] for w in r.weights])
print([np.round(w.numpy(), 3).tolist() for w in r.weights], np.round(r(x[:, 0]).numpy(), 3).tolist())
print(sorted(set(r.get_config()) - set(L.Layer().get_config())))
for limits in ({"rmin": -1}, {"rmax": 1.0, "rmin": 2.0}, {"other": 1}):
    try:
        L.BatchNormalization(renorm=True, renorm_clipping=limits)
    except ValueError as error:
        print("ValueError", str(error)[:40])
inputs = keras.Input((4, 3))
model = keras.Model(inputs, L.GlobalAveragePooling1D()(L.BatchNormalization()(L.Masking()(inputs))))
model.compile("sgd", "mse")
h = model.fit(x, np.ones((2, 3)), epochs=2, verbose=0, shuffle=False)
print(np.round(h.history["loss"], 4).tolist(), np.round(model.predict(x, verbose=0), 4).tolist())
