"""Steps of one's own drawn from a seed: what a replica does with variables, sums over replicas, loops and branches.

`train(seed, strategy)` gives all that such a program leaves behind as arrays by name: losses and outputs of each replica,
variables, metrics. What is drawn depends on the seed alone, never on the strategy."""
import random

import numpy as np

import lockstep as tf

keras = tf.keras
READ, AUTO = tf.VariableSynchronization.ON_READ, tf.VariableSynchronization.AUTO
AGGREGATIONS = tf.VariableAggregation


class Cells:
    """The variables that a step uses, made in the scope of a strategy."""

    def __init__(self, draw, seed, width):
        self.kernel = tf.Variable(tf.random.stateless_normal((width, width), [1, 2]) * 0.3, name="kernel")
        self.bias = tf.Variable(tf.zeros(width), name="bias")
        self.table = tf.Variable(tf.random.stateless_normal((9, width), [5, 6]), name="table")
        self.numbers = []
        for i in range(draw.randint(1, 4)):
            synchronization, aggregation = draw.choice(
                [(AUTO, AGGREGATIONS.SUM), (AUTO, AGGREGATIONS.MEAN), (AUTO, AGGREGATIONS.ONLY_FIRST_REPLICA),
                 (READ, AGGREGATIONS.SUM), (READ, AGGREGATIONS.MEAN), (READ, AGGREGATIONS.ONLY_FIRST_REPLICA)])
            self.numbers.append(tf.Variable(draw.choice([0.0, 1.0]), synchronization=synchronization, aggregation=aggregation,
                                            trainable=False, name=f"number{i}"))
        self.vector = tf.Variable(tf.zeros(width), aggregation=draw.choice([AGGREGATIONS.MEAN, AGGREGATIONS.SUM]),
                                  trainable=False, name="vector")
        self.count = tf.Variable(0, dtype=tf.int64, aggregation=AGGREGATIONS.SUM, trainable=False, name="count")
        self.generator = tf.random.Generator.from_seed(seed)
        self.mean = keras.metrics.Mean(name="mean")
        self.error = keras.metrics.RootMeanSquaredError(name="error")


class Parts:
    """What a step may do: each takes the replica's rows and gives rows of the same shape."""

    def __init__(self, cells, share, reduction, width):
        self.cells, self.share, self.reduction, self.width = cells, share, reduction, width
        self.number = cells.numbers[int(share * len(cells.numbers))]

    @property
    def replica(self):
        return tf.distribute.get_replica_context()

    def scaled(self, rows):
        return rows * (1.0 + self.share)

    def layer(self, rows):
        return tf.tanh(rows @ self.cells.kernel + self.cells.bias)

    def summed_over_replicas(self, rows):
        both = self.replica.all_reduce(self.reduction, [tf.reduce_sum(rows, 0), tf.reduce_sum(rows)])
        return rows + 0.1 * both[0] / (1.0 + tf.abs(both[1]))

    def gathered_over_replicas(self, rows):
        return rows + 0.01 * tf.reduce_sum(self.replica.all_gather(rows, 0), 0)

    def summed_in_a_branch(self, rows):
        total = self.replica.all_reduce(self.reduction, tf.reduce_sum(rows))
        if total > 0:
            rows = rows * 0.5 + 0.001 * self.replica.all_reduce("SUM", tf.reduce_sum(tf.abs(rows)))
        else:
            rows = rows * 2.0
        return rows

    def summed_in_a_loop(self, rows):
        step = tf.constant(0)
        while step < 3:
            rows = rows + 0.01 * self.replica.all_reduce(self.reduction, tf.reduce_sum(rows))
            step += 1
        return rows

    def merged(self, rows):
        def over_replicas(strategy, sums):
            return strategy.reduce(self.reduction, sums, axis=None) * 2.0
        total = self.replica.merge_call(over_replicas, args=(tf.stop_gradient(tf.reduce_sum(rows, 0)),))
        return rows + 0.01 * tf.stop_gradient(tf.reshape(tf.cast(total, tf.float32), [-1]))

    def adds_to_a_variable(self, rows):
        self.number.assign_add(tf.reduce_sum(rows) * 0.01)
        return rows

    def assigns_what_it_read(self, rows):
        place = tf.cast(self.replica.replica_id_in_sync_group, tf.float32)
        self.number.assign(tf.reduce_sum(rows) + self.number * 0.5 + place * 0.1)
        return rows + self.number * 0.01

    def subtracts_from_a_vector(self, rows):
        self.cells.vector.assign_sub(tf.reduce_sum(rows, 0) * 0.01)
        return rows + self.cells.vector * 0.1

    def counts(self, rows):
        self.cells.count.assign_add(tf.cast(tf.shape(rows)[0], tf.int64))
        return rows * (1.0 + 0.01 * tf.cast(self.cells.count, tf.float32))

    def measures(self, rows):
        self.cells.mean.update_state(tf.reduce_sum(rows))
        self.cells.error.update_state(rows, rows * 0.5)
        return rows

    def branch_by_replica(self, rows):
        if tf.reduce_sum(rows) > tf.cast(self.replica.replica_id_in_sync_group, tf.float32):
            rows = rows * 0.9
        else:
            rows = rows - 0.1
        return rows

    def branch_by_count(self, rows):
        count = tf.shape(rows)[0]
        return tf.cond(count > 1, lambda: rows / tf.cast(count, tf.float32), lambda: rows * 0.3)

    def loop_over_rows(self, rows):
        for number in tf.range(tf.shape(rows)[0]):
            rows = rows * 1.01 + tf.cast(number, tf.float32) * 0.001
        return rows

    def loop_that_breaks(self, rows):
        for _ in tf.range(5):
            if tf.reduce_sum(tf.abs(rows)) > 3.0:
                rows = rows * 0.7
            else:
                break
        return rows

    def scanned(self, rows):
        return tf.scan(lambda before, row: before * 0.5 + row, rows, initializer=tf.zeros(self.width))

    def mapped(self, rows):
        return tf.map_fn(lambda row: row * 2.0 - tf.reduce_mean(row), rows)

    def chosen(self, rows):
        return tf.where(rows > self.share, rows * 0.5, rows)

    def sorted(self, rows):
        return tf.sort(rows, axis=-1) + tf.math.top_k(rows, 1)[0] * 0.1

    def accumulated(self, rows):
        return tf.cumsum(rows, axis=0) * 0.5

    def looked_up(self, rows):
        return rows + 0.2 * tf.nn.embedding_lookup(self.cells.table, tf.cast(tf.abs(rows[:, 0]) * 5, tf.int32) % 9)

    def normalized(self, rows):
        return tf.math.l2_normalize(rows, -1)

    def noisy(self, rows):
        return rows + 0.1 * tf.random.normal(tf.shape(rows)) + 0.1 * tf.random.uniform(tf.shape(rows), seed=4)

    def dropped(self, rows):
        return tf.nn.dropout(rows, 0.3)

    def noisy_in_a_loop(self, rows):
        for _ in tf.range(2):
            rows = rows + 0.1 * tf.random.normal(tf.shape(rows))
        return rows

    def noise_of_a_generator(self, rows):
        return rows + 0.1 * self.cells.generator.normal(tf.shape(rows))


NAMES = sorted(name for name, value in vars(Parts).items() if callable(value) and not name.startswith("_"))


class Program:
    """A step over replicas, its data, and how often it runs."""

    def __init__(self, seed, strategy):
        draw = random.Random(seed)
        keras.backend.clear_session()
        keras.utils.set_random_seed(seed % 5 + 1)
        self.strategy = strategy
        self.width = draw.choice([1, 2, 3, 7, 16, 33])
        with strategy.scope():
            self.cells = Cells(draw, seed, self.width)
            self.optimizer = draw.choice([keras.optimizers.SGD(0.05, momentum=0.9), keras.optimizers.Adam(0.05),
                                          keras.optimizers.RMSprop(0.01, clipnorm=0.3),
                                          keras.optimizers.AdamW(0.05, global_clipnorm=0.5)])
            self.model = self.small_model(draw) if draw.random() < 0.5 else None
        self.parts = [getattr(Parts(self.cells, draw.random(), draw.choice(["SUM", "MEAN"]), self.width), draw.choice(NAMES))
                      for _ in range(draw.randint(1, 6))]
        self.batch, count = draw.choice([1, 2, 3, 5, 7, 8, 13, 16]), draw.choice([11, 16, 23, 31])
        count = 5 if self.batch == 1 else count
        self.loss = draw.choice([self.mean_of_replica, self.share_of_batch])
        self.clipped = draw.random() < 0.3
        self.kind = draw.choice([self.step_by_step, self.step_by_step, self.loop_in_the_function, self.next_in_the_function])
        numbers = np.random.RandomState(seed)
        x, y = (numbers.randn(count, self.width).astype("float32") for _ in range(2))
        self.data = tf.data.Dataset.from_tensor_slices((x, y))
        if draw.random() < 0.3:
            self.data = self.data.shuffle(7, seed=3)
        self.data = self.data.batch(self.batch, drop_remainder=draw.random() < 0.2 and self.batch <= count)
        if self.kind == self.next_in_the_function:  # which wants two batches
            self.data = self.data.repeat()

    def small_model(self, draw):
        x = keras.Input((self.width,))
        y = keras.layers.Dense(4, activation=draw.choice(["relu", "tanh"]))(x)
        if draw.random() < 0.5:
            y = keras.layers.BatchNormalization(synchronized=draw.random() < 0.5)(y)
        if draw.random() < 0.5:
            y = keras.layers.Dropout(0.3, seed=draw.choice([None, 2]))(y)
        return keras.Model(x, keras.layers.Dense(1)(y))

    def mean_of_replica(self, errors):
        return tf.reduce_sum(errors) / (1.0 + tf.cast(tf.shape(errors)[0], tf.float32))

    def share_of_batch(self, errors):
        return tf.nn.compute_average_loss(errors, global_batch_size=self.batch)

    def step(self, x, y):
        cells = self.cells
        variables = [cells.kernel, cells.bias, cells.table] + (self.model.trainable_variables if self.model else [])
        with tf.GradientTape() as tape:
            rows = x
            for part in self.parts:
                rows = part(rows)
            predicted = rows @ cells.kernel + cells.bias
            if self.model is not None:
                predicted = predicted + self.model(x, training=True)
            loss = self.loss(tf.reduce_mean(tf.square(predicted - y), -1)) + tf.reduce_sum(tf.square(cells.table)) * 1e-4
        found = [(gradient, variable) for gradient, variable in zip(tape.gradient(loss, variables), variables)
                 if gradient is not None]
        if self.clipped:
            bounded, _ = tf.clip_by_global_norm([tf.convert_to_tensor(gradient) for gradient, _ in found], 1.0)
            found = [(gradient, variable) for gradient, (_, variable) in zip(bounded, found)]
        self.optimizer.apply_gradients(found)
        return loss, predicted

    # How the steps are run; each fills `left`.

    def step_by_step(self, dataset, left):
        run = tf.function(lambda x, y: self.strategy.run(self.step, args=(x, y)))
        for number, (x, y) in enumerate(dataset):
            loss, predicted = run(x, y)
            left[f"loss {number}"] = np.asarray(self.strategy.reduce("SUM", loss, axis=None))
            left[f"predicted {number}"] = np.asarray(self.strategy.gather(predicted, axis=0))

    def loop_in_the_function(self, dataset, left):
        @tf.function
        def epoch(batches):
            total = tf.constant(0.0)
            for x, y in batches:
                loss, _ = self.strategy.run(self.step, args=(x, y))
                total += self.strategy.reduce("MEAN", loss, axis=None)
            return total
        left["total"] = np.asarray(epoch(dataset))

    def next_in_the_function(self, dataset, left):
        @tf.function
        def two_steps(iterator):
            total = tf.constant(0.0)
            for _ in tf.range(2):
                loss, _ = self.strategy.run(self.step, args=next(iterator))
                total += self.strategy.reduce("SUM", loss, axis=None)
            return total
        left["total"] = np.asarray(two_steps(iter(dataset)))

    def run(self):
        left = {}
        with self.strategy.scope():
            self.kind(self.strategy.experimental_distribute_dataset(self.data), left)
        cells = self.cells
        variables = [cells.kernel, cells.bias, cells.table, cells.vector, cells.count, *cells.numbers,
                     *self.optimizer.variables, *(self.model.weights if self.model else [])]
        for number, variable in enumerate(variables):
            left[f"variable {number} {getattr(variable, 'path', variable.name)}"] = np.asarray(variable.numpy())
        for metric in (cells.mean, cells.error):
            left[f"metric {metric.name}"] = np.asarray(metric.result())
        return left


def train(seed, strategy, callbacks=()):
    """All that the program of `seed` leaves behind under `strategy`: arrays by name. It calls no callback."""
    del callbacks
    return Program(seed, strategy).run()
