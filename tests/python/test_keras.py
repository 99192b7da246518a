"""Keras: layers, models, training."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import lockstep as tf

keras = tf.keras


def data(count=64):
    numbers = np.random.RandomState(0)
    x = numbers.rand(count, 4)
    return x, (x.sum(1) > 2).astype("int64")


def classifier():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"),
                              keras.layers.Dense(2)])
    model.compile(keras.optimizers.Adam(0.05), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])
    return model


class Layers(unittest.TestCase):
    def test_layers_come_in_the_order_of_keras(self):
        start = tf.keras.Input((8,))
        near = tf.keras.layers.Dense(4, name="near")(start)
        far = tf.keras.layers.Dense(4, name="far")(start)
        last = tf.keras.layers.Dense(4, name="last")(far)
        both = tf.keras.layers.Add(name="both")([near, last])
        model = tf.keras.Model(start, tf.keras.layers.Dense(2, name="out")(both))
        self.assertEqual([one.name for one in model.layers][1:], ["far", "near", "last", "both", "out"])

    def test_weights_and_names(self):
        layer = keras.layers.Dense(2, name="mine", kernel_initializer="ones", bias_initializer="zeros")
        self.assertFalse(layer.built)
        np.testing.assert_array_equal(layer(np.ones((1, 3))), [[3, 3]])
        self.assertEqual([one.path for one in layer.weights], ["mine/kernel", "mine/bias"])
        self.assertEqual(tuple(layer.kernel.shape), (3, 2))
        layer.set_weights([np.zeros((3, 2)), np.ones(2)])
        np.testing.assert_array_equal(layer(np.ones((1, 3))), [[1, 1]])
        with self.assertRaisesRegex(ValueError, "weight list of length 1"):
            layer.set_weights([np.zeros((3, 2))])
        with self.assertRaisesRegex(ValueError, "units"):
            keras.layers.Dense(0)

    def test_shapes_of_many_layers(self):
        image = np.ones((2, 8, 8, 3), "float32")
        steps = np.ones((2, 5, 3), "float32")
        L = keras.layers
        for layer, x, shape in (
                (L.Conv2D(4, 3, padding="same", activation="relu"), image, (2, 8, 8, 4)),
                (L.Conv2D(4, (3, 2), strides=2), image, (2, 3, 4, 4)),
                (L.DepthwiseConv2D(3), image, (2, 6, 6, 3)), (L.MaxPooling2D(), image, (2, 4, 4, 3)),
                (L.AveragePooling2D(3, 1, "same"), image, (2, 8, 8, 3)),
                (L.GlobalAveragePooling2D(), image, (2, 3)), (L.Flatten(), image, (2, 192)),
                (L.BatchNormalization(), image, image.shape), (L.LayerNormalization(), steps, (2, 5, 3)),
                (L.ZeroPadding2D(((1, 0), (0, 2))), image, (2, 9, 10, 3)),
                (L.UpSampling2D(2), image, (2, 16, 16, 3)), (L.LSTM(4), steps, (2, 4)),
                (L.GRU(4, return_sequences=True), steps, (2, 5, 4)),
                (L.Bidirectional(L.LSTM(3)), steps, (2, 6)), (L.Conv1D(2, 2, padding="causal"), steps,
                                                              (2, 5, 2)),
                (L.Embedding(10, 3), np.ones((2, 4), "int32"), (2, 4, 3)),
                (L.Reshape((3, -1)), steps, (2, 3, 5)), (L.Permute((2, 1)), steps, (2, 3, 5)),
                (L.Dropout(0.5), steps, (2, 5, 3)), (L.LeakyReLU(), steps, (2, 5, 3))):
            self.assertEqual(tuple(layer(x).shape), shape, layer)
        attention = L.MultiHeadAttention(2, 4)
        self.assertEqual(tuple(attention(steps, steps).shape), (2, 5, 3))

    def test_one_of_ones_own(self):
        class Linear(keras.layers.Layer):
            def __init__(self, units):
                super().__init__()
                self.units = units

            def build(self, input_shape):
                self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones")
                self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=False)

            def call(self, inputs):
                return inputs @ self.w + self.b
        layer = Linear(2)
        np.testing.assert_array_equal(layer(tf.ones([1, 3])), [[3, 3]])
        self.assertEqual((len(layer.trainable_weights), len(layer.non_trainable_weights)), (1, 1))
        layer.trainable = False
        self.assertEqual(layer.trainable_weights, [])


class Models(unittest.TestCase):
    def test_summary(self):
        keras.backend.clear_session()
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(1)])
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            model.summary()
        text = stream.getvalue()
        self.assertIn('Model: "sequential"', text)
        self.assertIn("│ dense (Dense)                   │ (None, 4)              │            16 │", text)
        self.assertIn(" Total params: 21 (84.00 B)", text)

    def test_functional(self):
        a, b = keras.Input((2,), name="a"), keras.Input((2,), name="b")
        joined = keras.layers.concatenate([a, b])
        one = keras.layers.Dense(1, kernel_initializer="ones", name="one")(joined)
        two = keras.layers.Activation("tanh")(one * 2.0)
        model = keras.Model([a, b], {"one": one, "two": two})
        got = model([np.ones((3, 2)), np.ones((3, 2))])
        self.assertEqual(float(got["one"][0, 0]), 4)
        self.assertAlmostEqual(float(got["two"][0, 0]), np.tanh(8), places=5)
        model.compile("sgd", {"one": "mse", "two": "mae"})
        logs = model.fit([np.ones((8, 2)), np.ones((8, 2))],
                         {"one": np.ones((8, 1)), "two": np.ones((8, 1))}, epochs=2, verbose=0)
        self.assertLess(logs.history["loss"][1], logs.history["loss"][0])
        with self.assertRaisesRegex(ValueError, "not connected|not among the inputs"):
            keras.Model(a, one)

    def test_get_layer(self):
        model = classifier()
        self.assertIs(model.get_layer(index=1), model.layers[1])
        with self.assertRaisesRegex(ValueError, "No such layer"):
            model.get_layer("other")


class Training(unittest.TestCase):
    def test_fit_evaluate_predict(self):
        x, y = data()
        model = classifier()
        history = model.fit(x, y, epochs=30, batch_size=16, verbose=0, validation_split=0.25)
        self.assertEqual(sorted(history.history), ["accuracy", "loss", "val_accuracy", "val_loss"])
        self.assertLess(history.history["loss"][-1], history.history["loss"][0])
        loss, accuracy = model.evaluate(x, y, verbose=0)
        self.assertGreater(accuracy, 0.7)
        predictions = model.predict(x, verbose=0)
        self.assertEqual(predictions.shape, (64, 2))
        self.assertAlmostEqual((predictions.argmax(1) == y).mean(), accuracy, places=6)
        with self.assertRaisesRegex(ValueError, "cardinality"):
            model.fit(x, y[:3], verbose=0)
        with self.assertRaisesRegex(ValueError, "compile"):
            keras.Sequential([keras.layers.Dense(1)]).fit(x, y)

    def test_lines(self):
        x, y = data()
        model = classifier()
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            model.fit(x, y, epochs=2, verbose=2)
            model.fit(x, y)
        lines = stream.getvalue().splitlines()
        self.assertEqual(lines[0], "Epoch 1/2")
        self.assertRegex(lines[1], r"^2/2 - 0s - \S+/step - accuracy: \d\.\d{4} - loss: \d\.\d{4}$")
        self.assertRegex(lines[4], r"^2/2 ━{20} 0s \S+/step - accuracy: \d\.\d{4} - loss: \d\.\d{4}$")

    def test_a_train_step_of_ones_own_has_the_same_losses(self):
        class Own(keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = keras.layers.Dense(1, kernel_initializer="ones")

            def call(self, inputs, training=False):
                if training:
                    inputs = inputs * 1.0
                return self.dense(inputs)

        class Stepped(Own):
            def train_step(self, batch):
                x, y = batch
                with tf.GradientTape() as tape:
                    loss = self.compute_loss(y=y, y_pred=self(x, training=True))
                gradients = tape.gradient(loss, self.trainable_variables)
                self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
                self.metrics[0].update_state(loss)
                return {"loss": self.metrics[0].result()}
        x = np.arange(16.0).reshape(8, 2) / 16
        results = []
        for cls in (Own, Stepped):
            model = cls()
            model.compile("sgd", "mse")
            model.fit(x, x[:, :1], batch_size=8, epochs=3, verbose=0)
            results.append(model.get_weights()[0])
        np.testing.assert_allclose(results[0], results[1], rtol=1e-6)

    def test_callbacks(self):
        x, y = data()
        seen = []

        class Own(keras.callbacks.Callback):
            def on_train_begin(self, logs=None):
                seen.append("begin")

            def on_epoch_end(self, epoch, logs=None):
                seen.append((epoch, sorted(logs)))
                logs["extra"] = epoch * 1.0
                if epoch == 1:
                    self.model.stop_training = True
        model = classifier()
        history = model.fit(x, y, epochs=5, verbose=0, callbacks=[Own()])
        self.assertEqual(seen, ["begin", (0, ["accuracy", "loss"]), (1, ["accuracy", "loss"])])
        self.assertEqual(history.history["extra"], [0, 1])
        stopping = keras.callbacks.EarlyStopping(monitor="loss", min_delta=100)
        history = model.fit(x, y, epochs=5, verbose=0, callbacks=[stopping])
        self.assertEqual(len(history.epoch), 2)
        rates = model.fit(x, y, epochs=2, verbose=0, callbacks=[
            keras.callbacks.LearningRateScheduler(lambda epoch, rate: 0.5 / (epoch + 1))])
        np.testing.assert_allclose(rates.history["learning_rate"], [0.5, 0.25])

    def test_the_bits_do_not_know_of_devices(self):
        x, y = data(100)
        digests = []
        for devices in (1, 2, 3):
            keras.backend.clear_session()
            keras.utils.set_random_seed(7)
            strategy = tf.distribute.MirroredStrategy(replicas=2, num_devices=devices)
            with strategy.scope():
                model = classifier()
            model.fit(x, y, epochs=2, verbose=0)
            digests.append(model.weights_digest())
        self.assertEqual(digests[0], digests[1])
        self.assertEqual(digests[0], digests[2])

    def test_ctrl_c_ends_training_between_steps(self):
        program = (
            "import numpy as np, lockstep as tf\n"
            "m = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])\n"
            "m.compile('sgd', 'mse')\n"
            "class Tell(tf.keras.callbacks.Callback):\n"
            "    def on_epoch_begin(self, epoch, logs=None):\n"
            "        if epoch == 2: print('begun', flush=True)\n"
            "try: m.fit(np.ones((64, 4)), np.ones((64, 1)), epochs=10**7, verbose=0, callbacks=[Tell()])\n"
            "except KeyboardInterrupt: print('interrupted', flush=True)\n")
        task = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.DEVNULL)
        self.assertEqual(task.stdout.readline(), "begun\n")
        task.send_signal(signal.SIGINT)
        self.assertEqual(task.communicate(timeout=30)[0], "interrupted\n")

    def test_seeds_give_kerass_weights(self):
        keras.utils.set_random_seed(42)
        first = keras.layers.Dense(2)(np.eye(3)).numpy()
        keras.utils.set_random_seed(42)
        np.testing.assert_array_equal(first, keras.layers.Dense(2)(np.eye(3)).numpy())

    def test_weights_are_saved(self):
        x, y = data()
        model, other = classifier(), None
        model.fit(x, y, verbose=0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "w.safetensors")
            model.save_weights(path)
            before = model.predict(x, verbose=0)
            model.fit(x, y, verbose=0)
            model.load_weights(path)
            np.testing.assert_array_equal(model.predict(x, verbose=0), before)
        self.assertIsNone(other)

    def test_optimizers_and_schedules(self):
        v = tf.Variable(1.0)
        optimizer = keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5))
        for _ in range(2):
            optimizer.apply_gradients([(tf.constant(1.0), v)])
        self.assertAlmostEqual(float(v), 0.25, places=6)
        self.assertEqual(int(optimizer.iterations), 2)
        with self.assertRaises(TypeError):
            optimizer.learning_rate = 1.0
        with self.assertRaisesRegex(ValueError, "No gradients provided"):
            optimizer.apply_gradients([(None, v)])
        with self.assertRaisesRegex(ValueError, "not recognized"):
            keras.optimizers.Adam(bta=1)
        plain = keras.optimizers.Adam(0.5)
        plain.learning_rate = 0.25
        self.assertEqual(float(plain.learning_rate), 0.25)

    def test_losses_and_metrics(self):
        self.assertAlmostEqual(float(keras.losses.MeanSquaredError()([0.0, 1.0], [1.0, 1.0])), 0.5)
        each = keras.losses.MeanSquaredError(reduction="none")([[0.0], [1.0]], [[1.0], [1.0]])
        np.testing.assert_array_equal(each, [1, 0])
        metric = keras.metrics.Mean()
        metric.update_state([1.0, 3.0])
        metric.update_state(5.0)
        self.assertEqual(float(metric.result()), 3)
        metric.reset_state()
        self.assertEqual(float(metric.result()), 0)

        class Largest(keras.metrics.Metric):
            def __init__(self, name="largest"):
                super().__init__(name=name)
                self.value = self.add_weight(name="value")

            def update_state(self, y_true, y_pred, sample_weight=None):
                self.value.assign(tf.maximum(self.value, tf.reduce_max(y_pred)))

            def result(self):
                return self.value
        own = Largest()
        own.update_state(0, tf.constant([1.0, 4.0]))
        self.assertEqual(float(own.result()), 4)


class SeparableConvolution(unittest.TestCase):
    def test_has_the_initializers_it_was_given(self):
        layer = tf.keras.layers.SeparableConv2D(4, 3, depth_multiplier=2, depthwise_initializer="ones",
                                                pointwise_initializer=tf.keras.initializers.Constant(0.5))
        layer.build((None, 5, 5, 3))
        depthwise, pointwise, bias = layer.get_weights()
        self.assertEqual((depthwise.shape, depthwise.min(), depthwise.max()), ((3, 3, 3, 2), 1, 1))
        self.assertEqual((pointwise.shape, pointwise.min(), pointwise.max()), ((1, 1, 6, 4), 0.5, 0.5))
        self.assertEqual(abs(bias).max(), 0)

    def test_export_writes_onnx_and_saved_models(self):
        model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        with tempfile.TemporaryDirectory() as folder:
            model.export(folder + "/a.onnx", format="onnx")
            tf.onnx.export(model, folder + "/b.onnx")
            with open(folder + "/a.onnx", "rb") as a, open(folder + "/b.onnx", "rb") as b:
                self.assertEqual(a.read(), b.read())
            model.export(folder + "/saved", verbose=False)
            x = tf.constant([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]])
            served = tf.saved_model.load(folder + "/saved").serve(x)
            self.assertEqual(served.numpy().tolist(), model(x).numpy().tolist())
            with self.assertRaisesRegex(ValueError, "Unrecognized format=other"):
                model.export(folder + "/other", format="other")
            with self.assertRaisesRegex(ValueError, "not yet been built"):
                tf.keras.Sequential([tf.keras.layers.Dense(2)]).export(folder + "/open")


class Recurrent(unittest.TestCase):
    def setUp(self):
        tf.keras.utils.set_random_seed(2)
        self.x = np.random.RandomState(0).rand(3, 5, 2).astype("float32")

    def test_a_cell_gives_what_the_layer_gives(self):
        for kind in ("LSTM", "GRU", "SimpleRNN"):
            for options in ({}, {"go_backwards": True}, {"use_bias": False}) + (({"reset_after": False},) if kind == "GRU" else ()):
                back = {"go_backwards": options.pop("go_backwards")} if "go_backwards" in options else {}
                layer = getattr(tf.keras.layers, kind)(4, return_sequences=True, return_state=True, **options, **back)
                steps = tf.keras.layers.RNN(getattr(tf.keras.layers, kind + "Cell")(4, **options), return_sequences=True,
                                            return_state=True, **back)
                mask = np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1], [1, 1, 1, 1, 1]], bool)
                for given in ({}, {"mask": mask}):
                    wanted = layer(self.x, **given)
                    steps.build(self.x.shape)
                    steps.set_weights(layer.get_weights())
                    for one, other in zip(steps(self.x, **given), wanted):
                        np.testing.assert_allclose(one, other, atol=1e-6, err_msg=f"{kind} {options} {given}")

    def test_dropout_inside_is_of_training_alone(self):
        for kind in ("LSTM", "GRU", "SimpleRNN"):
            for options in ({"dropout": 0.5}, {"recurrent_dropout": 0.5}, {"dropout": 0.5, "recurrent_dropout": 0.5}):
                layer = getattr(tf.keras.layers, kind)(4, **options)
                plain = layer(self.x).numpy()
                np.testing.assert_array_equal(layer(self.x, training=False), plain)
                first, second = layer(self.x, training=True).numpy(), layer(self.x, training=True).numpy()
                self.assertGreater(np.abs(first - plain).max(), 1e-4, f"{kind} {options}")
                self.assertGreater(np.abs(first - second).max(), 1e-4, f"{kind} {options}")

    def test_states_stay_and_are_reset(self):
        layer = tf.keras.layers.GRU(4, stateful=True)
        first, second = layer(self.x[:, :2]), layer(self.x[:, 2:])
        whole = tf.keras.layers.GRU(4)
        whole.build(self.x.shape)
        whole.set_weights(layer.get_weights())
        np.testing.assert_allclose(second, whole(self.x), atol=1e-6)
        layer.reset_state()
        np.testing.assert_array_equal(layer(self.x[:, :2]), first)
        with self.assertRaisesRegex(ValueError, "batch size must be static.*batch_shape"):
            tf.keras.Sequential([tf.keras.Input((5, 2)), tf.keras.layers.GRU(4, stateful=True)])

    def test_cells_that_are_none_are_refused(self):
        with self.assertRaisesRegex(ValueError, "state_size"):
            tf.keras.layers.RNN(tf.keras.layers.Dense(2))
        with self.assertRaisesRegex(ValueError, "batch size must be static"):
            tf.keras.layers.RNN(tf.keras.layers.GRUCell(2), stateful=True)(tf.keras.Input((4, 3)))
        open_steps = tf.keras.Sequential([tf.keras.Input((None, 2)), tf.keras.layers.RNN(tf.keras.layers.GRUCell(2))])
        self.assertEqual((open_steps.output_shape, open_steps(self.x).shape), ((None, 2), (3, 2)))


class OneBatch(unittest.TestCase):
    def test_figures_are_of_the_batch_alone(self):
        model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile(tf.keras.optimizers.SGD(0.0), "mse", metrics=["mae"])
        for value in (2.0, 4.0):
            self.assertEqual(model.train_on_batch(np.full((2, 1), value), np.zeros((2, 1))), [value * value, value])
        self.assertEqual(model.test_on_batch(np.ones((2, 1)), np.zeros((2, 1))), [1.0, 1.0])
        loss = model.train_on_batch(np.full((2, 1), 2.0), np.array([[0.0], [1.0]]), class_weight={0: 1.0, 1: 3.0})[0]
        self.assertAlmostEqual(float(loss), (4.0 + 3.0 * 1.0) / 2, places=5)

    def test_clones_take_other_layers(self):
        inputs = tf.keras.Input((2,))
        shared = tf.keras.layers.Dense(2, name="shared")
        model = tf.keras.Model(inputs, [tf.keras.layers.ReLU()(shared(inputs)), shared(shared(inputs))])
        clone = tf.keras.models.clone_model(model, clone_function=lambda one: tf.keras.layers.Dense(2, "tanh", name="new")
                                            if one.name == "shared" else type(one).from_config(one.get_config()))
        self.assertIn("new", [one.name for one in clone.layers])
        self.assertEqual(len(clone.weights), 2)
        self.assertEqual(len(clone(np.ones((1, 2), "float32"))), 2)


class Ops(unittest.TestCase):
    def setUp(self):
        self.x = np.arange(24, dtype="float32").reshape(2, 3, 4)

    def test_axes_are_those_of_numpy(self):
        ops = tf.keras.ops
        np.testing.assert_array_equal(ops.moveaxis(self.x, 0, -1), np.moveaxis(self.x, 0, -1))
        np.testing.assert_array_equal(ops.moveaxis(self.x, [0, 1], [2, 0]), np.moveaxis(self.x, [0, 1], [2, 0]))
        np.testing.assert_array_equal(ops.swapaxes(self.x, 0, 2), np.swapaxes(self.x, 0, 2))
        np.testing.assert_array_equal(ops.dot(self.x, self.x[0].T), np.dot(self.x, self.x[0].T))
        np.testing.assert_array_equal(ops.flip(self.x), np.flip(self.x))
        for axis in (0, 1, 2, None):
            np.testing.assert_array_equal(ops.median(self.x, axis), np.median(self.x, axis))
            np.testing.assert_array_equal(ops.median(self.x, axis, keepdims=True), np.median(self.x, axis, keepdims=True))
        for name in ("argmax", "argmin", "cumsum", "cumprod"):
            for axis in (None, 0, -1):
                np.testing.assert_array_equal(getattr(ops, name)(self.x % 5, axis), getattr(np, name)(self.x % 5, axis))
        np.testing.assert_array_equal(ops.roll(self.x, 5), np.roll(self.x, 5))
        np.testing.assert_array_equal(ops.take(self.x, [3, 23]), np.take(self.x, [3, 23]))
        for wanted, made in zip(np.split(self.x, [1, 3], axis=2), ops.split(self.x, [1, 3], axis=2)):
            np.testing.assert_array_equal(made, wanted)
        places = np.argsort(-self.x, axis=1)
        np.testing.assert_array_equal(ops.take_along_axis(self.x, places, 1), np.take_along_axis(self.x, places, 1))

    def test_symbols_go_through(self):
        inputs = tf.keras.Input((3, 4))
        model = tf.keras.Model(inputs, tf.keras.ops.std(tf.keras.ops.log1p(inputs), axis=-1))
        np.testing.assert_allclose(model(self.x), np.log1p(self.x).std(-1), rtol=1e-5)

    def test_loops_keep_their_structure(self):
        ops = tf.keras.ops
        self.assertEqual(int(ops.while_loop(lambda i: i < 5, lambda i: i + 2, 0)), 6)
        self.assertEqual([int(one) for one in ops.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, a * 2], [0, 1])], [3, 8])
        state, rows = ops.scan(lambda s, x: (s + x, s * x), np.float32(1), np.array([1, 2, 3], "float32"), reverse=True)
        self.assertEqual((float(state), rows.numpy().tolist()), (7.0, [6.0, 8.0, 3.0]))

    def test_what_does_not_fit_is_refused(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"shape \(2, 2\) must fit into inputs of shape \(2, 3\)"):
            tf.keras.ops.slice_update(np.zeros((2, 3), "float32"), (0, 2), np.ones((2, 2), "float32"))
        with self.assertRaisesRegex(ValueError, "3, 4 or 5 axes"):
            tf.keras.ops.conv(np.zeros((2, 3), "float32"), np.zeros((1, 3, 1), "float32"))



class Norms(unittest.TestCase):
    def test_of_gradients_and_weights_in_event_files(self):
        import os
        import tempfile
        x, y = np.array([[1., 2.], [3., 4.]], "float32"), np.array([[1.], [0.]], "float32")

        class Own(tf.keras.Model):  # trains by the loop in Python
            def __init__(self):
                super().__init__()
                self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones", name="d")

            def call(self, inputs):
                return self.dense(inputs)

            def train_step(self, data):
                return super().train_step(data)
        plain = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones", name="d")])
        for model in (plain, Own()):
            model.compile(tf.keras.optimizers.SGD(0.0, clipnorm=0.5), "mse")
            with tempfile.TemporaryDirectory() as folder:
                model.fit(x, y, batch_size=2, epochs=1, verbose=0)  # a step without norms, traced before
                board = tf.keras.callbacks.TensorBoard(folder, update_freq=1, write_graph=False, write_weight_norms=True,
                                                       write_gradient_norms=True)
                model.fit(x, y, batch_size=2, epochs=1, verbose=0, callbacks=[board])
                path = os.path.join(folder, "train")
                values = {}
                for event in tf.compat.v1.train.summary_iterator(os.path.join(path, os.listdir(path)[0])):
                    for one in event.summary.value:
                        made = tf.make_ndarray(one.tensor) if one.WhichOneof("value") == "tensor" else one.simple_value
                        values[one.tag] = float(made)
            # errors are [2, 7]: the slopes of the kernel are x.T @ errors, that of the bias their sum.
            kernel, bias = [n for n in values if n.endswith("gradient_norm") and "/" in n]
            self.assertAlmostEqual(values[kernel], np.hypot(23, 32), places=4)
            self.assertAlmostEqual(values[bias], 9, places=5)
            self.assertAlmostEqual(values["epoch_gradient_norm"], np.sqrt(23 ** 2 + 32 ** 2 + 81), places=4)
            self.assertEqual(values["batch_gradient_norm"], values["epoch_gradient_norm"])
            self.assertAlmostEqual(next(v for n, v in values.items() if n.endswith("kernel/norm")), 2 ** 0.5, places=6)



class ConvLSTM(unittest.TestCase):
    """The figures are Keras's."""

    def run_layer(self, kind, shape, **options):
        random = np.random.RandomState(0)
        layer = getattr(tf.keras.layers, kind)(**options)
        x = random.randn(*shape).astype("float32")
        layer(x)
        layer.set_weights([random.randn(*one.shape).astype("float32") * 0.3 for one in layer.weights])
        made = layer(x)
        return layer, list(made) if isinstance(made, (list, tuple)) else [made]

    def test_values(self):
        for kind, shape, options, sizes, sums in (
                ("ConvLSTM2D", (2, 3, 5, 5, 2), {"filters": 3, "kernel_size": 3},
                 [[2, 3, 3, 3]], [[7.3156, -1.3137]]),
                ("ConvLSTM2D", (2, 3, 5, 6, 2), {"filters": 2, "kernel_size": (3, 2), "padding": "same",
                                                    "return_sequences": True, "strides": 2, "activation": "relu", "recurrent_activation": "hard_sigmoid"},
                 [[2, 3, 3, 3, 2]], [[7.2215, 1.0404]]),
                ("ConvLSTM2D", (2, 3, 7, 7, 2), {"filters": 2, "kernel_size": 2, "dilation_rate": 2,
                                                    "return_state": True, "go_backwards": True, "unit_forget_bias": False},
                 [[2, 5, 5, 2], [2, 5, 5, 2], [2, 5, 5, 2]], [[10.1586, 1.6581], [10.1586, 1.6581], [20.9014, 2.1835]]),
                ("ConvLSTM1D", (2, 4, 9, 2), {"filters": 2, "kernel_size": 3, "use_bias": False, "return_sequences": True},
                 [[2, 4, 7, 2]], [[14.8202, -0.3057]]),
                ("ConvLSTM3D", (1, 2, 4, 4, 4, 1), {"filters": 2, "kernel_size": 2, "padding": "same"},
                 [[1, 4, 4, 4, 2]], [[14.1737, 0.6314]]),
        ):
            layer, made = self.run_layer(kind, shape, **options)
            self.assertEqual([one.shape.as_list() for one in made], sizes)
            got = [[np.abs(one).sum(), (one.reshape(-1) * np.cos(np.arange(one.size))).sum()]
                   for one in (tensor.numpy() for tensor in made)]
            np.testing.assert_allclose(got, sums, atol=2e-4, err_msg=str(options))
            self.assertEqual(type(layer).from_config(layer.get_config()).get_config(), layer.get_config())

    def test_training_with_keras_weights(self):
        tf.keras.utils.set_random_seed(5)
        model = tf.keras.Sequential([
            tf.keras.Input((3, 6, 6, 1)),
            tf.keras.layers.ConvLSTM2D(2, 3, padding="same", return_sequences=True, recurrent_initializer="zeros"),
            tf.keras.layers.ConvLSTM2D(2, 3, recurrent_initializer="zeros"), tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        random = np.random.RandomState(1)
        x, y = random.randn(8, 3, 6, 6, 1).astype("float32"), random.randn(8, 1).astype("float32")
        losses = model.fit(x, y, epochs=3, batch_size=4, verbose=0, shuffle=False).history["loss"]
        np.testing.assert_allclose(losses, [0.580123, 0.5770159, 0.5740613], atol=2e-6)
        self.assertFalse(any("not cut" in line for line in model.advice()), model.advice())
        again = tf.keras.Sequential.from_config(model.get_config())
        again.set_weights(model.get_weights())
        np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))

    def test_wrong_input(self):
        with self.assertRaisesRegex(ValueError, "expected ndim=5, found ndim=4"):
            tf.keras.layers.ConvLSTM2D(3, 3)(np.zeros((2, 3, 5, 5), "float32"))
        with self.assertRaisesRegex(ValueError, "`kernel_size` argument must be a tuple of 2"):
            tf.keras.layers.ConvLSTM2D(3, (3, 3, 3))
        with self.assertRaisesRegex(ValueError, "`padding` argument"):
            tf.keras.layers.ConvLSTM1D(3, 3, padding="causal")


class RandomImages(unittest.TestCase):
    """Images that the function of a data set changes at random."""

    def images(self, threads, start=0):
        layers = [tf.keras.layers.RandomFlip(seed=1), tf.keras.layers.RandomRotation(0.2, seed=2)]

        def change(x):
            for one in layers:
                x = one(x, training=True)
            return x
        x = np.arange(40 * 4 * 4, dtype="float32").reshape(40, 4, 4, 1)
        return tf.data.Dataset.from_tensor_slices(x).map(change, num_parallel_calls=threads)

    def test_are_the_same_with_threads(self):
        one, many = self.images(None), self.images(4)
        for _ in range(2):
            first, second = list(one.as_numpy_iterator()), list(many.as_numpy_iterator())
            np.testing.assert_array_equal(first, second)

    def test_differ_from_pass_to_pass(self):
        images = self.images(2)
        first, second = list(images.as_numpy_iterator()), list(images.as_numpy_iterator())
        self.assertFalse(np.array_equal(first, second))

    def test_are_the_same_on_every_worker(self):
        whole = list(self.images(None).as_numpy_iterator())
        for index in range(3):
            np.testing.assert_array_equal(list(self.images(2).shard(3, index).as_numpy_iterator()), whole[index::3])


class Backups(unittest.TestCase):
    """BackupAndRestore goes on with a model that the same process makes again, though its names have other numbers."""

    def train(self, folder, *callbacks):
        keras.utils.set_random_seed(5)
        model = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(3, activation="relu"),
                                  keras.layers.Dense(2)])
        model.compile(keras.optimizers.SGD(0.1, momentum=0.9),
                      keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        history = model.fit(*data(), epochs=4, batch_size=16, verbose=0, shuffle=False,
                            callbacks=[keras.callbacks.BackupAndRestore(folder), *callbacks])
        return [one.numpy() for one in model.weights], history

    def test_go_on_with_a_model_made_again(self):
        class Interrupt(keras.callbacks.Callback):
            def on_epoch_begin(self, epoch, logs=None):
                if epoch == 2:
                    raise RuntimeError("interrupted")

        with tempfile.TemporaryDirectory() as folder:
            whole, _ = self.train(os.path.join(folder, "whole"))
            interrupted = os.path.join(folder, "interrupted")
            with self.assertRaisesRegex(RuntimeError, "interrupted"):
                self.train(interrupted, Interrupt())
            resumed, history = self.train(interrupted)
        self.assertEqual(history.epoch[-2:], [2, 3])
        for one, other in zip(whole, resumed):
            np.testing.assert_array_equal(one, other)


class UntrainedVariables(unittest.TestCase):
    """Those of tf.Variable in layers are no weights, as in Keras 3; fit says so."""

    def model(self, variable):
        class Scaled(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.scale = variable(2.0, name="scale")

            def call(self, x):
                return self.scale * x

        model = keras.Sequential([Scaled(), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        return model

    def test_are_told_once(self):
        model = self.model(tf.Variable)
        with self.assertWarnsRegex(UserWarning, "does not train .* got scale; make them by `add_weight`"):
            model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
            self.model(keras.Variable).fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)


if __name__ == "__main__":
    unittest.main(verbosity=0)
