"""Iterators that threads share, and iterators in traced functions."""

import threading
import unittest

import lockstep as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)


def side_by_side(count, work):
    """What `work()` gives in each of some threads."""
    made = []

    def call():
        made.append(work())
    threads = [threading.Thread(target=call) for _ in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return made


class Threads(unittest.TestCase):
    def test_each_element_goes_to_one_of_them(self):
        numbers = tf.data.Dataset.range(2000)
        for name, dataset in [("range", numbers), ("map", numbers.map(lambda x: x + 0, num_parallel_calls=4)),
                              ("python", numbers.filter(lambda x: x >= 0)), ("cache", numbers.cache()),
                              ("prefetch", numbers.prefetch(8)), ("shuffle", numbers.shuffle(100)),
                              ("generator", tf.data.Dataset.from_generator(
                                  lambda: iter(range(2000)), output_signature=tf.TensorSpec([], tf.int64)))]:
            with self.subTest(name):
                iterator = iter(dataset)
                taken = side_by_side(4, lambda iterator=iterator: [int(one) for one in iterator])
                self.assertEqual(sorted(sum(taken, [])), list(range(2000)))

    def test_calls_of_one_function_have_passes_of_their_own(self):
        dataset = tf.data.Dataset.range(100)

        @tf.function
        def total():
            made = tf.constant(0, tf.int64)
            for one in dataset:
                made += one
            return made
        self.assertEqual(set(sum(side_by_side(4, lambda: [int(total()) for _ in range(10)]), [])), {4950})

    def test_calls_of_one_function_share_an_iterator(self):
        iterator = iter(tf.data.Dataset.range(400))

        @tf.function
        def taken(iterator):
            made = tf.constant(0, tf.int64)
            for one in iterator:
                made += one
            return made
        self.assertEqual(sum(side_by_side(4, lambda: int(taken(iterator)))), 400 * 399 // 2)


class Functions(unittest.TestCase):
    def setUp(self):
        self.traces = 0

    def counted(self, function):
        def body(argument):
            self.traces += 1
            return function(argument)
        return tf.function(body)

    def test_one_trace_serves_all_iterators_of_a_kind(self):
        taken = self.counted(lambda iterator: next(iterator))
        iterators = [iter(tf.data.Dataset.range(start, 9)) for start in range(3)]
        self.assertEqual([int(taken(one)) for one in iterators + iterators], [0, 1, 2, 1, 2, 3])
        self.assertEqual(self.traces, 1)
        taken(iter(tf.data.Dataset.range(4).batch(2)))
        self.assertEqual(self.traces, 2)

    def test_one_trace_serves_all_batches_of_replicas(self):
        strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
        batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(12).batch(4))
        total = self.counted(lambda one: strategy.reduce(
            "SUM", strategy.run(lambda a: tf.reduce_sum(a["x"]), args=({"x": one},)), axis=None))
        self.assertEqual([int(total(one)) for one in batches], [6, 22, 38])
        self.assertEqual(self.traces, 1)
        of_next = self.counted(lambda iterator: strategy.reduce(
            "SUM", strategy.run(tf.reduce_sum, args=(next(iterator),)), axis=None))
        self.assertEqual([int(of_next(iter(batches))) for _ in range(3)], [6, 6, 6])
        self.assertEqual(self.traces, 2)

    def test_a_signature_of_replicas_values(self):
        strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
        batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(10).batch(4))
        self.assertEqual(repr(batches.element_spec), "PerReplicaSpec(TensorSpec(shape=(None,), dtype=tf.int64, name=None), "
                                                     "TensorSpec(shape=(None,), dtype=tf.int64, name=None))")

        @tf.function(input_signature=[batches.element_spec])
        def sizes(one):
            return strategy.run(tf.size, args=(one,))
        self.assertEqual([[int(part) for part in strategy.experimental_local_results(sizes(one))] for one in batches],
                         [[2, 2], [2, 2], [1, 1]])
        with self.assertRaisesRegex(TypeError, "Can not cast .* to PerReplicaSpec"):
            sizes(tf.range(4, dtype=tf.int64))

    def test_what_a_loop_does_not_come_to_stays(self):
        read = []

        def numbers():
            for number in range(5):
                read.append(number)
                yield number
        iterator = iter(tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64)))

        @tf.function
        def first(iterator):
            made = tf.constant(-1, tf.int64)
            for one in iterator:
                made = one
                if one == 1:
                    break
            return made
        self.assertEqual((int(first(iterator)), read), (1, [0, 1]))
        self.assertEqual([int(one) for one in iterator], [2, 3, 4])
        self.assertEqual(int(first(iterator)), -1)

    def test_the_second_part_of_a_test_may_depend_on_the_first(self):
        @tf.function
        def leading(numbers):
            count = tf.constant(0)
            while count < tf.size(numbers) and not numbers[count] <= 0:
                count += 1
            return count
        self.assertEqual([int(leading(tf.constant(one))) for one in ([1, 2, 3], [1, 0, 3])], [3, 1])

        @tf.function
        def numbers_for_bools(x):
            return 1 if x > 0 and x else 0
        with self.assertRaisesRegex(TypeError, "take bools; got int32; write `x != 0`"):
            numbers_for_bools(tf.constant(1))

    def test_a_loop_that_was_not_traced_as_one_is_refused(self):
        names = {"tf": tf}
        exec("@tf.function\ndef total(dataset):\n    for one in dataset: pass\n", names)
        with self.assertRaisesRegex(tf.errors.OperatorNotAllowedInGraphError, "'total' has taken 4096 elements one by one"):
            names["total"](tf.data.Dataset.range(3))


if __name__ == "__main__":
    unittest.main()
