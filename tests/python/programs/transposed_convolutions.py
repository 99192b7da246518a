# Convolutions that make their input larger, with and without output_padding.
import numpy as np
import tensorflow as tf

L = tf.keras.layers
rng = np.random.default_rng(0)
rows = rng.normal(size=(1, 3, 2)).astype("float32")
images = rng.normal(size=(1, 3, 4, 2)).astype("float32")
volumes = rng.normal(size=(1, 2, 3, 2, 1)).astype("float32")
for padding in ("valid", "same"):
    for stride in (1, 2, 3):
        for window in (2, 3):
            for more in (None, 0, 1):
                if more == 1 and stride == 1 or more == 0 and padding == "same" and window == 2:
                    continue
                made = []
                for layer, x in [(L.Conv1DTranspose, rows), (L.Conv2DTranspose, images), (L.Conv3DTranspose, volumes)]:
                    try:
                        y = layer(1, window, strides=stride, padding=padding, output_padding=more,
                                  kernel_initializer="ones")(x)
                        made.append((tuple(y.shape), f"{float(tf.reduce_sum(y)):.3f}"))
                    except Exception as error:
                        made.append(type(error).__name__)
                print(padding, stride, window, more, *made)
layer = L.Conv2DTranspose(2, 3, strides=2, output_padding=1, padding="same")
print(layer.get_config()["output_padding"])
print(L.Conv2DTranspose(2, (3, 2), strides=(2, 3), output_padding=(1, 2))(images).shape)
