"""Sparse tensors: of parsed examples, in functions, datasets, and `tf.sparse`. The values are TensorFlow's."""
import unittest

import numpy as np

import lockstep as tf


def example(values):
    def ints(numbers):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=numbers))
    return tf.train.Example(features=tf.train.Features(feature={
        "a": ints(values), "b": ints(values), "c": ints(values),
        "i": ints(list(range(len(values)))[::-1])})).SerializeToString()


RECORDS = [example(one) for one in ([1, 2, 3], [], [4])]
WANTED = {"a": tf.io.VarLenFeature(tf.int64), "r": tf.io.RaggedFeature(tf.int64, value_key="b"),
          "s": tf.io.SparseFeature("i", "c", tf.int64, 5)}


def shown(sparse):
    return [sparse.indices.numpy().tolist(), sparse.values.numpy().tolist(), sparse.dense_shape.numpy().tolist()]


class Parsing(unittest.TestCase):
    def test_a_batch(self):
        made = tf.io.parse_example(RECORDS, WANTED)
        self.assertEqual(shown(made["a"]), [[[0, 0], [0, 1], [0, 2], [2, 0]], [1, 2, 3, 4], [3, 3]])
        self.assertEqual(made["r"].to_list(), [[1, 2, 3], [], [4]])
        self.assertEqual(shown(made["s"]), [[[0, 0], [0, 1], [0, 2], [2, 0]], [3, 2, 1, 4], [3, 5]])
        self.assertEqual(made["r"].row_splits.dtype, tf.int32)

    def test_one(self):
        made = tf.io.parse_single_example(RECORDS[0], WANTED)
        self.assertEqual(shown(made["a"]), [[[0], [1], [2]], [1, 2, 3], [3]])
        self.assertEqual(made["r"].numpy().tolist(), [1, 2, 3])
        self.assertEqual(shown(made["s"]), [[[0], [1], [2]], [3, 2, 1], [5]])
        self.assertEqual(shown(tf.io.parse_single_example(RECORDS[1], WANTED)["a"]), [[], [], [0]])

    def test_in_datasets(self):
        features = {"a": WANTED["a"], "s": WANTED["s"]}
        data = tf.data.Dataset.from_tensor_slices(RECORDS).map(lambda s: tf.io.parse_single_example(s, features))
        self.assertEqual(repr(data.element_spec["a"]), "SparseTensorSpec(TensorShape([None]), tf.int64)")
        batches = list(data.batch(2))
        self.assertEqual(shown(batches[0]["a"]), [[[0, 0], [0, 1], [0, 2]], [1, 2, 3], [2, 3]])
        self.assertEqual(shown(batches[1]["s"]), [[[0, 0]], [4], [1, 5]])
        self.assertEqual(data.batch(2).element_spec["a"], tf.SparseTensorSpec([None, None], tf.int64))
        self.assertEqual(len(list(data.batch(2, drop_remainder=True))), 1)
        self.assertEqual(next(data.as_numpy_iterator())["s"].tolist(), [3, 2, 1, 0, 0])
        padded = data.map(lambda one: tf.sparse.to_dense(one["a"])).padded_batch(3)
        self.assertEqual(next(iter(padded)).numpy().tolist(), [[1, 2, 3], [0, 0, 0], [4, 0, 0]])

    def test_batches_in_datasets(self):
        data = tf.data.Dataset.from_tensor_slices(RECORDS).batch(2).map(lambda s: tf.io.parse_example(s, WANTED))
        self.assertEqual(repr(data.element_spec["r"]), "RaggedTensorSpec(TensorShape([None, None]), tf.int64, 1, tf.int32)")
        rows = [(one["r"].to_list(), tf.sparse.to_dense(one["a"], -1).numpy().tolist()) for one in data]
        self.assertEqual(rows, [([[1, 2, 3], []], [[1, 2, 3], [-1, -1, -1]]), ([[4]], [[4]])])
        sums = data.map(lambda one: tf.sparse.reduce_sum(one["a"], 1))
        self.assertEqual([one.numpy().tolist() for one in sums], [[6, 0], [4]])

    def test_wrong_input(self):
        with self.assertRaisesRegex(ValueError, "Unsupported .* for key a"):
            tf.io.parse_example(RECORDS, {"a": tf.int64})
        with self.assertRaisesRegex(ValueError, "Missing features"):
            tf.io.parse_example(RECORDS, {})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "the feature a must have a float_list"):
            tf.io.parse_example(RECORDS, {"a": tf.io.VarLenFeature(tf.float32)})
        self.assertEqual(repr(WANTED["s"]), "SparseFeature(index_key='i', value_key='c', dtype=tf.int64, size=5, "
                         "already_sorted=False)")


X = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1., 2., 3.], [2, 3])
Y = tf.SparseTensor([[0, 1], [0, 2]], [5., -6.], [2, 3])


def every(a, b, m):
    """Results of most functions, each as a list of tensors."""
    s = tf.sparse
    made = [s.add(a, b), s.slice(a, [0, 1], [2, 2]), s.concat(1, [a, b]), s.transpose(a), s.softmax(a), s.maximum(a, b),
            s.minimum(a, b), s.split(a, 2, axis=1), s.reset_shape(a, [4, 5]), s.reshape(a, [3, -1]), s.expand_dims(a, 0),
            s.retain(a, a.values > 1.5), s.fill_empty_rows(b, 7.), a * 2., a / tf.constant([[2.], [4.]]),
            s.reduce_sum(a), s.reduce_sum(a, 0), s.reduce_sum(a, 1, keepdims=True), s.reduce_max(a, 0),
            s.reduce_max(a, 1, output_is_sparse=True), s.sparse_dense_matmul(a, m),
            s.sparse_dense_matmul(a, tf.transpose(m[:2]), adjoint_a=True)]
    return [[s.to_dense(part) if isinstance(part, tf.SparseTensor) else part
             for part in (one if isinstance(one, (tuple, list)) else [one])] for one in made]


EXPECTED = [
    [[[0, 6, -6], [2, 0, 3]]], [[[1, 0], [0, 3]]], [[[0, 1, 0, 0, 5, -6], [2, 0, 3, 0, 0, 0]]],
    [[[0, 2], [1, 0], [0, 3]]], [[[0, 1, 0], [0.26894143, 0, 0.7310586]]], [[[0, 5, 0], [2, 0, 3]]],
    [[[0, 1, -6], [0, 0, 0]]], [[[0, 1], [2, 0]], [[0], [3]]],
    [[[0, 1, 0, 0, 0], [2, 0, 3, 0, 0], [0] * 5, [0] * 5]], [[[0, 1], [0, 2], [0, 3]]], [[[[0, 1, 0], [2, 0, 3]]]],
    [[[0, 0, 0], [2, 0, 3]]], [[[0, 5, -6], [7, 0, 0]], [False, True]], [[[0, 2, 0], [4, 0, 6]]],
    [[[0, 0.5, 0], [0.5, 0, 0.75]]], [6], [[2, 1, 3]], [[[1], [5]]], [[2, 1, 3]], [[1, 3]], [[[1, 1], [5, 5]]],
    [[[2, 2], [1, 1], [3, 3]]]]


class Functions(unittest.TestCase):
    def check(self, made):
        self.assertEqual(len(made), len(EXPECTED))
        for number, (own, wanted) in enumerate(zip(made, EXPECTED)):
            for one, right in zip(own, wanted):
                np.testing.assert_allclose(one.numpy(), np.array(right), rtol=1e-6, err_msg=str(number))

    def test_eager_and_traced(self):
        self.check(every(X, Y, tf.ones([3, 2])))
        self.check(tf.function(every)(X, Y, tf.ones([3, 2])))

    def test_of_an_unknown_shape(self):
        data = tf.data.Dataset.from_tensors((X, Y)).map(
            lambda a, b: tuple(one for row in every(a, b, tf.ones([3, 2])) for one in row))
        flat = next(iter(data))
        for one, right in zip(flat, [one for row in EXPECTED for one in row]):
            np.testing.assert_allclose(one.numpy(), np.array(right), rtol=1e-6)

    def test_gradients(self):
        @tf.function
        def gradient(v):
            with tf.GradientTape() as tape:
                tape.watch(v)
                s = tf.SparseTensor(X.indices, v * v, [2, 3])
                loss = tf.reduce_sum(tf.sparse.to_dense(s) * tf.constant([[1., 2, 3], [4, 5, 6]])) + tf.reduce_sum(
                    tf.sparse.reduce_sum(s, 0) ** 2)
            return tape.gradient(loss, v)
        for function in (gradient, gradient.python_function):
            self.assertEqual(function(X.values).numpy().tolist(), [8, 48, 144])

    def test_arguments_and_results_of_functions(self):
        traces = []

        @tf.function
        def twice(s):
            traces.append(s.shape.as_list())
            return {"s": s * 2.}
        self.assertEqual(shown(twice(X)["s"])[1], [2, 4, 6])
        other = tf.SparseTensor([[0, 0], [0, 1], [1, 1]], [5., 6., 7.], [2, 3])
        self.assertEqual(shown(twice(other)["s"]), [[[0, 0], [0, 1], [1, 1]], [10, 12, 14], [2, 3]])
        self.assertEqual(traces, [[2, 3]])
        twice(tf.SparseTensor([[1, 1]], [5.], [3, 3]))
        self.assertEqual(traces, [[2, 3], [3, 3]])
        rows = tf.function(lambda x: tf.RaggedTensor.from_row_splits(x, [0, 1, 3]))(tf.constant([1, 2, 3]))
        self.assertEqual(rows.to_list(), [[1], [2, 3]])

    def test_slices(self):
        data = tf.data.Dataset.from_tensor_slices({"x": X, "n": [1, 2]})
        rows = [(shown(one["x"]), int(one["n"])) for one in data]
        self.assertEqual(rows, [([[[1]], [1], [3]], 1), ([[[0], [2]], [2, 3], [3]], 2)])
        ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]]))
        self.assertEqual([one.numpy().tolist() for one in ragged], [[1, 2], [], [3]])
        self.assertEqual(repr(ragged.element_spec), "RaggedTensorSpec(TensorShape([None]), tf.int32, 0, tf.int64)")
        self.assertEqual([one.to_list() for one in ragged.batch(2)], [[[1, 2], []], [[3]]])
        deep = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[4]], [[], []]]))
        self.assertEqual([one.to_list() for one in deep.batch(2)], [[[[1], [2, 3]], [[4]]], [[[], []]]])

    def test_ragged_batches(self):
        data = tf.data.Dataset.range(1, 4).map(lambda n: {"a": tf.fill([n], n), "m": tf.fill([n, 2], n), "n": n})
        batches = data.ragged_batch(2)
        self.assertEqual(repr(batches.element_spec["m"]),
                         "RaggedTensorSpec(TensorShape([None, None, 2]), tf.int64, 1, tf.int64)")
        got = [(one["a"].to_list(), one["m"].to_list(), one["n"].numpy().tolist()) for one in batches]
        self.assertEqual(got, [([[1], [2, 2]], [[[1, 1]], [[2, 2], [2, 2]]], [1, 2]), ([[3, 3, 3]], [[[3, 3]] * 3], [3])])
        self.assertEqual(len(list(data.ragged_batch(2, drop_remainder=True))), 1)
        images = tf.data.Dataset.from_generator(
            lambda: iter([np.ones((2, 3)), np.zeros((1, 2)), np.ones((0, 4))]),
            output_signature=tf.TensorSpec([None, None], tf.float32)).apply(tf.data.experimental.dense_to_ragged_batch(2))
        self.assertEqual([one.to_list() for one in images], [[[[1, 1, 1], [1, 1, 1]], [[0, 0]]], [[]]])

    def test_texts_and_indicators(self):
        words = tf.SparseTensor([[0, 1], [1, 0]], ["a", "b"], [2, 2])
        self.assertEqual(tf.sparse.to_dense(words, "?").numpy().tolist(), [[b"?", b"a"], [b"b", b"?"]])
        self.assertEqual(shown(tf.sparse.from_dense(tf.sparse.to_dense(words)))[1], [b"a", b"b"])
        numbers = tf.SparseTensor([[0, 0], [1, 0], [1, 2]], tf.constant([1, 2, 3], tf.int64), [2, 3])
        self.assertEqual(tf.sparse.to_indicator(numbers, 5).numpy().astype(int).tolist(), [[0, 1, 0, 0, 0], [0, 0, 1, 1, 0]])
        left = tf.sparse.mask(tf.IndexedSlices(tf.constant([[1.], [2.]]), tf.constant([3, 5])), [5])
        self.assertEqual((left.values.numpy().tolist(), left.indices.numpy().tolist()), ([[1]], [3]))

    def test_segments(self):
        data, rows = tf.constant([[1., 2], [3, 4], [5, 6]]), [0, 2, 1]
        self.assertEqual(tf.sparse.segment_sum(data, rows, [0, 0, 1]).numpy().tolist(), [[6, 8], [3, 4]])
        self.assertEqual(tf.sparse.segment_mean(data, rows, [0, 0, 2]).numpy().tolist(), [[3, 4], [0, 0], [3, 4]])
        np.testing.assert_allclose(tf.sparse.segment_sqrt_n(data, rows, [0, 0, 2], num_segments=4).numpy(),
                                   [[4.2426405, 5.656854], [0, 0], [3, 4], [0, 0]], rtol=1e-6)

    def test_wrong_places(self):
        for places, what in (([[1, 0], [0, 1]], "is out of order"), ([[1, 0], [1, 0]], "is repeated"),
                             ([[0, 0], [1, 5]], r"indices\[1\] = \[1,5\] is out of bounds")):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, what):
                tf.sparse.to_dense(tf.SparseTensor(places, [1, 2], [2, 2]))
        with self.assertRaisesRegex(ValueError, "Dimensions 2 and 1 are not compatible"):
            tf.SparseTensor([[0], [1]], [1], [2])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must agree in all other axes"):
            tf.sparse.concat(0, [X, tf.SparseTensor([[0, 0]], [1.], [2, 4])])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "as large"):
            tf.sparse.reset_shape(X, [1, 3])


if __name__ == "__main__":
    unittest.main()
