import numpy as np
import tensorflow as tf

ops, layers, activations = tf.keras.ops, tf.keras.layers, tf.keras.activations
x = np.array([-3.0, -1.0, -0.5, -0.25, 0.0, 0.3, 0.5, 1.0, 2.0, 4.0], "float32")
rows = np.array([[1.0, 3.0, -2.0, 0.5], [0.1, 0.2, 0.3, 0.4]], "float32")
images = ((np.arange(70).reshape(1, 5, 7, 2) * 37 % 71) / 71).astype("float32")
steps, volumes = images[:, 0], images.reshape(1, 5, 7, 2, 1)[:, :, :4]


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    value = np.asarray(value)
    return value.dtype.name, value.shape, (np.round(value.astype("float64").ravel(), 3) + 0.0).tolist()[:24]


for name in ("celu", "glu", "hard_shrink", "soft_shrink", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "tanh_shrink"):
    print(name, shown(getattr(ops, name)(x)), shown(getattr(activations, name)(x)))
print(shown(ops.celu(x, alpha=2.0)), shown(ops.glu(rows, axis=0)), shown(ops.hard_shrink(x, threshold=0.3)), shown(ops.squareplus(x, b=1)))
print(shown(activations.elu(x, alpha=2.0)), shown(activations.leaky_relu(x, negative_slope=0.1)), shown(activations.threshold(x, 0.3, 2.0)))
print(shown(activations.log_softmax(rows, axis=0)), shown(activations.soft_shrink(x, 1.0)), shown(ops.threshold(np.array([1, 3]), 2, 0)))
print(shown(ops.layer_normalization(rows)), shown(ops.layer_normalization(rows, gamma=rows[0], beta=rows[1], epsilon=0.1)))
print(shown(ops.layer_normalization(images[:, :2, :2], axis=(1, 2))), shown(ops.layer_normalization(rows.astype("float16"))))
print(shown(ops.rms_normalization(rows, scale=rows[1])), shown(ops.rms_normalization(rows, axis=0, epsilon=0.1)))
print(shown(ops.batch_normalization(rows, mean=rows[1], variance=x[-4:], axis=-1, offset=rows[0], scale=rows[1], epsilon=0.1)))
print(shown(ops.psnr(rows, rows + 0.1, 1.0)), shown(ops.depth_to_space(np.arange(16.0).reshape(1, 2, 2, 4), 2)),
      shown(ops.space_to_depth(np.arange(16.0).reshape(1, 1, 4, 4), 2, data_format="channels_first")))
columns = ops.unfold(np.arange(32.0).reshape(1, 2, 4, 4), 2, dilation=1, padding=1, stride=2)
print(shown(columns), shown(ops.fold(columns, (4, 4), 2, padding=1, stride=2)), shown(ops.unfold(np.arange(16.0).reshape(1, 1, 4, 4), (2, 3), dilation=(2, 1))))
query = ((np.arange(48).reshape(2, 3, 2, 4) * 31 % 53) / 26 - 1).astype("float32")
key = ((np.arange(80).reshape(2, 5, 2, 4) * 29 % 83) / 41 - 1).astype("float32")
print(shown(ops.dot_product_attention(query, key, key)), shown(ops.dot_product_attention(query, key, key, is_causal=True)))
mask = np.array([1, 1, 0, 0, 1], bool)[None, None, None]
print(shown(ops.dot_product_attention(query, key, key, mask=mask, scale=0.3, bias=np.ones((2, 2, 3, 5), "float32") * np.arange(5, dtype="float32"))))
for value in (steps, images, volumes):
    given = tf.constant(value)
    print(shown(ops.average_pool(value, 2)), shown(ops.max_pool(value, 2, 1, "same")), shown(ops.adaptive_average_pool(given, 2)), shown(ops.adaptive_max_pool(given, 1)))
    print(shown(ops.max_pool(np.moveaxis(value, -1, 1), 2, data_format="channels_first")))
print(shown(ops.adaptive_average_pool(tf.constant(images), (3, 2))), shown(ops.adaptive_max_pool(tf.constant(images), (4, 8))))
kernel = ((np.arange(36).reshape(3, 3, 2, 2) * 7 % 37) / 37).astype("float32")
print(shown(ops.conv_transpose(images, kernel, strides=2)), shown(ops.conv_transpose(images, kernel, 2, padding="same")), ops.conv_transpose(images, kernel, 2, output_padding=1).shape)
print(shown(ops.depthwise_conv(images, kernel)), shown(ops.depthwise_conv(steps, kernel[0, :, :, :1], padding="same")), shown(ops.conv(steps, kernel[0], 2)))
print(shown(ops.separable_conv(images, kernel, np.ones((1, 1, 4, 1), "float32"))), shown(ops.conv(images, kernel, dilation_rate=(2, 1))), shown(ops.conv(volumes, kernel[:2, :2, :1, :1, None])))
for kind in ("Average", "Max"):
    pool = getattr(layers, f"Adaptive{kind}Pooling2D")
    print(shown(pool((2, 3))(images)), shown(getattr(layers, f"Adaptive{kind}Pooling1D")(3)(steps)), shown(getattr(layers, f"Adaptive{kind}Pooling3D")(2)(volumes)))
    print(shown(pool(2, data_format="channels_first")(images.transpose(0, 3, 1, 2))), {key: value for key, value in pool((2, 1)).get_config().items() if key in ("output_size", "data_format")})
    try:
        pool((1, 2, 3))
    except TypeError as error:
        print(error)

inputs = tf.keras.Input((5, 7, 2))
made = ops.depthwise_conv(inputs, kernel)
made = layers.AdaptiveAveragePooling2D(2)(ops.layer_normalization(made))
made = layers.Flatten()(ops.glu(made))
model = tf.keras.Model(inputs, layers.Dense(1, kernel_initializer="ones")(made))
model.compile(tf.keras.optimizers.SGD(0.1), loss="mse")
print(model.output.shape, np.round(model.fit(images, np.ones((1, 1)), epochs=2, verbose=0).history["loss"], 4))
print(shown(tf.function(lambda x: ops.rms_normalization(ops.max_pool(ops.squareplus(x), 2)))(images)))
with tf.GradientTape() as tape:
    value = tf.Variable(images[:, :4, :4])
    total = ops.sum(ops.fold(ops.unfold(ops.transpose(value, (0, 3, 1, 2)), 2), (4, 4), 2)) + ops.sum(ops.adaptive_max_pool(value, 2) * 3)
print(shown(tape.gradient(total, value)))
