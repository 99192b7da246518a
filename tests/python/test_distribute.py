"""Strategies, datasets, random numbers, clusters."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import lockstep as tf

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from ports import free_ports  # noqa: E402


class Strategies(unittest.TestCase):
    def setUp(self):
        self.strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def test_run_reduce_gather(self):
        def step(x):
            context = tf.distribute.get_replica_context()
            i = tf.cast(context.replica_id_in_sync_group, tf.float32)
            return {"sum": context.all_reduce("SUM", x + i), "own": x + i}
        for run in (lambda: self.strategy.run(step, args=(tf.constant(1.0),)),
                    tf.function(lambda: self.strategy.run(step, args=(tf.constant(1.0),)))):
            got = run()
            self.assertEqual([float(one) for one in got["own"].values], [1, 2])
            self.assertEqual(float(self.strategy.reduce("MEAN", got["sum"], axis=None)), 3)
            self.assertEqual(float(self.strategy.reduce(tf.distribute.ReduceOp.SUM, got["own"],
                                                        axis=None)), 3)
        with self.assertRaises(ValueError):
            self.strategy.run(step, args=1)

    def test_variables(self):
        with self.strategy.scope():
            v = tf.Variable(4.0, aggregation=tf.VariableAggregation.SUM)
            on_read = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ,
                                  aggregation=tf.VariableAggregation.SUM)
        self.assertIn("1: <tf.Variable 'Variable/replica_1:0'", repr(v))

        def step():
            i = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
            v.assign_add(1.0 + 2.0 * i)
            on_read.assign_add(i + 1.0)
        self.strategy.run(step)
        self.assertEqual((float(v), float(on_read)), (8, 3))

    def test_tensors_that_leave_a_traced_replica_are_refused(self):
        kept = []

        def keep(x):
            kept.append(x * 2)
            return x

        def leave(x):
            self.strategy.run(keep, (x,))
            return kept[-1]

        def return_in_branch(x):
            self.strategy.run(keep, (x,))
            return tf.cond(tf.constant(True), lambda: kept[-1], lambda: kept[-1] + 1.0)

        def take_to_next_run(x):
            self.strategy.run(keep, (x,))
            return self.strategy.run(lambda y: y + kept[-1], (x,))

        def keep_ragged(x):
            self.strategy.run(lambda y: kept.append(tf.RaggedTensor.from_row_lengths(y, [tf.size(y)])), (x,))
            return kept[-1]
        for one in (leave, return_in_branch, take_to_next_run, keep_ragged):
            with self.subTest(one.__name__), self.assertRaisesRegex(TypeError, "must stay in the function that is traced"):
                tf.function(one)(tf.ones([2]))
        with self.assertRaisesRegex(TypeError, "must stay in the function that is traced"):
            print(kept[0] + 1.0)

    def test_replicas_of_a_trace_get_values_of_their_own_or_an_error(self):
        objects = self.strategy.experimental_distribute_values_from_function(lambda c: object())
        alike = self.strategy.experimental_distribute_values_from_function(lambda c: sum)
        step = tf.function(lambda: self.strategy.run(lambda value: tf.constant(1), (objects,)))
        self.assertRaisesRegex(TypeError, "give each replica a tensor", step)
        step = tf.function(lambda x: self.strategy.run(lambda y, function: function([y, y]), (x, alike)))
        self.assertEqual([float(one) for one in self.strategy.experimental_local_results(step(tf.constant(2.0)))], [4.0, 4.0])

    def test_steps_over_ragged_batches(self):
        class Rows(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.table = self.add_weight(shape=(10,), initializer="ones", name="table")
                self.rows = tf.keras.metrics.Mean("rows")

            def train_step(self, data):
                ragged, weights = data
                with tf.GradientTape() as tape:
                    total = tf.reduce_sum(tf.gather(self.table, ragged.flat_values)) * 0.1
                self.optimizer.apply_gradients([(tape.gradient(total, self.table), self.table)])
                self.rows.update_state(tf.cast(ragged.row_lengths(), tf.float32), sample_weight=weights)
                return {"rows": self.rows.result()}

            def test_step(self, data):
                self.rows.update_state(tf.cast(data[0].row_lengths(), tf.float32), sample_weight=data[1])
                return {"rows": self.rows.result()}
        data = tf.data.Dataset.from_tensor_slices((tf.ragged.constant([[1], [2, 3], [], [4], [5, 6, 7]]), tf.range(5.0))).batch(3)
        results = []
        for names in (["CPU:0"], ["CPU:0", "CPU:1"]):
            with tf.distribute.MirroredStrategy(names).scope():
                model = Rows()
                model.built = True
                model.compile(tf.keras.optimizers.SGD(0.5))
            history = model.fit(data, epochs=2, verbose=0).history
            results.append((history, model.table.numpy().tolist(), model.evaluate(data, verbose=0)))
        self.assertEqual(results[0], results[1])
        self.assertAlmostEqual(results[0][0]["rows"][0], 1.7)

    def test_merge_call(self):
        def merge(strategy, value):
            return strategy.reduce("SUM", value, axis=None)

        def step():
            context = tf.distribute.get_replica_context()
            own = tf.cast(context.replica_id_in_sync_group, tf.float32) + 1.0
            return context.merge_call(merge, args=(own,))
        self.assertEqual(float(tf.convert_to_tensor(
            self.strategy.experimental_local_results(self.strategy.run(step))[0])), 3)

    def test_datasets(self):
        dataset = tf.data.Dataset.from_tensor_slices(np.arange(6.0, dtype=np.float32)).batch(4)
        steps = []

        @tf.function
        def step(x):
            return self.strategy.run(lambda own: tf.reduce_sum(own), args=(x,))
        for batch in self.strategy.experimental_distribute_dataset(dataset):
            steps.append(float(self.strategy.reduce("SUM", step(batch), axis=None)))
        self.assertEqual(steps, [6, 9])

    def test_contexts(self):
        self.assertFalse(tf.distribute.has_strategy())
        self.assertEqual(tf.distribute.get_strategy().num_replicas_in_sync, 1)
        with self.strategy.scope():
            self.assertIs(tf.distribute.get_strategy(), self.strategy)
            self.assertTrue(tf.distribute.in_cross_replica_context())
            self.assertIsNone(tf.distribute.get_replica_context())
        with self.assertRaises(RuntimeError):
            self.strategy.run(lambda: self.strategy.run(lambda: 1.0))

    def test_errors_of_replicas_reach_the_caller(self):
        def step():
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            self.strategy.run(step)


class Datasets(unittest.TestCase):
    def values(self, dataset):
        return [np.asarray(one).tolist() for one in dataset.as_numpy_iterator()]

    def test_steps(self):
        d = tf.data.Dataset.range(10)
        self.assertEqual(self.values(d.filter(lambda x: x % 2 == 0).map(lambda x: x * x).batch(3)),
                         [[0, 4, 16], [36, 64]])
        self.assertEqual(self.values(d.skip(2).take(3).repeat(2)), [2, 3, 4, 2, 3, 4])
        self.assertEqual(self.values(d.window(3, drop_remainder=True).flat_map(lambda w: w.batch(3))),
                         [[0, 1, 2], [3, 4, 5], [6, 7, 8]])
        self.assertEqual(self.values(d.take(2).flat_map(
            lambda n: tf.data.Dataset.from_tensors(n).repeat(2))), [0, 0, 1, 1])
        self.assertEqual(int(d.reduce(np.int64(0), lambda a, b: a + b)), 45)
        self.assertEqual(len(d.batch(4)), 3)
        with self.assertRaises(TypeError):
            len(d.repeat())

    def test_structures(self):
        d = tf.data.Dataset.from_tensor_slices(({"a": [1, 2], "b": [[1.0], [2.0]]}, [0, 1]))
        self.assertEqual(repr(d.element_spec[0]["b"]),
                         "TensorSpec(shape=(1,), dtype=tf.float32, name=None)")
        features, label = next(iter(d.batch(2)))
        np.testing.assert_array_equal(features["a"], [1, 2])
        self.assertEqual(label.dtype, tf.int32)
        e = d.map(lambda f, y: (f["a"] + y, f["b"]))
        self.assertEqual([int(x) for x, _ in e], [1, 3])

    def test_generators(self):
        def numbers():
            yield 1, [1.0, 2.0]
            yield 2, [3.0]
        d = tf.data.Dataset.from_generator(numbers, output_signature=(
            tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32)))
        self.assertEqual([(int(a), b.numpy().tolist()) for a, b in d], [(1, [1, 2]), (2, [3])])
        bad = tf.data.Dataset.from_generator(lambda: iter([[1, 2]]), output_signature=tf.TensorSpec(
            [3], tf.int32))
        with self.assertRaisesRegex(ValueError, "shape"):
            list(bad)

    def test_orders_are_tensorflows(self):
        tf.random.set_seed(1)
        self.assertEqual(self.values(tf.data.Dataset.range(10).shuffle(10, seed=42)),
                         self.values(tf.data.Dataset.range(10).shuffle(10, seed=42)))


class RandomNumbers(unittest.TestCase):
    def test_bits(self):
        tf.random.set_seed(42)
        np.testing.assert_allclose(tf.random.normal((1, 5)).numpy()[0], [
            0.3274685, -0.8426258, 0.3194337, -1.4075519, -2.3880599], atol=1e-6)
        generator = tf.random.Generator.from_seed(1)
        state = generator.state.numpy().copy()
        generator.uniform([3])
        self.assertFalse((generator.state.numpy() == state).all())
        same = tf.random.stateless_uniform([2], seed=[1, 2])
        np.testing.assert_array_equal(same, tf.random.stateless_uniform([2], seed=[1, 2]))


class Clusters(unittest.TestCase):
    def test_resolvers(self):
        os.environ["TF_CONFIG"] = json.dumps({
            "cluster": {"worker": ["a:1", "b:2"], "ps": ["c:3"]}, "task": {"type": "worker", "index": 1}})
        try:
            resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
            self.assertEqual((resolver.task_type, resolver.task_id), ("worker", 1))
            self.assertEqual(resolver.cluster_spec().as_dict(), {"worker": ["a:1", "b:2"], "ps": ["c:3"]})
        finally:
            del os.environ["TF_CONFIG"]
        spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
        self.assertEqual(spec.task_address("worker", 1), "b:2")
        with self.assertRaises(ValueError):
            spec.num_tasks("ps")

    def test_a_partitioner_changes_no_bit(self):
        x = np.arange(60).reshape(20, 3) % 11
        y = (np.arange(20) % 4).astype(np.float32)

        class Scaled(tf.keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.shift = tf.keras.Variable(tf.zeros([6, 1]), name="shift")

            def build(self, shape):
                self.scale = self.add_weight((6, 1), initializer="ones", name="scale")

            def call(self, inputs):
                return tf.matmul(inputs, self.scale) + tf.matmul(inputs, self.shift)

        def train(strategy):
            tf.keras.utils.set_random_seed(2)
            with strategy.scope():
                model = tf.keras.Sequential([tf.keras.Input((3,), dtype="int32"), tf.keras.layers.Embedding(11, 4),
                                             tf.keras.layers.Flatten(), tf.keras.layers.Dense(6), Scaled()])
                model.compile("adam", "mse")
            history = model.fit(x, y, epochs=3, batch_size=8, verbose=0, shuffle=False).history
            return model, history["loss"], model.predict(x, verbose=0)
        _, loss, predictions = train(tf.distribute.OneDeviceStrategy())
        partitioners = tf.distribute.experimental.partitioners
        for partitioner, shards in [(partitioners.FixedShardsPartitioner(3), [4, 4, 3]),
                                    (partitioners.MinSizePartitioner(100, max_shards=4), [6, 5]),
                                    (partitioners.MaxSizePartitioner(80), [4, 4, 3])]:
            strategy = tf.distribute.ParameterServerStrategy(variable_partitioner=partitioner)
            model, own_loss, own_predictions = train(strategy)
            self.assertEqual(own_loss, loss)
            np.testing.assert_array_equal(own_predictions, predictions)
            table = model.layers[0].embeddings
            self.assertIsInstance(table, tf.distribute.coordinator.ShardedVariable)
            self.assertEqual([one.shape[0] for one in table.variables], shards)
            self.assertEqual(table.variables[1].name, "part_1")
            self.assertIn("/embeddings/part_1", table.variables[1].path)
            np.testing.assert_array_equal(tf.nn.embedding_lookup(table, [[10, 0]]), table.numpy()[[[10, 0]]])
            self.assertEqual(table.shape, (11, 4))
            self.assertEqual(sum(w.numpy().size for w in model.weights), 11 * 4 + 12 * 6 + 6 + 6 + 6)
        with strategy.scope():
            variable = tf.Variable(tf.ones([50, 2]), name="v")
        self.assertEqual([one.shape.as_list() for one in variable.variables], [[10, 2]] * 5)
        with tf.distribute.ParameterServerStrategy(variable_partitioner=lambda shape, dtype: [1, 2]).scope():
            with self.assertRaisesRegex(ValueError, "only supports 1D partitioning"):
                tf.Variable(tf.ones([4, 2]))

    def test_parameter_servers(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "'synchronous', 'bounded' or"):
            tf.distribute.ParameterServerStrategy(mode="sometimes")
        with self.assertRaisesRegex(TypeError, "must be a callable"):
            tf.distribute.experimental.ParameterServerStrategy(variable_partitioner=3)
        alone, = outcomes([""])
        self.assertEqual(alone[:2], ["synchronous, 0 servers", "worker 0"])
        ports = [f"127.0.0.1:{port}" for port in free_ports(3)]
        cluster = {"worker": ports[:2], "ps": ports[2:]}
        tasks = [("worker", 0), ("worker", 1), ("ps", 0)]
        configs = [json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})
                   for job, index in tasks]
        for (job, index), outcome in zip(tasks, outcomes(configs)):
            self.assertEqual(outcome[0], "synchronous, 1 servers")
            self.assertEqual(outcome[1], f"worker {index}" if job == "worker" else "server")
            self.assertEqual(outcome[2:], alone[2:], job)

    def test_a_resolver_that_the_program_makes_describes_the_job(self):
        ports = [f"127.0.0.1:{port}" for port in free_ports(3)]
        tasks = [("worker", 0), ("worker", 1), ("ps", 0)]
        for cluster, strategy in (({"worker": ports[:2]}, "MultiWorkerMirroredStrategy"),
                                  ({"worker": ports[:2], "ps": ports[2:]}, "ParameterServerStrategy")):
            configs = [json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})
                       for job, index in tasks if job in cluster]
            for printed in outcomes(configs, MADE.replace("STRATEGY", strategy)):
                self.assertEqual(printed, ["2 replicas: 3.0"] * 2)
        spec = tf.train.ClusterSpec({"worker": ports[:1]})
        for job, index, told in (("worker", 3, "`task_id` 3 exceeds the maximum id of worker"), ("ps", 0, "'ps' is not in")):
            with self.assertRaisesRegex(ValueError, told):
                tf.distribute.MultiWorkerMirroredStrategy(
                    tf.distribute.cluster_resolver.SimpleClusterResolver(spec, task_type=job, task_id=index))

    def test_workers_read_what_tensorflows_read(self):
        """The lists are what two tasks of TensorFlow 2.21 printed for the same program."""
        ports = [f"127.0.0.1:{port}" for port in free_ports(2)]
        configs = [json.dumps({"cluster": {"worker": ports}, "task": {"type": "worker", "index": index}}) for index in (0, 1)]
        first, second = outcomes(configs, READ)
        everything = "[([0, 1], 2), ([2, 3], 10), ([4, 5], 18), ([6, 7], 26), ([8, 9], 34)]"
        self.assertEqual(first, ["[([0, 2], 6), ([4, 6], 22)]", "[([0, 1], 2), ([2, 3], 10), ([4], 8)]",
                                 *["[([0, 1], 6), ([4, 5], 22), ([8], 17)]"] * 3, everything, "28",
                                 "('/job:worker/replica:0/task:0/device:CPU:0',) 6.0",
                                 "tf.Tensor(0.0, shape=(), dtype=float32) 1.0 -0.0 6.0"])
        self.assertEqual(second, ["[([1, 3], 6), ([5, 7], 22)]", "[([0, 1], 2), ([2, 3], 10), ([4], 8)]",
                                  *["[([2, 3], 6), ([6, 7], 22), ([9], 17)]"] * 3, everything, "28",
                                  "('/job:worker/replica:0/task:1/device:CPU:0',) 6.0",
                                  "tf.Tensor(2.0, shape=(), dtype=float32) 3.0 -4.0 6.0"])

    def test_workers_bring_values_of_their_own(self):
        """The lines are what two tasks of TensorFlow 2.21 printed for the same program."""
        ports = [f"127.0.0.1:{port}" for port in free_ports(2)]
        configs = [json.dumps({"cluster": {"worker": ports}, "task": {"type": "worker", "index": index}}) for index in (0, 1)]
        for index, printed in enumerate(outcomes(configs, OWN)):
            self.assertEqual(printed, [f"[{11.0 * index}]", "11.0 5.5", "11.0", "22.0", "[0.0, 1.0, 1.0]", f"{2.0 * index}", "1.0",
                                       "3.0 [[0], [1]]"])

    def test_workers_agree_on_where_they_are_preempted(self):
        ports = [f"127.0.0.1:{port}" for port in free_ports(2)]
        configs = [json.dumps({"cluster": {"worker": ports}, "task": {"type": "worker", "index": index}}) for index in (0, 1)]
        with tempfile.TemporaryDirectory() as folder:
            program = PREEMPTED.replace("FOLDER", repr(folder))
            for printed in outcomes(configs, program):
                self.assertEqual(printed, ["begins at 0", "ends at 3, 3.0"])
            self.assertEqual(sorted(os.listdir(folder)), ["checkpoint", "ckpt-1.data-00000-of-00001", "ckpt-1.index"])
            for printed in outcomes(configs, program):
                self.assertEqual(printed, ["begins at 3", "done: 6.0"])

    def test_policies_divide_as_in_tensorflow(self):
        strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])

        def parts(dataset):
            return [[one.numpy().tolist() for one in strategy.experimental_local_results(batch)]
                    for batch in strategy.experimental_distribute_dataset(dataset)]
        for rows, batch, wanted in ((4, 4, [[[0, 1], [2, 3], []]]), (1, 1, [[[0], [], []]]),
                                    (7, 4, [[[0, 1], [2, 3], []], [[4], [5], [6]]]), (0, 4, [])):
            self.assertEqual(parts(tf.data.Dataset.range(rows).batch(batch)), wanted)
        options = tf.data.Options()
        options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
        dataset = tf.data.Dataset.range(12)
        off = [[[0, 1], [2, 3], [4]], [[5, 6], [7, 8], [9]], [[10, 11], [], []]]
        self.assertEqual(parts(dataset.batch(5).with_options(options)), off)
        self.assertEqual(parts(dataset.with_options(options).batch(5).prefetch(1)), off)
        with self.assertRaisesRegex(ValueError, "needs the number of rows of a global batch"):
            parts(dataset.rebatch([5]).with_options(options))


# What tasks that know which they are make of it, and make again, as a notebook's cell may.
MADE = """
import json
import os
told = json.loads(os.environ.pop("TF_CONFIG"))
import lockstep as tf
made = []
for _ in range(2):
    strategy = tf.distribute.STRATEGY(tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(told["cluster"]), task_type=told["task"]["type"], task_id=told["task"]["index"]))
    own = strategy.experimental_distribute_values_from_function(lambda c: tf.constant(c.replica_id_in_sync_group + 1.0))
    print(strategy.num_replicas_in_sync, "replicas:", float(strategy.reduce("SUM", own, axis=None)))
    made.append(strategy)
"""

OWN = """
import json, os
import lockstep as tf
index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
s = tf.distribute.MultiWorkerMirroredStrategy()
v = s.experimental_distribute_values_from_function(lambda context: tf.constant(float(index + 10 * context.replica_id_in_sync_group)))
print([float(one) for one in s.experimental_local_results(v)])
print(float(s.reduce("SUM", v, axis=None)), float(s.reduce("MEAN", v, axis=None)))
print(float(s.run(lambda x: tf.distribute.get_replica_context().all_reduce("SUM", x), args=(v,))))
print(float(s.reduce("SUM", s.run(lambda x: x * 2, args=(v,)), axis=None)))
print(s.gather(s.experimental_distribute_values_from_function(lambda _: tf.fill([index + 1], float(index))), axis=0).numpy().tolist())
print(float(s.run(lambda: tf.constant(float(index)) + tf.cast(
    tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32))))
print(float(s.reduce("SUM", s.run(lambda: tf.constant(float(index))), axis=None)))
print(float(s.reduce("SUM", tf.constant(float(index + 1)), axis=None)), s.gather(tf.constant([[index]]), axis=0).numpy().tolist())
"""


# One task is told to end after its third step; the next run goes on from there.
PREEMPTED = """
import json, os, signal
import lockstep as tf
index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
def leave():
    print(f"ends at {handler.total_run_calls}, {variable.numpy()}", flush=True)
    os._exit(0)
with strategy.scope():
    variable = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
    handler = tf.distribute.experimental.PreemptionCheckpointHandler(
        strategy.cluster_resolver, tf.train.Checkpoint(v=variable), FOLDER,
        tf.distribute.experimental.TerminationConfig(exit_fn=leave))
@tf.function
def step():
    return strategy.run(lambda: variable.assign_add(1.0))
begin = handler.total_run_calls
print("begins at", begin)
for i in range(begin, 6):
    handler.run(step)
    if i == 2 and index == 1 and begin == 0:
        os.kill(os.getpid(), signal.SIGTERM)
print("done:", variable.numpy())
"""


# What each task reads, and what the replicas of both add up to.
READ = """
import lockstep as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
def tell(dataset):
    seen = []
    for batch in dataset:
        own, = strategy.experimental_local_results(batch)
        total = strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(batch,)), axis=None)
        seen.append((own.numpy().tolist(), int(total)))
    print(seen)
def sharded(context):
    return tf.data.Dataset.range(8).shard(context.num_input_pipelines, context.input_pipeline_id).batch(2)
tell(strategy.distribute_datasets_from_function(sharded))
tell(strategy.distribute_datasets_from_function(lambda context: tf.data.Dataset.range(5).batch(2)))
for name in ("default", "DATA", "AUTO", "OFF"):
    options = tf.data.Options()
    if name != "default":
        options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy[name]
    tell(strategy.experimental_distribute_dataset(tf.data.Dataset.range(10).batch(4).with_options(options)))
@tf.function
def whole(dataset):
    total = tf.constant(0, tf.int64)
    for batch in dataset:
        total += strategy.reduce("SUM", strategy.run(lambda x: tf.reduce_sum(x), args=(batch,)), axis=None)
    return total
print(int(whole(strategy.distribute_datasets_from_function(sharded))))
def slope():
    x = 2.0 + 2.0 * tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tf.distribute.get_replica_context().all_reduce("MEAN", tape.gradient(y, x))
print(strategy.extended.worker_devices, float(strategy.run(slope)))
own = strategy.run(lambda: 2.0 * tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32))
print(own, float(own + 1.0), (-own * 2).numpy(), float(strategy.run(tf.function(slope))))
"""


# What each task of the job trains, and tells of it.
SERVED = """
import hashlib
import numpy as np
import lockstep as tf
tf.random.set_seed(3)
strategy = tf.distribute.ParameterServerStrategy(replicas=2, devices=1)
x = np.sin(np.arange(50 * 12, dtype=np.float32)).reshape(50, 12)
y = (np.arange(50) % 4).astype(np.int32)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(400, activation="relu"), tf.keras.layers.Dense(4)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(x, y, batch_size=16, epochs=2, verbose=0)
print(f"{strategy.mode}, {strategy.num_servers} servers")
print("server" if strategy.is_server else f"worker {strategy._native.worker}")
print(history.history["loss"], model.evaluate(x, y, verbose=0))
print(hashlib.sha256(b"".join(weight.tobytes() for weight in model.get_weights())).hexdigest())
"""


def outcomes(configs, program=SERVED):
    """The lines that a program prints as each task of a job; "" for no job."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.py")  # a file, as loops in functions are traced from their source
        path.write_text(program)
        tasks = [subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, **({"TF_CONFIG": config} if config else {})})
                 for config in configs]
        for task in tasks:
            out, err = task.communicate(timeout=120)
            assert task.returncode == 0, err
            results.append(out.splitlines())
    return results


if __name__ == "__main__":
    unittest.main(verbosity=0)
