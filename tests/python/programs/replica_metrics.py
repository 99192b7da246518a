"""What a metric shows inside of a replica is that replica's own; outside, it is that of all of them."""
import numpy as np
import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
metrics = tf.keras.metrics


class Largest(metrics.Metric):
    def __init__(self, name="largest"):
        super().__init__(name=name)
        self.sum = self.add_weight(name="sum", initializer="zeros")
        self.rows = self.add_weight(name="rows", shape=(2,), initializer="zeros")

    def update_state(self, values, sample_weight=None):
        self.sum.assign_add(tf.reduce_sum(values))
        self.rows.assign(self.rows + tf.reduce_max(values, axis=0))

    def result(self):
        return self.sum + tf.reduce_sum(self.rows)


def show(what, values):
    shown = [[np.round(one.numpy(), 4).tolist() for one in strategy.experimental_local_results(value)] for value in values]
    print(what, *shown, sep="\n  ")


def figures(many):
    print("all:", [np.round(one.result().numpy(), 4).tolist() for one in many])


# Metrics of a value.
with strategy.scope():
    mean, total, mine = metrics.Mean(), metrics.Sum(), Largest()
    wrapped = metrics.MeanMetricWrapper(lambda y_true, y_pred: tf.abs(y_true - y_pred), name="off")


def of_values(x):
    mean.update_state(x)
    total.update_state(x, sample_weight=[1.0, 0.5])
    mine.update_state(x)
    wrapped.update_state(x, x * 2.0)
    return [mean.result(), total.result(), mine.result(), wrapped.result(), mean.total + 0.0, tf.identity(mine.rows),
            tf.convert_to_tensor(mean.count), mine.sum * 2.0]


x = tf.reshape(tf.range(8.0), [4, 2])
given = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(x).batch(4).repeat(2))
traced = tf.function(lambda one: strategy.run(of_values, (one,)))
for batch in given:
    show("traced", traced(batch))
    figures([mean, total, mine, wrapped])
for batch in given:
    show("eager", strategy.run(of_values, (batch,)))
    figures([mean, total, mine, wrapped])

# Reset outside, assigned outside, reset inside.
for one in (mean, total, mine, wrapped):
    one.reset_state()
show("after a reset", traced(next(iter(given))))
mean.total.assign(8.0)
mean.count.assign(4.0)
show("assigned outside", strategy.run(lambda: [mean.total + 0.0, mean.result()]))


def start():
    mean.reset_state()
    mine.reset_state()
    mean.update_state(tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.0)
    return [mean.total + 0.0, mine.rows + 1.0]


show("reset inside", strategy.run(start))
figures([mean, mine])

# Metrics of labels and predictions, with and without weights.
with strategy.scope():
    pairs = [metrics.MeanSquaredError(), metrics.RootMeanSquaredError(), metrics.MeanAbsoluteError(), metrics.CosineSimilarity(),
             metrics.LogCoshError(), metrics.Poisson(), metrics.KLDivergence(), metrics.Hinge(), metrics.BinaryCrossentropy(),
             metrics.MeanSquaredLogarithmicError(), metrics.CategoricalCrossentropy()]
    counted = [metrics.BinaryAccuracy(), metrics.TruePositives(), metrics.FalseNegatives(0.6), metrics.TrueNegatives(),
               metrics.FalsePositives(), metrics.Precision(), metrics.Recall([0.2, 0.7]), metrics.AUC(num_thresholds=7),
               metrics.AUC(num_thresholds=7, curve="PR"), metrics.Precision(top_k=1), metrics.F1Score(threshold=0.5)]
    labelled = [metrics.SparseCategoricalAccuracy(), metrics.SparseTopKCategoricalAccuracy(k=2),
                metrics.SparseCategoricalCrossentropy()]
    hot = [metrics.CategoricalAccuracy(), metrics.TopKCategoricalAccuracy(k=1), metrics.R2Score()]
    classes = [metrics.MeanIoU(num_classes=3), metrics.Accuracy()]
groups = (pairs, counted, labelled, hot, classes)
rng = np.random.RandomState(3)
size = 8
p = rng.uniform(0.05, 0.95, (size, 3)).astype("float32")
t = rng.uniform(0.05, 0.95, (size, 3)).astype("float32")
label = rng.randint(0, 3, (size,))
data = (t, p, (t > 0.5).astype("float32"), label, np.eye(3, dtype="float32")[label], rng.randint(0, 3, (size,)),
        np.linspace(0.5, 2.0, size).astype("float32"))


def of_pairs(t, p, truth, label, hot_label, guess, weight, weighted):
    weight = weight if weighted else None
    for many, y_true, y_pred in zip(groups, (t, truth, label, hot_label, label), (p, p, p, p, guess)):
        for one in many:
            one.update_state(y_true, y_pred, sample_weight=weight)
    return [one.result() for many in groups for one in many]


batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(data).batch(4))
step = tf.function(lambda batch, weighted: strategy.run(of_pairs, (*batch, weighted)))
for batch in batches:
    for weighted in (False, True):
        show(f"weighted: {weighted}", step(batch, weighted))
        figures([one for many in groups for one in many])


# A train step of one's own under `fit`.
class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.seen = metrics.Mean(name="seen")

    def call(self, x):
        return self.dense(x)

    @property
    def metrics(self):
        return [self.seen]

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x) - y))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        self.seen.update_state(loss)
        return {"seen": self.seen.result()}


with strategy.scope():
    model = Model()
    model.compile(optimizer=tf.keras.optimizers.SGD(0.01))
history = model.fit(x, tf.ones([4, 1]), batch_size=2, epochs=2, shuffle=False, verbose=0)
print({key: np.round(value, 4).tolist() for key, value in history.history.items()})
