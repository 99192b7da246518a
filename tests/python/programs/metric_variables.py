"""The variables of metrics: names, shapes, attributes, and what assigning to them and a reset do."""
import tensorflow as tf

metrics = tf.keras.metrics
KINDS = ("Mean", "Sum", "Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "SparseCategoricalAccuracy", "TopKCategoricalAccuracy",
         "TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives", "Precision", "Recall", "AUC", "MeanSquaredError",
         "RootMeanSquaredError", "CosineSimilarity", "LogCoshError", "KLDivergence", "BinaryCrossentropy")
for kind in KINDS:
    metric = getattr(metrics, kind)(name="own")
    print(kind, [(one.name, one.path, tuple(one.shape), one.dtype) for one in metric.variables],
          [name for name in ("total", "count", "accumulator", "true_positives", "false_positives", "false_negatives")
           if hasattr(metric, name)])
mean = metrics.SparseCategoricalAccuracy()
mean.update_state([0, 1, 1], [[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])
print(mean.total.numpy(), mean.count.numpy(), round(float(mean.result()), 4), len(mean.variables))
mean.total.assign(3.0)
mean.count.assign_add(1.0)
print(float(mean.result()), mean.total.numpy())
mean.reset_state()
print(float(mean.total.numpy()), float(mean.result()))
print(metrics.MeanIoU(num_classes=3).total_cm.shape)
try:
    mean.other
except AttributeError as error:
    print(error)


class Least(metrics.Metric):
    """A reset gives zeros, whatever a variable began with."""

    def __init__(self):
        super().__init__(name="least")
        self.least = self.add_weight(name="value", initializer=tf.keras.initializers.Constant(9.0))
        self.rows = self.add_variable(shape=(2,), initializer="ones", name="rows")

    def update_state(self, values, sample_weight=None):
        self.least.assign(tf.minimum(self.least, tf.reduce_min(values)))

    def result(self):
        return {"least": self.least + 0.0, "rows": tf.reduce_sum(self.rows)}


least = Least()
print({key: float(one) for key, one in least.result().items()})
least.update_state([4.0, 5.0])
print({key: float(one) for key, one in least.result().items()})
least.reset_state()
print({key: float(one) for key, one in least.result().items()}, [one.path for one in least.variables])
