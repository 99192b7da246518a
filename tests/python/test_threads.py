"""Threads: all cores compute, what is dropped gives its threads back, and a child process computes, too."""

import gc
import multiprocessing
import os
import threading
import time
import unittest

import lockstep as tf
from lockstep import _native

TWO = ["CPU:0", "CPU:1"]
v1 = tf.compat.v1


def tasks():
    """The threads of this process, after what was dropped is gone."""
    for _ in range(3):
        gc.collect()
    return len(os.listdir("/proc/self/task"))


def strategy_alone():
    tf.distribute.MirroredStrategy(TWO)


def strategy_with_a_variable():
    with tf.distribute.MirroredStrategy(TWO).scope():
        tf.Variable(1.0)


def strategy_that_ran():
    tf.distribute.MirroredStrategy(TWO).run(lambda: tf.constant(1.0))


def strategy_of_a_function():
    strategy = tf.distribute.MirroredStrategy(TWO)
    with strategy.scope():
        v = tf.Variable(1.0)
    tf.function(lambda: strategy.run(lambda: v.assign_add(1.0)))()


def strategy_that_trained():
    with tf.distribute.MirroredStrategy(TWO).scope():
        model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        model.compile("sgd", "mse")
    model.fit(tf.ones((8, 4)), tf.ones((8, 2)), batch_size=4, verbose=0)


def distributed_dataset():
    strategy = tf.distribute.MirroredStrategy(TWO)
    next(iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4))))


def central_storage():
    tf.distribute.experimental.CentralStorageStrategy().run(lambda: tf.constant(1.0))


def worker_alone():
    tf.distribute.MultiWorkerMirroredStrategy().run(lambda: tf.constant(1.0))


def session():
    with tf.Graph().as_default():
        v1.Session(config=v1.ConfigProto(intra_op_parallelism_threads=2)).run(tf.constant(1.0) + 1)


def datasets():
    for _ in tf.data.Dataset.range(10).map(lambda x: x + 1, num_parallel_calls=2).prefetch(2):
        pass
    next(iter(tf.data.Dataset.range(10**6).map(lambda x: x + 1, num_parallel_calls=2).prefetch(2)))
    next(iter(tf.data.Dataset.range(4).interleave(lambda x: tf.data.Dataset.range(x), cycle_length=2, num_parallel_calls=2)))


def functions():
    @tf.function
    def add(x):
        total = tf.constant(0, tf.int64)
        for one in tf.data.Dataset.range(3).prefetch(1):
            total += one
        return x + tf.cast(total, x.dtype)
    add(tf.constant(1.0))
    add(tf.zeros((3,)))


def checkpoint_manager():
    tf.train.Checkpoint(v=tf.Variable(1.0))
    tf.train.Coordinator()


DROPPED = [strategy_alone, strategy_with_a_variable, strategy_that_ran, strategy_of_a_function, strategy_that_trained,
           distributed_dataset, central_storage, worker_alone, session, datasets, functions, checkpoint_manager]


def product(size=700):
    x = tf.reshape(tf.range(size * size, dtype=tf.float32), (size, size)) / size**2
    return float(tf.reduce_sum(tf.matmul(x, x)))


def of_a_child(results):
    results.put(product())


class Threads(unittest.TestCase):
    def tearDown(self):
        tf.config.threading.set_intra_op_parallelism_threads(0)

    def test_what_is_dropped_gives_its_threads_back(self):
        for make in DROPPED:
            make()
            before = tasks()
            for _ in range(50):
                make()
            self.assertLessEqual(tasks(), before + 2, make.__name__)

    def test_a_traced_function_keeps_its_strategy(self):
        def make():
            strategy = tf.distribute.MirroredStrategy(TWO)
            with strategy.scope():
                v = tf.Variable(1.0)
            step = tf.function(lambda: strategy.reduce("SUM", strategy.run(lambda: v + 1.0), axis=None))
            return step.get_concrete_function()
        concrete = make()
        gc.collect()
        self.assertEqual(float(concrete()), 4.0)

    @unittest.skipIf(_native.default_lanes() < 2, "needs two cores")
    def test_a_large_product_computes_on_several_threads(self):
        def threads_used():
            """Of the time that all threads compute, how many times that of this one: other processes do not change it."""
            x = tf.ones((1500, 1500))
            own, used = time.thread_time(), time.process_time()
            for _ in range(6):
                tf.matmul(x, x)
            return (time.process_time() - used) / (time.thread_time() - own)
        self.assertGreater(max(threads_used() for _ in range(5)), 1.5)
        tf.config.threading.set_intra_op_parallelism_threads(1)
        threads_used()
        self.assertLess(min(threads_used() for _ in range(5)), 1.1)

    def test_the_number_of_threads_changes_no_bit(self):
        def digest():
            tf.keras.utils.set_random_seed(3)
            model = tf.keras.Sequential([tf.keras.Input((200,)), tf.keras.layers.Dense(300, activation="relu"),
                                         tf.keras.layers.Dense(10)])
            model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
            model.fit(tf.random.stateless_uniform((512, 200), (1, 2)), tf.range(512) % 10, batch_size=128, epochs=2, verbose=0)
            x = tf.random.stateless_normal((600, 500), (1, 2))
            eager = tf.reduce_sum(tf.exp(tf.matmul(x, x, transpose_b=True) / 500), 0)
            return b"".join(w.tobytes() for w in model.get_weights()) + eager.numpy().tobytes()
        one = []
        for threads in (1, 2, 0):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            one.append(digest())
        self.assertEqual(len(set(one)), 1)

    def test_threads_that_compute_at_the_same_time(self):
        expected, results = product(), []
        threads = [threading.Thread(target=lambda: results.extend(product() for _ in range(3))) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(60)
        self.assertEqual(results, [expected] * 12)

    def test_a_child_process_computes(self):
        expected = product()
        context = multiprocessing.get_context("fork")
        results = context.Queue()
        children = [context.Process(target=of_a_child, args=(results,)) for _ in range(2)]
        for child in children:
            child.start()
        try:
            self.assertEqual([results.get(timeout=60) for _ in children], [expected] * 2)
        finally:
            for child in children:
                child.join(10)
                child.kill()
        self.assertEqual(product(), expected)

    def test_idle_threads_use_no_time(self):
        product()
        time.sleep(0.1)
        before = time.process_time()
        time.sleep(0.5)
        self.assertLess(time.process_time() - before, 0.1)

    def test_a_session_with_many_shapes_keeps_few_plans(self):
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, [None])
            y = tf.reduce_sum(tf.sort(x))
            with v1.Session() as running:
                def resident():
                    with open("/proc/self/statm") as file:
                        return int(file.read().split()[1]) * 4096
                sizes = []
                for begin in (1, 1001, 2001):
                    for size in range(begin, begin + 1000):
                        self.assertEqual(running.run(y, {x: [1.0] * size}), size)
                    sizes.append(resident())
                self.assertLess(sizes[2] - sizes[1], 16 << 20)
                self.assertEqual(running.run(y, {x: [1.0]}), 1.0)


if __name__ == "__main__":
    unittest.main()
