import lockstep as tf
import numpy as np
keras = tf.keras
ragged = tf.ragged.constant([[1, 2], [3]])
sparse = tf.sparse.from_dense([[0, 1], [2, 0]])
slices = tf.IndexedSlices(tf.ones((1, 2)), tf.constant([0]))
print([tf.is_tensor(one) for one in (ragged, sparse, slices, tf.constant(1), tf.Variable(1), np.ones(2), 1, None, [tf.constant(1)],
                                     tf.TensorSpec((1,)), tf.RaggedTensorSpec([None, None], tf.int32))])
image = tf.reshape(tf.range(48, dtype=tf.float32), (1, 4, 4, 3)) / 48
for name in ("yuv", "yiq"):
    there = getattr(tf.image, f"rgb_to_{name}")(image)
    back = getattr(tf.image, f"{name}_to_rgb")(there)
    print(name, there[0, 1].numpy().round(4).tolist(), np.allclose(back, image, atol=1e-5))
edges = tf.image.sobel_edges(image)
print(edges.shape, edges[0, 1, 1].numpy().round(3).tolist(), (edges[0, 0, 3].numpy().round(3) + 0.0).tolist())
boxes = [[0., 0., 1., 1.], [0., 0.1, 1., 1.1], [0., 2., 1., 3.], [1., 1., 0., 0.], [5., 5., 6., 6.]]
print(tf.image.non_max_suppression(boxes, [0.9, 0.8, 0.7, 0.85, 0.1], 3).numpy())
print(tf.image.non_max_suppression(boxes, [0.9, 0.95, 0.7, 0.85, 0.1], 5, iou_threshold=0.9, score_threshold=0.5).numpy())


@tf.function
def best(boxes, scores):
    return tf.gather(boxes, tf.image.non_max_suppression(boxes, scores, max_output_size=2, iou_threshold=0.3))


print(best(tf.constant(boxes), tf.constant([0.5, 0.6, 0.7, 0.2, 0.1])).numpy().tolist())
made = tf.image.crop_and_resize(image, [[0., 0., 1., 1.], [0.25, 0.25, 0.75, 0.75], [0.9, 0.2, 0.1, 0.6]], [0, 0, 0], [2, 3])
print(made.shape, made[..., 0].numpy().round(2).tolist())
made = tf.image.crop_and_resize(image, [[-0.5, 0., 1., 1.5]], [0], [3, 2], method="nearest", extrapolation_value=-1.0)
print(made[..., 1].numpy().round(3).tolist())
print(tf.image.crop_and_resize(image, [[0.2, 0.2, 0.8, 0.8]], [0], (1, 1)).numpy().round(3).tolist())
with tf.GradientTape() as tape:
    tape.watch(image)
    loss = tf.reduce_sum(tf.image.crop_and_resize(image, [[0., 0., 0.5, 0.5]], [0], (2, 2)))
print(tape.gradient(loss, image)[0, :, :, 0].numpy().round(3).tolist())
print(tf.image.stateless_random_hue(image, 0.2, (1, 2)).shape, tf.image.stateless_random_saturation(image, 0.5, 1.5, (1, 2)).shape)
for call in (lambda: tf.image.stateless_random_hue(image, 0.7, (1, 2)), lambda: tf.image.stateless_random_hue(image, -0.1, (1, 2)),
             lambda: tf.image.stateless_random_saturation(image, 1.0, 0.5, (1, 2))):
    try:
        call()
    except ValueError as error:
        print(error)
print(keras.config.image_data_format(), keras.config.floatx(), keras.config.epsilon())
keras.config.set_epsilon(1e-5)
print(keras.backend.epsilon())
keras.config.set_epsilon(1e-7)
print(keras.backend.standardize_dtype(tf.float64), keras.backend.standardize_dtype(None), keras.backend.is_float_dtype("bfloat16"), keras.backend.is_int_dtype("uint8"), keras.backend.is_int_dtype("bool"))
print(keras.backend.get_uid("abc"), keras.backend.get_uid("abc"), keras.backend.get_uid("d"))
print(keras.utils.img_to_array(np.ones((2, 2, 3), "uint8")).dtype, keras.utils.img_to_array(np.ones((2, 2))).shape)
print(keras.config.is_interactive_logging_enabled())
keras.config.disable_interactive_logging()
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((4, 2)), np.ones((4, 1)))
print(keras.utils.is_interactive_logging_enabled(), model.optimizer.iterations.numpy())
