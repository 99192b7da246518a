"""A chief that gives functions to workers; each server is a process."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import lockstep as tf

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from ports import free_ports  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
SERVE = """
import json, sys
import lockstep as tf
tf.distribute.Server(json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])).join()
"""


class Cluster(unittest.TestCase):
    workers = 2

    @classmethod
    def setUpClass(cls):
        cls.said = tempfile.TemporaryFile()
        addresses = [f"127.0.0.1:{port}" for port in free_ports(2 + cls.workers)]
        cls.cluster = {"ps": addresses[:2], "worker": addresses[2:]}
        cls.tasks = {(job, index): cls.serve(job, index)
                     for job, all in cls.cluster.items() for index in range(len(all))}
        cls.strategy = tf.distribute.experimental.ParameterServerStrategy(
            tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(cls.cluster)),
            variable_partitioner=tf.distribute.experimental.partitioners.FixedShardsPartitioner(2))
        cls.coordinator = tf.distribute.coordinator.ClusterCoordinator(cls.strategy)

    @classmethod
    def serve(cls, job, index):
        return subprocess.Popen([sys.executable, "-c", SERVE, json.dumps(cls.cluster), job, str(index)],
                                stderr=cls.said)

    @classmethod
    def tearDownClass(cls):
        cls.strategy._chief.close()
        for task in cls.tasks.values():
            task.kill()
            task.wait()
        cls.said.close()

    def test_functions_print_and_assert_on_their_workers(self):
        @tf.function
        def check(x):
            tf.print("on a worker:", x, {"twice": 2 * x}, summarize=-1)
            tf.debugging.assert_less(x, 3, message="too large")
            return tf.reduce_sum(x)
        self.assertEqual(self.coordinator.fetch(self.coordinator.schedule(check, args=(tf.constant([1, 2]),))), 3)
        self.coordinator.schedule(check, args=(tf.constant([1, 7]),))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"assertion failed: \[too large\].*\[1 7\].*\[3\]"):
            self.coordinator.join()
        self.said.seek(0)
        self.assertIn(b"on a worker: [1 2] {'twice': [2 4]}\n", self.said.read())
        self.said.seek(0, os.SEEK_END)

    def test_a_worker_that_is_killed_counts_nothing_twice(self):
        with self.strategy.scope():
            counter = tf.Variable(0.0)
        self.assertIn("/job:ps/replica:0/task:", counter.device)

        @tf.function
        def add(one):
            x = tf.matmul(tf.ones([64, 64]), tf.eye(64)) * one
            counter.assign_add(tf.reduce_mean(x))
            return x[0, 0]
        values = [self.coordinator.schedule(add, args=(tf.constant(1.0),)) for _ in range(50)]
        values[5].get()
        os.kill(self.tasks["worker", 0].pid, signal.SIGKILL)
        values += [self.coordinator.schedule(add, args=(tf.constant(1.0),)) for _ in range(100)]
        self.tasks["worker", 0].wait()
        self.tasks["worker", 0] = self.serve("worker", 0)
        values += [self.coordinator.schedule(add, args=(tf.constant(1.0),)) for _ in range(50)]
        self.coordinator.join()
        self.assertTrue(self.coordinator.done())
        self.assertEqual(counter.numpy(), 200)
        self.assertEqual(set(self.coordinator.fetch(values)), {1.0})

    def test_a_model_trains(self):
        with self.strategy.scope():
            model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8, activation="relu"),
                                         tf.keras.layers.Dense(1)])
            optimizer = tf.keras.optimizers.Adam(0.05)
        x = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
        y = x.sum(axis=1, keepdims=True)

        def dataset_fn():
            return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64, seed=1).batch(16).repeat()
        iterator = iter(self.coordinator.create_per_worker_dataset(dataset_fn))

        @tf.function
        def step(iterator):
            def replica(batch):
                features, labels = batch
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(model(features) - labels))
                optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables),
                                              model.trainable_variables))
                return loss
            loss = self.strategy.run(replica, args=(next(iterator),))
            return self.strategy.reduce(tf.distribute.ReduceOp.SUM, loss, axis=None)
        losses = [self.coordinator.schedule(step, args=(iterator,)) for _ in range(120)]
        self.coordinator.join()
        first, last = losses[0].fetch(), losses[-1].fetch()
        self.assertLess(last, first / 5)
        self.assertEqual(int(optimizer.iterations), 120)
        with self.assertRaises(NotImplementedError):
            next(iterator)

    def test_a_function_takes_several_elements(self):
        iterator = iter(self.coordinator.create_per_worker_dataset(tf.data.Dataset.range(1, 100).repeat()))

        @tf.function
        def sums(iterator):
            total, last = tf.constant(0, tf.int64), tf.constant(0, tf.int64)
            for _ in tf.range(4):
                last = next(iterator)
                total += last
            return total, last
        total, last = self.coordinator.schedule(sums, args=(iterator,)).fetch()
        self.assertEqual((total, last), (10, 4))

        @tf.function
        def unknown(iterator, count):
            total = tf.constant(0, tf.int64)
            for _ in tf.range(count):
                total += next(iterator)
            return total
        with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "inside of a branch or loop of its graph"):
            self.coordinator.schedule(unknown, args=(iterator, tf.constant(3)))
        self.coordinator.join()

    def test_errors(self):
        @tf.function
        def wrong(i):
            return tf.gather(tf.constant([1.0, 2.0]), i)
        value = self.coordinator.schedule(wrong, args=(tf.constant(7),))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "in function 'wrong' scheduled at .*test_coordinator.py"):
            self.coordinator.join()
        with self.assertRaises(tf.errors.InvalidArgumentError):
            value.get()
        self.coordinator.join()
        with self.assertRaisesRegex(TypeError, "only accepts a `tf.function`"):
            self.coordinator.schedule(lambda: 1)
        with self.assertRaises(ValueError):
            self.coordinator.schedule(wrong, args=(value,))
        with self.assertRaises(ValueError):
            tf.distribute.coordinator.ClusterCoordinator(tf.distribute.MirroredStrategy())
        self.assertIs(tf.distribute.coordinator.ClusterCoordinator(self.strategy), self.coordinator)

    def test_a_variable_in_shards_is_saved_whole(self):
        """As TensorFlow does: "emb/.ATTRIBUTES/VARIABLE_VALUE" of the whole shape."""
        with self.strategy.scope():
            rows, one = tf.Variable(tf.reshape(tf.range(10.0), [5, 2])), tf.Variable(2.0)

            class Holder(tf.Module):
                def __init__(self):
                    self.rows = rows
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = tf.train.Checkpoint(emb=rows, one=one, holder=Holder())
            path = checkpoint.save(folder + "/save")
            self.assertIn(("emb/.ATTRIBUTES/VARIABLE_VALUE", [5, 2]), tf.train.list_variables(path))
            rows.assign(tf.zeros([5, 2]))
            checkpoint.restore(path).assert_consumed()
            self.assertEqual(rows.numpy().tolist(), [[2.0 * i, 2.0 * i + 1] for i in range(5)])
            plain = tf.Variable(tf.zeros([5, 2]))
            tf.train.Checkpoint(emb=plain).restore(path)
            self.assertEqual(plain.numpy().tolist(), rows.numpy().tolist())
            later = tf.train.Checkpoint()
            later.restore(path)
            with self.strategy.scope():
                late = tf.Variable(tf.zeros([5, 2]))
            later.emb = late
            self.assertEqual(late.numpy().tolist(), rows.numpy().tolist())
            layers = lambda: [tf.keras.Input((3,)), tf.keras.layers.Dense(2)]  # noqa: E731
            with self.strategy.scope():
                spread = tf.keras.Sequential(layers())
            alone = tf.keras.Sequential(layers())
            path = tf.train.Checkpoint(model=spread).save(folder + "/model")
            tf.train.Checkpoint(model=alone).restore(path).assert_existing_objects_matched()
            with self.strategy.scope():
                spread.compile(tf.keras.optimizers.Adam(0.1), "mse")
            spread.fit(tf.data.Dataset.from_tensors((np.ones((4, 3)), np.ones((4, 2)))).repeat(), steps_per_epoch=3, verbose=0)
            path = tf.train.Checkpoint(model=spread, optimizer=spread.optimizer).save(folder + "/trained")
            saved = [tuple(shape) for name, shape in tf.train.list_variables(path) if shape]
            self.assertEqual(sorted(saved), [(2,)] * 3 + [(3, 2)] * 3)  # a weight and two slots each
            tf.train.Checkpoint(model=alone).restore(path)
            spread.save(folder + "/model.keras")
            self.assertEqual(tf.keras.models.load_model(folder + "/model.keras").optimizer.iterations.numpy(), 3)
            kernel = np.concatenate(spread.get_weights()[:2])
            for model in (alone, tf.keras.models.load_model(folder + "/model.keras")):
                self.assertEqual(model.get_weights()[0].tolist(), kernel.tolist())

    def test_eager_variables(self):
        with self.strategy.scope():
            self.assertIs(tf.distribute.get_strategy(), self.strategy)
            v = tf.Variable([[1.0, 2.0]])  # one row: one shard
        v.assign_add([[1.0, 1.0]])
        np.testing.assert_array_equal(v.numpy(), [[2, 3]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        np.testing.assert_array_equal(tape.gradient(loss, v), [[4, 6]])
        shards = tf.distribute.coordinator.ShardedVariable([v, v])
        np.testing.assert_array_equal(shards * 2, [[4, 6], [4, 6]])
        self.assertEqual(tf.distribute.partitioners.MaxSizePartitioner(16)([10], tf.float32), [3])
        self.assertEqual(tf.distribute.partitioners.MinSizePartitioner(4, 2)([10], tf.float32), [2])


    def test_sharded_variables(self):
        with self.strategy.scope():
            table = tf.Variable(np.arange(10, dtype=np.float32).reshape(5, 2), name="table")
            scalar = tf.Variable(1.0)
        self.assertIsInstance(scalar, tf.Variable)
        self.assertEqual([one.shape.as_list() for one in table.variables], [[3, 2], [2, 2]])
        self.assertEqual(table.variables[1].name, "table/part_1:0")
        self.assertNotEqual(table.variables[0].device, table.variables[1].device)

        @tf.function
        def step(ids):
            with tf.GradientTape() as tape:
                rows = tf.nn.embedding_lookup(table, ids)
                loss = tf.reduce_sum(rows * rows)
            for shard, gradient in zip(table.variables, tape.gradient(loss, table.variables)):
                shard.assign_sub(0.25 * tf.convert_to_tensor(gradient))
            return rows
        rows = self.coordinator.schedule(step, args=(tf.constant([4, 0, 4]),)).fetch()
        np.testing.assert_array_equal(rows, [[8, 9], [0, 1], [8, 9]])
        np.testing.assert_array_equal(table.numpy(), [[0, 0.5], [2, 3], [4, 5], [6, 7], [0, 0]])
        table.scatter_add(tf.IndexedSlices(tf.ones([2, 2]), tf.constant([1, 1])))
        np.testing.assert_array_equal(table.sparse_read([1]), [[4, 5]])
        np.testing.assert_array_equal(tf.convert_to_tensor(table) + 0.0, table.numpy())


class Tasks:
    """The servers of a program that each task of a cluster runs with its own TF_CONFIG."""

    def __init__(self, program, workers=2):
        ports = free_ports(1 + workers)
        self.program = program
        self.cluster = {"ps": [f"127.0.0.1:{ports[0]}"], "worker": [f"127.0.0.1:{port}" for port in ports[1:]]}

    def start(self, job, index, **environment):
        config = json.dumps({"cluster": dict(self.cluster, chief=["127.0.0.1:1"]),
                             "task": {"type": job, "index": index}})
        return subprocess.Popen([sys.executable, EXAMPLES / self.program], stdout=subprocess.PIPE, text=True,
                                env=dict(os.environ, TF_CONFIG=config, **environment))

    def __enter__(self):
        self.servers = [self.start(job, index) for job, all in self.cluster.items() for index in range(len(all))]
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.kill()
            server.communicate()

    def chief(self, **environment):
        out, _ = self.start("chief", 0, **environment).communicate(timeout=120)
        return out.splitlines()


class Question15(unittest.TestCase):
    def test_the_program_on_each_task(self):
        with Tasks("question_15.py") as tasks:
            self.assertEqual(tasks.chief(), ["/job:ps/replica:0/task:0/device:CPU:0",
                                             "the loss falls to less than a hundredth: True"])


class FitOfAChief(unittest.TestCase):
    """`fit` in TensorFlow's usual form: only the chief calls it."""

    def test_the_program_on_each_task(self):
        with Tasks("parameter_server_fit.py") as tasks:
            told = json.loads(tasks.chief()[0])
            self.assertEqual((told["steps"], told["falls"]), (100, True))
            self.assertGreater(told["accuracy"], 0.8)
            self.assertEqual(told["on"], "/job:ps/replica:0/task:0/device:CPU:0")
            bounded = dict(coordinated=True, mode="bounded", staleness=2)
            self.assertEqual(json.loads(tasks.chief(MODE=json.dumps(bounded))[0])["steps"], 100)
            in_order = [json.loads(tasks.chief(MODE=json.dumps(mode))[0])["digest"] for mode in (
                dict(coordinated=True, mode="synchronous"), dict(coordinated=True, mode="bounded", staleness=0))]
        text = (EXAMPLES / "parameter_server_fit.py").read_text()
        for own, other in [('in ("worker", "ps")', "is False"),
                           ("tf.distribute.experimental.ParameterServerStrategy(resolver, **mode)",
                            "tf.distribute.get_strategy()"), ("model.trainable_variables[0].device", '""')]:
            self.assertIn(own, text)
            text = text.replace(own, other)
        alone = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, timeout=120).stdout
        self.assertEqual(in_order, [json.loads(alone)["digest"]] * 2)


class FitInPlace(unittest.TestCase):
    """The same in one program: servers are processes, this one is the chief."""

    @classmethod
    def setUpClass(cls):
        Cluster.setUpClass.__func__(cls)

    serve = classmethod(Cluster.serve.__func__)
    tearDownClass = classmethod(Cluster.tearDownClass.__func__)
    workers = 2

    def make(self, cls=None):
        with self.strategy.scope():
            layers = [tf.keras.Input((4,)), tf.keras.layers.Dense(1)]
            model = tf.keras.Sequential(layers) if cls is None else cls(layers)
            model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
        return model

    x = np.random.default_rng(0).normal(size=(70, 4)).astype(np.float32)
    y = x.sum(axis=1, keepdims=True)

    def test_arrays_validation_and_callbacks(self):
        model = self.make()
        batches, epochs = [], []
        history = model.fit(self.x, self.y, batch_size=16, epochs=8, verbose=0, validation_data=(self.x, self.y),
                            callbacks=[tf.keras.callbacks.LambdaCallback(
                                on_train_batch_end=lambda batch, logs: batches.append((batch, logs["loss"])),
                                on_epoch_end=lambda epoch, logs: epochs.append(epoch))])
        self.assertEqual(sorted(batch for batch, _ in batches), sorted(list(range(5)) * 8))
        self.assertEqual(epochs, list(range(8)))
        self.assertLess(history.history["val_loss"][-1], history.history["val_loss"][0])
        self.assertEqual(int(model.optimizer.iterations), 40)
        loss, mae = model.evaluate(self.x, self.y, verbose=0)
        np.testing.assert_allclose(loss, history.history["val_loss"][-1], rtol=1e-6)
        first, second, bias = model.get_weights()
        weights = np.concatenate([first, second])
        self.assertEqual([one.device for one in model.layers[0].kernel.variables],
                         [f"/job:ps/replica:0/task:{i}/device:CPU:0" for i in range(2)])
        np.testing.assert_allclose(model.predict(self.x, verbose=0), self.x @ weights + bias, rtol=1e-5, atol=1e-6)

    def test_a_step_of_ones_own(self):
        class Own(tf.keras.Sequential):
            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
                weights = self.trainable_variables
                self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
                self._loss_tracker.update_state(loss)
                return {"loss": self._loss_tracker.result()}
        model = self.make(Own)
        dataset = tf.data.Dataset.from_tensor_slices((self.x, self.y)).batch(10)
        history = model.fit(dataset, epochs=6, verbose=0)
        self.assertEqual(int(model.optimizer.iterations), 42)
        self.assertLess(history.history["loss"][-1], history.history["loss"][0])
        self.assertLess(model.evaluate(dataset, verbose=0, return_dict=True)["loss"], history.history["loss"][0])

    def test_a_worker_that_is_killed_in_the_middle(self):
        model = self.make()

        class Kill(tf.keras.callbacks.Callback):
            def on_epoch_begin(callback, epoch, logs=None):
                if epoch == 1:
                    os.kill(self.tasks["worker", 1].pid, signal.SIGKILL)
        model.fit(self.x, self.y, batch_size=5, epochs=4, verbose=0, callbacks=[Kill()])
        self.assertEqual(int(model.optimizer.iterations), 4 * 14)
        self.tasks["worker", 1].wait()
        self.tasks["worker", 1] = self.serve("worker", 1)

    def test_dataset_creator(self):
        creator = tf.keras.utils.experimental.DatasetCreator(
            lambda context: tf.data.Dataset.from_tensor_slices((self.x, self.y)).batch(7).repeat())
        model = self.make()
        with self.assertRaisesRegex(ValueError, "`steps_per_epoch` must be provided"):
            model.fit(creator, verbose=0)
        model.fit(creator, epochs=2, steps_per_epoch=13, validation_data=creator, validation_steps=3, verbose=0)
        self.assertEqual(int(model.optimizer.iterations), 26)
        with self.assertRaisesRegex(ValueError, "`steps` must be provided"):
            model.evaluate(creator, verbose=0)
        model.evaluate(creator, steps=2, verbose=0)
        with self.assertRaisesRegex(TypeError, "must return a Dataset"):
            model.fit(tf.keras.utils.experimental.DatasetCreator(lambda context: 1), steps_per_epoch=1)
        with self.assertRaisesRegex(TypeError, "must be a `callable`"):
            tf.keras.utils.experimental.DatasetCreator(1)


if __name__ == "__main__":
    unittest.main()
