import numpy as np
import tensorflow as tf

x = tf.reshape(tf.range(32.0), (2, 4, 4, 1))
print(tf.nn.space_to_depth(x, 2).numpy()[0, 0], tf.nn.depth_to_space(tf.reshape(tf.range(8.0), (1, 1, 2, 4)), 2).numpy()[0, :, :, 0])
b = tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]); print(b.shape, b.numpy()[3].ravel(), tf.reduce_all(tf.batch_to_space(b, [2, 2], [[0, 0], [0, 0]]) == x).numpy())
print(tf.space_to_batch([[1.0, 2.0, 3.0]], [2], [[1, 0]]).numpy(), tf.batch_to_space(b, [2, 2], [[1, 0], [0, 1]]).shape)
def subpixel(t): return tf.nn.depth_to_space(tf.keras.layers.Conv2D(4, 1, kernel_initializer="ones")(t), 2)
print(subpixel(x).shape, tf.function(lambda t: tf.nn.space_to_depth(t, 2), input_signature=[tf.TensorSpec([None, None, None, 1])])(x).shape)
print(tf.image.extract_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME").numpy()[0, 0, 0], tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID").shape, tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 2, 1], "VALID").numpy()[1, 0, 0])
class Patches(tf.keras.layers.Layer):
    def __init__(self, patch_size):
        super().__init__()
        self.patch_size = patch_size
    def call(self, images):
        batch_size = tf.shape(images)[0]
        patches = tf.image.extract_patches(images=images, sizes=[1, self.patch_size, self.patch_size, 1], strides=[1, self.patch_size, self.patch_size, 1], rates=[1, 1, 1, 1], padding="VALID")
        return tf.reshape(patches, [batch_size, -1, patches.shape[-1]])
print(Patches(2)(x).shape)
r = tf.reshape(tf.range(12.0), (2, 6, 1))
print(tf.nn.max_pool1d(r, 2, 2, "VALID").numpy()[0, :, 0], tf.nn.avg_pool1d(r, 3, 1, "SAME").numpy()[1, :, 0], tf.nn.pool(x, [2, 2], "MAX", strides=[2, 2]).numpy()[0, :, :, 0], tf.nn.pool(r, [2], "AVG").shape)
k = tf.ones((2, 1, 3)); print(tf.nn.convolution(r, k).shape, tf.nn.convolution(x, tf.ones((2, 2, 1, 3)), strides=2, padding="SAME").shape, tf.nn.convolution(x, tf.ones((2, 2, 1, 1)), dilations=[2, 2]).numpy()[0, 0, :, 0])
print(tf.nn.conv1d_transpose(r, tf.ones((2, 3, 1)), [2, 12, 3], 2).numpy()[0, :4, 0], tf.nn.separable_conv2d(x, tf.ones((2, 2, 1, 2)), tf.ones((1, 1, 2, 3)), [1, 1, 1, 1], "VALID").shape, tf.nn.atrous_conv2d(x, tf.ones((2, 2, 1, 1)), 2, "SAME").shape)
m, a = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME"); print(m.numpy()[1, :, :, 0], a.numpy()[1, :, :, 0], a.dtype, tf.nn.max_pool_with_argmax(-x, 3, 2, "SAME", include_batch_in_index=True)[1].numpy()[1, :, :, 0])
mean, variance = tf.nn.weighted_moments(tf.constant([[1.0, 2.0], [3.0, 5.0]]), [0], tf.constant([[1.0], [3.0]])); print(mean.numpy(), variance.numpy())
c, s, ss, sh = tf.nn.sufficient_statistics(tf.constant([1.0, 2.0, 4.0]), [0]); print(c.numpy(), s.numpy(), ss.numpy(), sh, [round(float(t), 4) for t in tf.nn.normalize_moments(c, s, ss, sh)])
print(tf.nn.log_poisson_loss([1.0, 2.0], [0.0, 1.0]).numpy().round(4), tf.nn.log_poisson_loss([1.0, 4.0], [0.0, 1.0], compute_full_loss=True).numpy().round(4))
params = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]); ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [0, 2, 1], [3, 2]); w = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 3.0, 0.5], [3, 2])
for combiner in ("sum", "mean", "sqrtn"): print(combiner, tf.nn.embedding_lookup_sparse(params, ids, w, combiner=combiner).numpy().round(4).tolist(), tf.nn.embedding_lookup_sparse(params, ids, None, combiner=combiner).numpy().round(4).tolist())
v = tf.Variable(x)
with tf.GradientTape(persistent=True) as tape:
    y = tf.reduce_sum(tf.image.extract_patches(v, [1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"))
    z = tf.reduce_sum(tf.nn.space_to_depth(v, 2) ** 2)
print(tape.gradient(y, v).numpy()[0, :, :, 0], tape.gradient(z, v).numpy()[0, 0, :, 0])
print(tf.math.bincount([[1, 1], [0, 2]], axis=-1).numpy(), tf.math.bincount([1, 7, 1], maxlength=3, binary_output=True).numpy(), tf.math.segment_max([5, 1, 7, 2], [0, 0, 3, 3]).numpy(), tf.math.segment_min([5.0, 1.0], [1, 1]).numpy())
