"""A chief that gives functions to workers; each server is a process."""

import json
import os
import pathlib
import signal
import subprocess
import sys
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
                                stderr=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.strategy._chief.close()
        for task in cls.tasks.values():
            task.kill()
            task.wait()

    def test_a_worker_that_is_killed_counts_nothing_twice(self):
        with self.strategy.scope():
            counter = tf.Variable(0.0)
        self.assertEqual(counter.device, "/job:ps/replica:0/task:0/device:CPU:0")

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


class Question15(unittest.TestCase):
    def test_the_program_on_each_task(self):
        ports = free_ports(3)
        cluster = {"ps": [f"127.0.0.1:{ports[0]}"], "worker": [f"127.0.0.1:{port}" for port in ports[1:]]}

        def start(job, index):
            config = json.dumps({"cluster": dict(cluster, chief=["127.0.0.1:1"]), "task": {"type": job, "index": index}})
            return subprocess.Popen([sys.executable, EXAMPLES / "question_15.py"], stdout=subprocess.PIPE, text=True,
                                    env=dict(os.environ, TF_CONFIG=config))
        servers = [start(job, index) for job, all in cluster.items() for index in range(len(all))]
        try:
            out, _ = start("chief", 0).communicate(timeout=120)
        finally:
            for server in servers:
                server.kill()
                server.communicate()
        self.assertEqual(out.splitlines(), ["/job:ps/replica:0/task:0/device:CPU:0",
                                            "the loss falls to less than a hundredth: True"])


if __name__ == "__main__":
    unittest.main()
