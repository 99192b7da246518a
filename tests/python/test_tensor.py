"""Tensors: conversion, printing, operators, indexing, NumPy."""
import json
import os
import tempfile
import threading
import unittest

import numpy as np

import lockstep as tf


class Conversion(unittest.TestCase):
    def test_dtypes_of_python_values(self):
        for value, dtype in ((1, tf.int32), (1.0, tf.float32), (True, tf.bool), ("a", tf.string),
                             (2**40, tf.int64), ([1, 2.5], tf.float32), ([], tf.float32),
                             (np.float64(1), tf.float64), (np.arange(3), tf.int64)):
            self.assertEqual(tf.constant(value).dtype, dtype, value)

    def test_errors(self):
        with self.assertRaisesRegex(TypeError, "Cannot convert .* to EagerTensor of dtype int32"):
            tf.constant([1.5], dtype=tf.int32)
        with self.assertRaisesRegex(ValueError, "non-rectangular"):
            tf.constant([[1], [1, 2]])
        with self.assertRaisesRegex(ValueError, "Tensor conversion requested dtype int32"):
            tf.convert_to_tensor(tf.constant(1.0), dtype=tf.int32)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.constant([1, 2]) + tf.constant([1.0, 2.0])

    def test_a_list_of_tensors_is_stacked(self):
        made = tf.convert_to_tensor([tf.constant(1.0), 2.0])
        np.testing.assert_array_equal(made, [1, 2])

    def test_fill_by_shape(self):
        np.testing.assert_array_equal(tf.constant(3, shape=[2, 2]), [[3, 3], [3, 3]])


class Printing(unittest.TestCase):
    def test_as_tensorflow_prints(self):
        self.assertEqual(repr(tf.constant(1.0)), "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>")
        self.assertEqual(str(tf.constant([1.0, 2.0])),
                         "tf.Tensor([1. 2.], shape=(2,), dtype=float32)")
        self.assertEqual(repr(tf.constant([[1, 2], [3, 4]])),
                         "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\n"
                         "array([[1, 2],\n       [3, 4]], dtype=int32)>")
        self.assertEqual(repr(tf.constant("abc")), "<tf.Tensor: shape=(), dtype=string, numpy=b'abc'>")
        self.assertEqual(str(tf.constant(["a", "bc"])),
                         "tf.Tensor([b'a' b'bc'], shape=(2,), dtype=string)")
        self.assertEqual(repr(tf.TensorShape([None, 2])), "TensorShape([None, 2])")
        self.assertEqual((repr(tf.float32), str(tf.float32)), ("tf.float32", "<dtype: 'float32'>"))
        v = tf.Variable(1.0)
        self.assertEqual(repr(v), "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>")
        self.assertEqual(repr(v.assign_add(1.0)),
                         "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>")


class Operators(unittest.TestCase):
    def test_arithmetic(self):
        x = tf.constant([1.0, -2.0])
        for got, want in ((x + 1, [2, -1]), (1 - x, [0, 3]), (x * 2, [2, -4]), (x / 2, [0.5, -1]),
                          (x ** 2, [1, 4]), (-x, [-1, 2]), (abs(x), [1, 2]), (x // 2, [0, -1]),
                          (x % 2, [1, 0]), (np.ones(2) + x, [2, -1]), (x + [1, 2], [2, 0])):
            np.testing.assert_array_equal(got, want)
        self.assertEqual((tf.constant(7) / 2).dtype, tf.float64)
        np.testing.assert_array_equal(x > 0, [True, False])
        np.testing.assert_array_equal(x == 1, [True, False])
        self.assertFalse(x == None)  # noqa: E711
        np.testing.assert_array_equal(~(x > 0), [False, True])
        np.testing.assert_array_equal(tf.constant([[1.0, 2]]) @ tf.constant([[3.0], [4]]), [[11]])

    def test_indexing(self):
        a = np.arange(24).reshape(2, 3, 4)
        x = tf.constant(a)
        for key in (0, -1, (1, 2), (slice(None), 1), (Ellipsis, 0), (slice(None), slice(None, None, -1)),
                    (0, slice(1, 3), None), (slice(5, 9),), (None, Ellipsis)):
            np.testing.assert_array_equal(x[key], a[key], str(key))
        np.testing.assert_array_equal(x[x > 12], a[a > 12])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "out of bounds"):
            x[2]
        with self.assertRaises(TypeError):
            x["a"]

    def test_python_protocols(self):
        x = tf.constant([1, 2, 3])
        self.assertEqual(len(x), 3)
        self.assertEqual([int(one) for one in x], [1, 2, 3])
        self.assertEqual(list(range(5))[tf.constant(2)], 2)
        self.assertTrue(tf.constant(True))
        with self.assertRaisesRegex(TypeError, "unhashable"):
            hash(x)
        self.assertEqual(x.ref(), x.ref())


class NumPy(unittest.TestCase):
    def test_numpy_gives_a_copy(self):
        v = tf.Variable([1.0, 2.0])
        array = v.numpy()
        array[0] = 5
        np.testing.assert_array_equal(v, [1, 2])

    def test_views_are_read_only_and_stay(self):
        v = tf.Variable([1.0, 2.0])
        view = np.asarray(memoryview(v.value()))
        v.assign([3.0, 4.0])
        np.testing.assert_array_equal(view, [1, 2])
        with self.assertRaises(ValueError):
            view[0] = 1

    def test_dlpack(self):
        x = tf.range(6, dtype=tf.float32)
        np.testing.assert_array_equal(np.from_dlpack(x), x.numpy())

    def test_scalars(self):
        self.assertIsInstance(tf.constant(1.0).numpy(), np.float32)
        self.assertEqual(f"{tf.constant(1.5).numpy():.2f}", "1.50")


class Tracebacks(unittest.TestCase):
    def test_they_end_in_the_users_line(self):
        try:
            tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
        except tf.errors.InvalidArgumentError as error:
            entry = error.__traceback__
            while entry.tb_next is not None:
                entry = entry.tb_next
            self.assertEqual(entry.tb_frame.f_code.co_filename, __file__)
            self.assertIn("float32[2,3]", str(error))


class Writes(unittest.TestCase):
    def test_of_several_threads_lose_nothing(self):
        counter, table = tf.Variable(0), tf.Variable(tf.zeros([4, 2]))
        counts = []

        def work(row):
            for _ in range(100):
                table.scatter_nd_add([[row, 0]], [1.0])
                table[row, 1].assign_add(2.0)
                counts.append(int(counter.count_up_to(400)))
        threads = [threading.Thread(target=work, args=(row,)) for row in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(table.numpy().tolist(), [[100.0, 200.0]] * 4)
        self.assertEqual(sorted(counts), list(range(400)))
        with self.assertRaises(tf.errors.OutOfRangeError):
            counter.count_up_to(400)

    def test_of_a_slice_after_many_of_another_thread(self):
        table = tf.Variable(tf.zeros([2, 2]))
        piece = table[0, 1]
        other = threading.Thread(target=lambda: [table[1, 0] for _ in range(100)])
        other.start()
        other.join()
        piece.assign_add(2.0)
        self.assertEqual(table.numpy().tolist(), [[0, 2], [0, 0]])

    def test_meet_no_end_at_nan(self):
        one = tf.Variable([float("nan"), 1.0])
        one.scatter_nd_sub([[1]], [3.0])
        self.assertEqual(one.numpy()[1], -2.0)


class RawOps(unittest.TestCase):
    def test_are_the_public_functions(self):
        self.assertEqual(tf.raw_ops.MatMul(a=[[1.0, 2.0]], b=[[3.0, 4.0]], transpose_b=True).numpy().tolist(), [[11.0]])
        self.assertEqual(tf.raw_ops.AddV2(x=[1.0], y=[2.0]).numpy().tolist(), [3.0])
        self.assertEqual(float(tf.raw_ops.Sum(input=[1.0, 2.0], axis=0, keep_dims=False)), 3.0)

    def test_take_names_alone_and_tell_what_is_missing(self):
        with self.assertRaisesRegex(TypeError, "only takes keyword args"):
            tf.raw_ops.Add(1, 2)
        with self.assertRaisesRegex(AttributeError, "numpy_function"):
            tf.raw_ops.NothingLikeIt  # noqa: B018

    def test_profiles_are_chrome_traces(self):
        profiler = tf.profiler.experimental
        with self.assertRaises(tf.errors.UnavailableError):
            profiler.stop()
        with profiler.Trace("train", step_num=1):  # nobody records
            pass
        square = tf.function(lambda x: tf.reduce_sum(tf.matmul(x, x)))
        with tempfile.TemporaryDirectory() as folder:
            with profiler.Profile(folder):
                with self.assertRaises(tf.errors.AlreadyExistsError):
                    profiler.start(folder)
                for step in range(3, 5):
                    with profiler.Trace("train", step_num=step, _r=1), profiler.Trace("inner"):
                        square(tf.ones([8, 8]))
            profiler.start(folder)
            failed = []

            def stop():
                try:
                    profiler.stop()
                except tf.errors.FailedPreconditionError as error:
                    failed.append(str(error))
            other = threading.Thread(target=stop)
            other.start()
            other.join()
            self.assertIn("must stop it", failed[0])
            profiler.stop(save=False)
            names = os.listdir(os.path.join(folder, "profile"))
            self.assertEqual(len(names), 1)
            with open(os.path.join(folder, "profile", names[0])) as file:
                events = json.load(file)["traceEvents"]
        shown = [(one["name"], one.get("cat")) for one in events if one["ph"] == "X"]
        for wanted in (("step 3", "step"), ("step 4", "step"), ("train", "phase"), ("inner", "phase")):
            self.assertIn(wanted, shown)
        self.assertTrue(any("MatMul" in name for name, _ in shown), shown)

    def test_tensor_board_profiles_batches(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        with tempfile.TemporaryDirectory() as folder:
            for given in (-1, (3, 2), "x", (1, 2, 3)):
                with self.assertRaises(ValueError):
                    tf.keras.callbacks.TensorBoard(folder, profile_batch=given)
            board = tf.keras.callbacks.TensorBoard(folder, profile_batch=(2, 3))
            model.fit(np.ones([40, 2], "float32"), np.ones([40, 1], "float32"), batch_size=8, verbose=0, callbacks=[board])
            names = os.listdir(os.path.join(folder, "profile"))
            self.assertEqual(len(names), 1)
            with open(os.path.join(folder, "profile", names[0])) as file:
                events = json.load(file)["traceEvents"]
        self.assertTrue(any(one["ph"] == "X" for one in events), events)



class Diagonals(unittest.TestCase):
    def test_beside_infinities(self):
        inf = float("inf")
        x = tf.constant([[1., inf, 3.], [float("nan"), 5., -inf]])
        parts = tf.function(lambda a: (tf.linalg.diag_part(a), tf.linalg.diag(a[0])),
                            input_signature=[tf.TensorSpec([None, None])])
        for part, whole in ((tf.linalg.diag_part(x), tf.linalg.diag(x[0])), parts(x)):
            self.assertEqual(part.numpy().tolist(), [1, 5])
            self.assertEqual(whole.numpy().tolist(), [[1, 0, 0], [0, inf, 0], [0, 0, 3]])
        self.assertEqual(float(tf.linalg.trace(x[:, :2] + [[0., 0.], [0., 1.]])), 7)
        flags = tf.constant([[True, False], [True, True]])
        self.assertEqual(tf.linalg.diag_part(flags).numpy().tolist(), [True, True])
        self.assertEqual(tf.linalg.diag_part(tf.reshape(tf.range(12), [2, 3, 2])).numpy().tolist(), [[0, 3], [6, 9]])
        v = tf.Variable([[1., 2.], [3., 4.]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.linalg.diag_part(v) ** 2) + tf.reduce_sum(
                tf.linalg.diag(v[0]) * tf.constant([[1., 9.], [9., 2.]]))
        self.assertEqual(tape.gradient(loss, v).numpy().tolist(), [[3, 2], [0, 8]])


if __name__ == "__main__":
    unittest.main(verbosity=0)
