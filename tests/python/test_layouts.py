"""Images with their channels in front give what those with channels last give."""
import unittest

import numpy as np

import lockstep as tf


def _front(x):
    return tf.transpose(x, [0, x.shape.rank - 1, *range(1, x.shape.rank - 1)])


class Layouts(unittest.TestCase):
    def check(self, function, last, data_format, moved=(), **others):
        """`moved`: {argument: its list with channels last}, given with channels in front."""
        expected = function(last, **others, **dict(moved))
        own = {name: [value[0], value[-1], *value[1:-1]] for name, value in dict(moved).items()}
        made = function(_front(last), **others, **own, data_format=data_format)
        np.testing.assert_array_equal(made, _front(expected))

    def test_images(self):
        images = tf.reshape(tf.range(2.0 * 4 * 5 * 3), [2, 4, 5, 3]) / 7
        kernel = tf.reshape(tf.range(2.0 * 2 * 3 * 2), [2, 2, 3, 2]) / 5
        steps = {"strides": [1, 2, 1, 1]}
        self.check(tf.nn.conv2d, images, "NCHW", steps, filters=kernel, padding="SAME")
        self.check(tf.nn.conv2d, images, "NCHW", {"padding": [[0, 0], [1, 0], [0, 2], [0, 0]]}, filters=kernel, strides=1)
        self.check(tf.nn.depthwise_conv2d, images, "NCHW", {"strides": [1, 1, 1, 1]}, filter=kernel, padding="VALID")
        self.check(tf.nn.separable_conv2d, images, "NCHW", {"strides": [1, 1, 1, 1]}, depthwise_filter=kernel,
                   pointwise_filter=tf.ones([1, 1, 6, 2]), padding="SAME")
        self.check(tf.nn.conv2d_transpose, images, "NCHW", {"output_shape": [2, 8, 10, 2], "strides": [1, 2, 2, 1]},
                   filters=tf.transpose(kernel, [0, 1, 3, 2]), padding="SAME")
        self.check(tf.nn.convolution, images, "NCHW", filters=kernel, padding="SAME", dilations=2)
        for pool in (tf.nn.max_pool, tf.nn.avg_pool, tf.nn.max_pool2d, tf.nn.avg_pool2d):
            self.check(pool, images, "NCHW", {"ksize": [1, 2, 3, 1], "strides": [1, 2, 1, 1]}, padding="SAME")
        self.check(tf.nn.pool, images, "NCHW", window_shape=[2, 2], pooling_type="AVG")
        self.check(tf.nn.bias_add, images, "NCHW", bias=tf.constant([1.0, 2.0, 3.0]))

    def test_rows_and_volumes(self):
        rows = tf.reshape(tf.range(2.0 * 6 * 2), [2, 6, 2]) / 3
        self.check(tf.nn.conv1d, rows, "NCW", filters=tf.ones([3, 2, 4]), stride=2, padding="SAME")
        self.check(tf.nn.max_pool1d, rows, "NCW", ksize=2, strides=2, padding="VALID")
        self.check(tf.nn.conv1d_transpose, rows, "NCW", {"output_shape": [2, 12, 3]}, filters=tf.ones([2, 3, 2]), strides=2)
        volumes = tf.reshape(tf.range(1.0 * 3 * 4 * 5 * 2), [1, 3, 4, 5, 2]) / 9
        self.check(tf.nn.conv3d, volumes, "NCDHW", {"strides": [1, 1, 2, 1, 1]}, filters=tf.ones([2, 2, 2, 2, 3]), padding="SAME")
        for pool in (tf.nn.max_pool, tf.nn.avg_pool3d):
            self.check(pool, volumes, "NCDHW", {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1]}, padding="SAME")
        self.check(tf.nn.conv3d_transpose, volumes, "NCDHW", {"output_shape": [1, 6, 8, 10, 1], "strides": [1, 2, 2, 2, 1]},
                   filters=tf.ones([2, 2, 2, 1, 2]))

    def test_another_layout_is_refused(self):
        with self.assertRaisesRegex(ValueError, "data_format"):
            tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), 1, "SAME", data_format="HWCN")

    def test_gradients_flow(self):
        images = tf.Variable(tf.ones([1, 2, 3, 3]))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.conv2d(images, tf.ones([2, 2, 2, 1]), 1, "VALID", data_format="NCHW"))
        self.assertEqual(tape.gradient(loss, images)[0, 0].numpy().tolist(), [[1, 2, 1], [2, 4, 2], [1, 2, 1]])


if __name__ == "__main__":
    unittest.main(verbosity=0)
