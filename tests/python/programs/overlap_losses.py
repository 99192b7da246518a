import numpy as np
import tensorflow as tf

losses = tf.keras.losses
y_true = np.array([[[[1.0], [1.0]], [[0.0], [0.0]]], [[[1.0], [1.0]], [[0.0], [0.0]]]], "float32")
y_pred = np.array([[[[0.0], [1.0]], [[0.0], [1.0]]], [[[0.4], [0.0]], [[0.0], [0.9]]]], "float32")
for axis in (None, -1, 1, (1, 2, 3), [1, 2, 3], (2,)):
    print(axis, np.round(losses.dice(y_true, y_pred, axis=axis), 5).tolist(), losses.Dice(axis=axis)(y_true, y_pred).numpy().round(5))
    print(np.round(losses.tversky(y_true, y_pred, alpha=0.3, beta=0.7, axis=axis), 5).tolist(),
          losses.Tversky(alpha=0.2, beta=0.8, axis=axis, reduction="sum")(y_true, y_pred).numpy().round(5))
print(losses.Dice(axis=(1, 2)).get_config(), losses.Tversky().get_config())

model = tf.keras.Sequential([tf.keras.Input((2, 2, 1)), tf.keras.layers.Conv2D(1, 1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(0.1), loss=losses.Dice(axis=(1, 2, 3)))
print(np.round(model.fit(y_pred, y_true, epochs=2, shuffle=False, verbose=0).history["loss"], 5).tolist())
with tf.GradientTape() as tape:
    x = tf.Variable(y_pred)
    loss = losses.Tversky(axis=(1, 2, 3))(y_true, x)
print(np.round(tape.gradient(loss, x), 5).ravel().tolist())

config = tf.keras.config
print(config.image_data_format(), tf.keras.backend.image_data_format())
config.set_image_data_format("channels_first")
print(config.image_data_format(), tf.keras.backend.image_data_format(), tf.keras.layers.Flatten().data_format)
print(tf.keras.layers.Flatten()(np.arange(12).reshape(1, 3, 2, 2)).numpy().tolist())
config.set_image_data_format("channels_last")
print(tf.keras.layers.Flatten(data_format="channels_first")(np.arange(6).reshape(1, 3, 2)).numpy().tolist())
try:
    config.set_image_data_format("channels_middle")
except ValueError as error:
    print("channels_middle" in str(error), config.image_data_format())
