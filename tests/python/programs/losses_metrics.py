import tensorflow as tf
import numpy as np
keras = tf.keras
yt = tf.constant([[0., 1.], [1., 0.]]); yp = tf.constant([[.6, .4], [.4, .6]])
for n in ["MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "BinaryCrossentropy", "CategoricalCrossentropy", "KLDivergence", "Poisson", "CosineSimilarity", "Hinge", "SquaredHinge", "CategoricalHinge", "Huber", "LogCosh", "BinaryFocalCrossentropy", "CategoricalFocalCrossentropy", "Tversky", "Dice"]:
    L = getattr(keras.losses, n); print(n, round(float(L()(yt, yp)), 5), L(reduction="sum")(yt, yp).numpy().round(4), L(reduction=None)(yt, yp).numpy().round(4).tolist(), round(float(L()(yt, yp, sample_weight=[1., 0.])), 5))
print(keras.losses.SparseCategoricalCrossentropy()(tf.constant([1, 2]), tf.constant([[.05, .95, 0], [.1, .8, .1]])).numpy().round(4), keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")(tf.constant([1, 2]), tf.constant([[.05, .95, 0], [.1, .8, .1]])).numpy().round(4))
class MyLoss(keras.losses.Loss):
    def __init__(self, factor=2., name="my"): super().__init__(name=name); self.factor = factor
    def call(self, y_true, y_pred): return tf.reduce_mean(tf.square(y_pred - y_true), -1) * self.factor
print(MyLoss()(yt, yp), MyLoss().name, MyLoss().reduction)
for n, a in [("Accuracy", ([1, 2, 3], [1, 2, 4])), ("BinaryAccuracy", ([1., 0., 1.], [.9, .2, .3])), ("CategoricalAccuracy", (yt, yp)), ("SparseCategoricalAccuracy", ([1, 0], yp)), ("TopKCategoricalAccuracy", (yt, yp)), ("SparseTopKCategoricalAccuracy", ([1, 0], yp)), ("AUC", ([0., 0., 1., 1.], [.1, .5, .3, .9])), ("Precision", ([0, 1, 1, 1], [1, 0, 1, 1])), ("Recall", ([0, 1, 1, 1], [1, 0, 1, 1])), ("TruePositives", ([0, 1, 1], [1, 1, 1])), ("FalsePositives", ([0, 1, 1], [1, 1, 1])), ("TrueNegatives", ([0, 1, 1], [0, 1, 1])), ("FalseNegatives", ([0, 1, 1], [0, 0, 1])), ("MeanSquaredError", (yt, yp)), ("RootMeanSquaredError", (yt, yp)), ("MeanAbsoluteError", (yt, yp)), ("MeanAbsolutePercentageError", (yt, yp)), ("CosineSimilarity", (yt, yp)), ("KLDivergence", (yt, yp)), ("Poisson", (yt, yp)), ("LogCoshError", (yt, yp)), ("Hinge", (yt, yp)), ("BinaryCrossentropy", (yt, yp)), ("CategoricalCrossentropy", (yt, yp)), ("SparseCategoricalCrossentropy", ([1, 0], yp)), ("R2Score", (yt, yp)), ("F1Score", (yt, yp))]:
    m = getattr(keras.metrics, n)(); m.update_state(*[tf.convert_to_tensor(x) for x in a]); print(n, np.round(m.result().numpy(), 4), m.name); m.reset_state()
m = keras.metrics.Mean(); m.update_state([1., 3.]); m(5.); print(m.result(), m.variables if False else len(m.variables)); m.update_state(10., sample_weight=0.); print(float(m.result()))
s = keras.metrics.Sum(); s([1, 2, 3]); print(s.result().numpy()); mi = keras.metrics.MeanIoU(num_classes=2); mi.update_state([0, 0, 1, 1], [0, 1, 0, 1]); print(mi.result().numpy()); mt = keras.metrics.MeanMetricWrapper(lambda a, b: tf.abs(tf.convert_to_tensor(a) - b), name="w"); mt.update_state([1.], [3.]); print(mt.result().numpy())
p = keras.metrics.Precision(thresholds=[.3, .7]); p.update_state([0, 1, 1], [.5, .6, .9]); print(p.result().numpy()); print(keras.metrics.PrecisionAtRecall(.5)([0, 0, 1, 1], [0, .5, .3, .9]).numpy(), keras.metrics.SensitivityAtSpecificity(.5)([0, 0, 1, 1], [0, .5, .3, .9]).numpy())
class BTP(keras.metrics.Metric):
    def __init__(self, name="btp", **k): super().__init__(name=name, **k); self.tp = self.add_weight(name="tp", initializer="zeros")
    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = tf.cast(y_true, tf.bool); y_pred = tf.cast(y_pred, tf.bool); v = tf.cast(tf.logical_and(y_true, y_pred), self.dtype); self.tp.assign_add(tf.reduce_sum(v))
    def result(self): return self.tp
b = BTP(); b.update_state([1, 0, 1], [1, 1, 1]); print(b.result().numpy(), b.name); b.reset_state(); print(float(b.result()))
cp = keras.losses.MeanSquaredError(); print(cp.get_config() if hasattr(cp, "get_config") else "")
for n in ["relu", "sigmoid", "tanh", "softmax", "softplus", "softsign", "elu", "selu", "gelu", "swish", "exponential", "linear", "hard_sigmoid", "relu6", "silu", "leaky_relu", "mish", "log_softmax"]: print(n, getattr(keras.activations, n)(tf.constant([[-1., .5, 3.]])).numpy().round(4).tolist())
print(keras.regularizers.L1L2(.1, .2)(tf.constant([1., -2.])).numpy(), keras.regularizers.l2(.01)(tf.ones([2, 2])).numpy(), keras.regularizers.get("l1")(tf.ones([2])).numpy(), keras.regularizers.L2(.5).get_config())
print(keras.constraints.MaxNorm(1.)(tf.constant([[3.], [4.]])).numpy().ravel(), keras.constraints.NonNeg()(tf.constant([-1., 2.])).numpy())
