"""Arguments that are far too large, negative or zero are refused at once, and nothing outside of a tensor is read."""
import time
import unittest

import lockstep as tf

LARGEST = 2 ** 63 - 1


class ExtremeArguments(unittest.TestCase):
    def refused(self, call, *kinds):
        begin = time.monotonic()
        with self.assertRaises(kinds):
            call()
        self.assertLess(time.monotonic() - begin, 20)  # hours, without the check

    def test_sizes_past_the_memory(self):
        for call in (lambda: tf.repeat(tf.ones([4]), 2 ** 60), lambda: tf.image.resize(tf.ones([1, 4, 4, 1]), [2 ** 20, 2 ** 20]),
                     lambda: tf.range(2 ** 40), lambda: tf.zeros([2 ** 40]), lambda: tf.tile(tf.ones([4]), [2 ** 60]),
                     lambda: tf.fill([2 ** 31, 2 ** 31], 1.0), lambda: tf.broadcast_to(tf.ones([1]), [2 ** 45])):
            self.refused(call, tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError)
        self.refused(lambda: tf.strings.as_string(1.0, precision=2 ** 30), tf.errors.InvalidArgumentError,
                     tf.errors.ResourceExhaustedError)

    def test_slices_near_the_limits(self):
        for begin in (LARGEST, LARGEST - 63, -2 ** 63, 5):
            for size in (68, 1, LARGEST):
                self.refused(lambda: tf.slice(tf.ones([4]), tf.constant([begin], tf.int64), tf.constant([size], tf.int64)),
                             tf.errors.InvalidArgumentError)

    def test_block_sizes(self):
        image = tf.ones([1, 4, 4, 4])
        for size in (0, 1, -2):
            self.refused(lambda: tf.nn.space_to_depth(image, size), tf.errors.InvalidArgumentError)
            self.refused(lambda: tf.nn.depth_to_space(image, size), tf.errors.InvalidArgumentError)
        self.refused(lambda: tf.space_to_batch(image, [0, 2], [[0, 0], [0, 0]]), tf.errors.InvalidArgumentError)
        self.refused(lambda: tf.batch_to_space(image, [0, 1], [[0, 0], [0, 0]]), tf.errors.InvalidArgumentError)
        self.refused(lambda: tf.repeat(tf.ones([4]), -1), tf.errors.InvalidArgumentError)
        self.refused(lambda: tf.image.resize(image, [0, 4]), tf.errors.InvalidArgumentError, ValueError)


if __name__ == "__main__":
    unittest.main()
