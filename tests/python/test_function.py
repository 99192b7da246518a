"""Traced functions, control flow over tensors, gradients."""
import io
import sys
import threading
import unittest

import numpy as np

import lockstep as tf


@tf.function
def times_eight(x, n=3):
    return x if n == 0 else times_eight(x * 2, n - 1)


class Tracing(unittest.TestCase):
    def test_once_for_each_kind_of_arguments(self):
        seen = []

        @tf.function
        def f(x, n=2):
            seen.append(n)
            return {"sum": tf.reduce_sum(x) * n, "both": (x, None)}
        x = tf.ones([2])
        for _ in range(3):
            self.assertEqual(float(f(x)["sum"]), 4)
        f(x, n=2)
        f(x, 3)
        f(tf.ones([3]))
        self.assertEqual(seen, [2, 3, 2])
        self.assertIsNone(f(x)["both"][1])

    def test_input_signature(self):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(x):
            return tf.reduce_sum(x)
        self.assertEqual(float(f([1, 2, 3])), 6)
        with self.assertRaisesRegex(TypeError, "input_signature|Can not cast"):
            f(tf.constant([1, 2]))

    def test_variables_are_made_in_the_first_call_alone(self):
        @tf.function
        def f():
            return tf.Variable(1.0)
        with self.assertRaisesRegex(ValueError, "only supports singleton tf.Variables"):
            f()

        class Counter:
            def __init__(self):
                self.count = None

            @tf.function
            def __call__(self):
                if self.count is None:
                    self.count = tf.Variable(0)
                return self.count.assign_add(1)
        counter = Counter()
        self.assertEqual([int(counter()) for _ in range(3)], [1, 2, 3])
        self.assertEqual(int(Counter()()), 1)

    def test_reads_after_writes(self):
        v = tf.Variable(1.0)

        @tf.function
        def f():
            before = v + 0
            v.assign(v * 3)
            return before, v
        before, after = f()
        self.assertEqual((float(before), float(after)), (1, 3))

    def test_print_happens_when_run(self):
        @tf.function
        def f(x):
            tf.print("x is", x, [x, 2], output_stream=sys.stdout)
            return x
        stream, sys.stdout = sys.stdout, io.StringIO()
        try:
            f(tf.constant([1.0, 2.5]))
            f(tf.constant([3.0, 4.0]))
            text = sys.stdout.getvalue()
        finally:
            sys.stdout = stream
        self.assertEqual(text, "x is [1 2.5] [[1 2.5], 2]\nx is [3 4] [[3 4], 2]\n")

    def test_threads_run_side_by_side(self):
        @tf.function
        def f(x):
            return tf.reduce_sum(tf.matmul(x, x))
        x = tf.ones([64, 64])
        results = []
        threads = [threading.Thread(target=lambda: results.append(float(f(x)))) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(results, [64.0 ** 3] * 8)

    def test_a_tensor_is_no_bool_while_tracing(self):
        @tf.function(autograph=False)
        def f(x):
            return 1 if x else 2
        with self.assertRaises(tf.errors.OperatorNotAllowedInGraphError):
            f(tf.constant(True))


class ControlFlow(unittest.TestCase):
    def check(self, function, *cases):
        traced = tf.function(function)
        for arguments in cases:
            want = function(*arguments)
            got = traced(*[tf.constant(one) for one in arguments])
            np.testing.assert_array_equal(got, want, str(arguments))

    def test_if(self):
        def f(x):
            if x > 2 and not x == 5:
                y = x * 2
            elif x < 0:
                y = -x
            else:
                y = x
            return y + 1
        self.check(f, (3,), (5,), (-4,), (1,))

    def test_early_returns(self):
        def f(x):
            if x > 10:
                return x - 10
            if 0 < x < 5:
                return x * 100
            return x
        self.check(f, (11,), (3,), (7,), (-1,))

    def test_while_with_break_and_continue(self):
        def f(n):
            i = 0
            total = 0
            while True:
                i += 1
                if i % 3 == 0:
                    continue
                if i > n:
                    break
                total += i
            return total
        self.check(f, (0,), (1,), (10,), (20,))

    def test_return_out_of_a_loop(self):
        def f(x, limit):
            for one in x:
                if one > limit:
                    return one
            return limit - 1
        self.check(f, (np.array([1, 5, 9], np.int32), 4), (np.array([1, 2, 3], np.int32), 4))

    def test_for_over_a_range_of_the_graph(self):
        def f(n):
            a, b = 0, 1
            for _ in range(n):
                a, b = b, a + b
            return a
        self.check(f, (0,), (1,), (10,))

    def test_for_else_and_nested_loops(self):
        def f(n):
            found = 0
            for i in range(2, n):
                for j in range(2, i):
                    if i % j == 0:
                        break
                else:
                    found += 1
            return found
        self.check(f, (3,), (20,))

    def test_lists_grow_in_tensor_arrays(self):
        @tf.function
        def f(n):
            array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
            for i in tf.range(n):
                array = array.write(i, i * i)
            return array.stack()
        np.testing.assert_array_equal(f(tf.constant(4)), [0, 1, 4, 9])

    def test_assertions_and_expressions(self):
        @tf.function
        def f(x):
            assert x > 0, "positive"
            return x if x > 1 else -x
        self.assertEqual(int(f(tf.constant(2))), 2)
        self.assertEqual(int(f(tf.constant(1))), -1)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "positive"):
            f(tf.constant(0))

    def test_functions_that_are_called_are_taken_over_too(self):
        def absolute(x):
            if x < 0:
                return -x
            return x
        double = lambda x: x * 2 if x > 1 else x  # noqa: E731
        self.check(lambda x: double(absolute(x)), (-3,), (1,))

    def test_texts_of_branches_become_tensors(self):
        @tf.function
        def sign(x):
            word = "plus" if x > 0 else "minus"
            if x == 0:
                return "zero"
            return word
        self.assertEqual([sign(tf.constant(one)).numpy() for one in (2, -2, 0)], [b"plus", b"minus", b"zero"])

    def test_concrete_functions_keep_python_values(self):
        @tf.function
        def f(x, training=False):
            return x * 2 if training else x
        traced = f.get_concrete_function(tf.TensorSpec([2], tf.int32), training=True)
        self.assertEqual(traced(tf.constant([1, 2])).numpy().tolist(), [2, 4])
        self.assertEqual(traced(x=tf.constant([1, 2])).numpy().tolist(), [2, 4])
        self.assertEqual((traced.output_shapes, traced.output_dtypes), (tf.TensorShape([2]), tf.int32))
        with self.assertRaisesRegex(TypeError, "traced for training=True; got training=False"):
            traced(tf.constant([1, 2]), training=False)
        with self.assertRaisesRegex(TypeError, "missing required arguments: x"):
            traced()

    def test_what_cannot_be_traced_is_refused(self):
        @tf.function
        def f(x):
            if x > 0:
                y = object()
            else:
                y = "other"
            return x
        with self.assertRaisesRegex(TypeError, "'y' must be a tensor or a number in both branches"):
            f(tf.constant(1))

        @tf.function
        def g(x):
            if x > 0:
                z = 1
            return z
        with self.assertRaisesRegex((UnboundLocalError, ValueError), "z"):
            g(tf.constant(1))

    def test_while_loop_and_cond(self):
        @tf.function
        def f(n):
            return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (0, 0))[1]
        self.assertEqual(int(f(tf.constant(5))), 10)
        self.assertEqual(int(tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [0])[0]), 3)
        with self.assertRaises(ValueError):
            tf.function(lambda: tf.while_loop(lambda i: i < 3, lambda i: [[i, i]], [tf.constant(0)]))()
        pick = tf.function(lambda p: tf.cond(p, lambda: 1.0, lambda: 2.0))
        self.assertEqual([float(pick(tf.constant(one))) for one in (True, False)], [1, 2])

    def test_datasets(self):
        dataset = tf.data.Dataset.range(5)

        @tf.function
        def f():
            total = tf.constant(0, tf.int64)
            for one in dataset:
                total += one
            return total
        self.assertEqual([int(f()), int(f())], [10, 10])


class Gradients(unittest.TestCase):
    def test_structures(self):
        a, b, c = tf.Variable(2.0), tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = a * a * b
        got = tape.gradient(y, {"a": a, "rest": [b, c]})
        self.assertEqual((float(got["a"]), float(got["rest"][0]), got["rest"][1]), (12, 4, None))
        with self.assertRaisesRegex(RuntimeError, "non-persistent"):
            tape.gradient(y, a)

    def test_higher_orders_and_jacobians(self):
        x = tf.Variable(3.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x ** 3
            first = inner.gradient(y, x)
        self.assertEqual((float(first), float(outer.gradient(first, x))), (27, 18))
        x = tf.constant([1.0, 2.0])
        for persistent in (False, True):
            with tf.GradientTape(persistent) as tape:
                tape.watch(x)
                y = x * x
            np.testing.assert_array_equal(tape.jacobian(y, x), [[2, 0], [0, 4]])
        np.testing.assert_array_equal(tape.jacobian(y, x), [[2, 0], [0, 4]])
        with tf.GradientTape() as second:
            with tf.GradientTape() as first:
                first.watch(x)
                second.watch(x)
                y = tf.reduce_sum(x ** 3)
            slope = first.gradient(y, x)
        np.testing.assert_array_equal(second.jacobian(slope, x), [[6, 0], [0, 12]])
        with self.assertRaisesRegex(RuntimeError, "non-persistent"):
            second.jacobian(slope, x)

    def test_custom(self):
        @tf.custom_gradient
        def f(x):
            return x * x, lambda upstream: upstream * 100
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = f(x)
        self.assertEqual((float(y), float(tape.gradient(y, x))), (9, 100))

    def test_through_control_flow(self):
        @tf.function
        def f(x):
            for _ in tf.range(3):
                if x < 10:
                    x = x * x
            return x
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = f(x)
        self.assertEqual((float(y), float(tape.gradient(y, x))), (16, 32))

    def test_slices(self):
        table = tf.Variable(tf.ones([4, 2]))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, [1, 1, 3]))
        slices = tape.gradient(y, table)
        self.assertIsInstance(slices, tf.IndexedSlices)
        np.testing.assert_array_equal(tf.convert_to_tensor(slices), [[0, 0], [2, 2], [0, 0], [1, 1]])


class Sessions(unittest.TestCase):
    def test_eager_results_are_run_again(self):
        x, y = tf.Variable(1.0), tf.Variable(2.0)
        update = x.assign_add(0.5)
        with tf.control_dependencies([update]):
            by_x = tf.gradients(tf.square(x) + tf.square(y), x)[0]
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            self.assertEqual([float(session.run(by_x)) for _ in range(3)], [3, 4, 5])
            self.assertIsNone(session.run(tf.group(by_x)))
            self.assertEqual(session.run({"x": x})["x"], 3.0)
        with self.assertRaisesRegex(RuntimeError, "closed Session.*line"):
            session.run(x)

    def test_feeds(self):
        a = tf.constant(2.0)
        b = a * 3
        with tf.compat.v1.Session() as session:
            self.assertEqual(session.run(b), 6)
            self.assertEqual(session.run(b, {a.ref(): 5.0}), 15)
            with self.assertRaises(TypeError):
                session.run(None)

    def test_an_array_that_grows_in_a_loop_knows_its_size(self):
        @tf.function
        def squares(n):
            array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
            for k in tf.range(n):
                array = array.write(k, tf.cast(k, tf.float32) ** 2)
            return array.stack(), array.size()
        values, size = squares(tf.constant(4))
        self.assertEqual((values.numpy().tolist(), int(size)), ([0.0, 1.0, 4.0, 9.0], 4))

    def test_maps_rows_whose_number_is_not_known(self):
        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def both(x):
            return tf.map_fn(lambda row: (tf.reduce_sum(row), row > 1.0), x, fn_output_signature=(tf.float32, tf.bool))
        dataset = tf.data.Dataset.from_tensor_slices(tf.reshape(tf.range(6.0), [3, 2])).batch(2)
        found = [one.numpy().tolist() for one in dataset.map(lambda x: tf.map_fn(tf.reduce_sum, x))]
        self.assertEqual(found, [[1.0, 5.0], [9.0]])
        for rows in ([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], np.zeros([0, 2])):
            sums, large = both(tf.constant(rows, tf.float32))
            self.assertEqual(sums.numpy().tolist(), [sum(row) for row in rows])
            self.assertEqual(large.numpy().tolist(), [[one > 1.0 for one in row] for row in rows])
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(both(x)[0] ** 2)
        self.assertEqual(tape.gradient(y, x).numpy().tolist(), [[6.0, 6.0], [14.0, 14.0]])

    def test_a_function_calls_itself(self):
        self.assertEqual(int(times_eight(tf.constant(1))), 8)


if __name__ == "__main__":
    unittest.main(verbosity=0)
