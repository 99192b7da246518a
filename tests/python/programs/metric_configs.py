import tensorflow as tf
import numpy as np
K = tf.keras
yt = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], "float32")
yp = np.array([[.7, .2, .1], [.3, .4, .3], [.5, .2, .3], [.1, .8, .1]], "float32")
bt, bp = np.array([0, 1, 1, 0, 1], "float32"), np.array([.2, .6, .4, .7, .9], "float32")
metrics = [K.metrics.F1Score(average="macro"), K.metrics.F1Score(threshold=0.4), K.metrics.FBetaScore(beta=2.0, average="weighted"),
           K.metrics.OneHotIoU(3, [0, 2]), K.metrics.OneHotMeanIoU(num_classes=3), K.metrics.CategoricalAccuracy(),
           K.metrics.TopKCategoricalAccuracy(k=2), K.metrics.CategoricalCrossentropy(label_smoothing=0.1),
           K.metrics.MeanMetricWrapper(K.losses.mae, name="wrapped")]
for m in metrics:
    c = m.get_config()
    m.update_state(yt, yp)
    if "fn" in c:
        print(list(c), np.round(m.result().numpy(), 4))
        continue
    again = type(m).from_config(c)
    again.update_state(yt, yp)
    print(type(m).__name__, c, np.round(m.result().numpy(), 4).tolist(), np.round(again.result().numpy(), 4).tolist())
for m in [K.metrics.PrecisionAtRecall(recall=0.5), K.metrics.RecallAtPrecision(precision=0.6, num_thresholds=50), K.metrics.SensitivityAtSpecificity(0.5, name="s"),
          K.metrics.SpecificityAtSensitivity(sensitivity=0.4), K.metrics.AUC(num_thresholds=20, curve="PR"), K.metrics.Precision(thresholds=0.5), K.metrics.Recall(top_k=2),
          K.metrics.BinaryAccuracy(threshold=0.6), K.metrics.TruePositives(thresholds=[0.3, 0.8]), K.metrics.BinaryCrossentropy(label_smoothing=0.1)]:
    c = m.get_config()
    m.update_state(bt, bp)
    again = type(m).from_config(c)
    again.update_state(bt, bp)
    print(type(m).__name__, c, np.round(m.result().numpy(), 4).tolist(), np.round(again.result().numpy(), 4).tolist())
for l in [K.losses.BinaryFocalCrossentropy(gamma=1.0), K.losses.CategoricalFocalCrossentropy(alpha=0.5), K.losses.Tversky(alpha=0.3), K.losses.SparseCategoricalCrossentropy(ignore_class=1),
          K.losses.CategoricalCrossentropy(label_smoothing=0.1, reduction="sum"), K.losses.MeanSquaredError(name="m"), K.losses.Dice()]:
    c = l.get_config()
    again = type(l).from_config(c)
    print(type(l).__name__, c, again.get_config() == c)
    print(K.losses.serialize(l)["class_name"], type(K.losses.deserialize(K.losses.serialize(l))).__name__)
for i in [K.initializers.VarianceScaling(2.0, "fan_avg", "uniform", seed=3), K.initializers.GlorotNormal(1), K.initializers.RandomNormal(stddev=0.1, seed=4), K.initializers.Orthogonal(gain=2.0, seed=1), K.initializers.Constant(3.0)]:
    c = i.get_config()
    again = type(i).from_config(c)
    print(type(i).__name__, c, again.get_config() == c, type(K.initializers.deserialize(K.initializers.serialize(i))).__name__, K.initializers.get({"class_name": type(i).__name__, "config": c}).get_config() == c)
for r in [K.regularizers.OrthogonalRegularizer(0.5, "columns"), K.regularizers.L1L2(0.25, 0.5), K.regularizers.L2(0.125)]:
    print(K.regularizers.serialize(r), K.regularizers.get(K.regularizers.serialize(r)).get_config())
try:
    K.metrics.PrecisionAtRecall(1.5)
except ValueError as e:
    print(e)
try:
    K.metrics.FBetaScore(beta=-1.0)
except ValueError as e:
    print(e)
try:
    K.metrics.F1Score(threshold=2)
except ValueError as e:
    print(e)
def gap(y_true, y_pred, scale=1.0):
    return scale * tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)
m = K.metrics.MeanMetricWrapper(gap, name="gap", scale=2.0)
m.update_state(yt, yp)
print(np.round(m.result().numpy(), 4), K.metrics.MeanMetricWrapper(gap).name)
