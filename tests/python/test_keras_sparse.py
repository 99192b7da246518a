"""Sparse and ragged inputs of Keras's models under strategies, of SciPy, and what refuses them. What TensorFlow prints for others
is in `programs/keras_sparse_*.py` and `programs/keras_ragged_inputs.py`."""

import unittest

import numpy as np

import lockstep as tf

keras, layers = tf.keras, tf.keras.layers
rng = np.random.default_rng(0)
ROWS = ((rng.random((48, 37)) < 0.2) * rng.standard_normal((48, 37))).astype("float32")
LABELS = rng.standard_normal((48, 3)).astype("float32")


class Stepping(keras.Sequential):
    """A model that trains by the loop of steps, as one with sparse inputs does."""

    def train_step(self, data):
        return super().train_step(data)


def trained(strategy, given, sparse=True, **fit):
    keras.utils.set_random_seed(3)
    with strategy.scope():
        model = Stepping([keras.Input((37,), sparse=sparse), layers.Dense(8, "tanh"), layers.Dense(3)])
        model.compile("adam", "mse", metrics=["mae"])
    data = (given,) if getattr(given, "_is_dataset", False) else (given, LABELS)
    history = model.fit(*data, batch_size=None if len(data) == 1 else 10, epochs=2, verbose=0, shuffle=False, **fit)
    return [*[one.tobytes() for one in model.get_weights()], model.predict(given, batch_size=10, verbose=0).tobytes(),
            model.evaluate(*data, batch_size=10, verbose=0), history.history["loss"]]


class SparseTraining(unittest.TestCase):
    def strategies(self):
        return [tf.distribute.get_strategy(), tf.distribute.OneDeviceStrategy("/cpu:0"),
                tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]), tf.distribute.MirroredStrategy(["cpu:0", "cpu:1", "cpu:2"])]

    def test_replicas_compute_the_bits_of_dense_rows(self):
        x = tf.sparse.from_dense(ROWS)
        data = tf.data.Dataset.from_tensor_slices((x, LABELS)).batch(10)
        for strategy in self.strategies():
            with self.subTest(strategy=type(strategy).__name__, replicas=strategy.num_replicas_in_sync):
                dense = trained(strategy, ROWS, sparse=False)
                self.assertEqual(trained(strategy, x), dense)
                self.assertEqual(trained(strategy, data), dense)

    def test_each_replica_reads_its_own_ragged_rows(self):
        words = tf.ragged.constant([list(rng.integers(1, 9, size)) for size in (3, 0, 1, 4, 2, 2, 5, 1)], dtype="int32")
        sums = np.array([sum(row) for row in words.to_list()], "float32")[:, None]

        def made(strategy):
            with strategy.scope():
                symbol = keras.Input((None,), dtype="int32", ragged=True)
                rows = layers.Embedding(9, 4, embeddings_initializer="ones")(symbol)
                total = layers.Lambda(lambda one: tf.reduce_sum(one, axis=1))(rows)
                model = keras.Model(symbol, layers.Dense(1, kernel_initializer=keras.initializers.Constant(0.1))(total))
                model.compile(keras.optimizers.SGD(0.001), "mse")
            model.fit(words, sums, batch_size=4, epochs=2, verbose=0, shuffle=False)
            return model.get_weights() + [model.predict(words, batch_size=4, verbose=0)]
        first, *others = [made(one) for one in self.strategies()[1:3]]
        for other in others:
            for one, two in zip(first, other):
                np.testing.assert_allclose(one, two, rtol=2e-6, atol=1e-6)
        self.assertGreater(np.abs(first[0] - 1).max(), 1e-4)  # the table was trained

    def test_scipy_matrices_train_as_sparse_tensors(self):
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("SciPy is not installed")
        strategy = tf.distribute.get_strategy()
        wanted = trained(strategy, tf.sparse.from_dense(ROWS))
        for kind in ("csr_matrix", "csc_matrix", "coo_matrix", "csr_array"):
            self.assertEqual(trained(strategy, getattr(scipy.sparse, kind)(ROWS.astype("float64"))), wanted, kind)
        self.assertEqual(trained(strategy, scipy.sparse.csr_matrix(ROWS), sparse=False), wanted)

    def test_seeded_shuffle_takes_the_order_of_dense_examples(self):
        def losses(given, sparse):
            keras.utils.set_random_seed(5)
            model = Stepping([keras.Input((37,), sparse=sparse), layers.Dense(3)])
            model.compile("sgd", "mse")
            return model.fit(given, LABELS, batch_size=7, epochs=2, verbose=0).history["loss"]
        self.assertEqual(losses(tf.sparse.from_dense(ROWS), True), losses(ROWS, False))

    def test_rows_of_other_counts_are_refused(self):
        model = keras.Sequential([keras.Input((37,), sparse=True), layers.Dense(3)])
        model.compile("sgd", "mse")
        with self.assertRaisesRegex(ValueError, "cardinality"):
            model.fit(tf.sparse.from_dense(ROWS), LABELS[:40], verbose=0)

    def test_layers_without_a_sparse_form_refuse_sparse_tensors(self):
        x = tf.sparse.from_dense(ROWS)
        for layer in (layers.BatchNormalization(), layers.Dropout(0.5), layers.ReLU(), layers.Softmax()):
            with self.assertRaises((ValueError, TypeError)):
                layer(x)
        with self.assertRaisesRegex(ValueError, "keras.ops.sort.*sparse=False"):
            keras.ops.sort(x)

    def test_wide_bag_of_words_trains(self):
        places = [[i, j] for i in range(4) for j in (i, 4999 - i)]
        x = tf.SparseTensor(places, np.ones(8, "float32"), [4, 5000])
        model = keras.Sequential([keras.Input((5000,), sparse=True), layers.Dense(1, kernel_initializer="zeros", use_bias=False)])
        model.compile(keras.optimizers.SGD(1.0), "mse")
        model.fit(x, np.ones((4, 1), "float32"), epochs=20, verbose=0)
        np.testing.assert_allclose(model.predict(x, verbose=0), np.ones((4, 1)), atol=1e-3)
        self.assertEqual(np.count_nonzero(model.get_weights()[0]), 8)


if __name__ == "__main__":
    unittest.main()
