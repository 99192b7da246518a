import numpy as np
import tensorflow as tf

y_true = np.array([0, 1, 1, 0, 1, 0, 0, 1])
y_pred = np.array([0.1, 0.9, 0.4, 0.35, 0.8, 0.6, 0.2, 0.55])


def value(metric, *args, **kwargs):
    metric.update_state(*args, **kwargs)
    return np.round(np.asarray(metric.result()), 5).tolist()


M = tf.keras.metrics
print("BinaryIoU", value(M.BinaryIoU(target_class_ids=[0, 1], threshold=0.5), y_true, y_pred))
print("IoU", value(M.IoU(num_classes=2, target_class_ids=[0]), [0, 0, 1, 1], [0, 1, 0, 1]))
print("MeanIoU", value(M.MeanIoU(num_classes=3), [0, 1, 2, 1], [0, 2, 2, 1], sample_weight=[0.3, 0.3, 0.3, 0.1]))
print("OneHotIoU", value(M.OneHotIoU(num_classes=3, target_class_ids=[0, 2]),
                         [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]],
                         [[0.2, 0.3, 0.5], [0.1, 0.2, 0.7], [0.5, 0.3, 0.1], [0.1, 0.4, 0.5]]))
print("OneHotMeanIoU", value(M.OneHotMeanIoU(num_classes=3),
                             [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]],
                             [[0.2, 0.3, 0.5], [0.1, 0.2, 0.7], [0.5, 0.3, 0.1], [0.1, 0.4, 0.5]]))
print("PrecisionAtRecall", value(M.PrecisionAtRecall(0.5), y_true, y_pred))
print("RecallAtPrecision", value(M.RecallAtPrecision(0.8), y_true, y_pred))
print("SensitivityAtSpecificity", value(M.SensitivityAtSpecificity(0.5), y_true, y_pred))
print("SpecificityAtSensitivity", value(M.SpecificityAtSensitivity(0.5), y_true, y_pred))
print("FalsePositives", value(M.FalsePositives(thresholds=[0.3, 0.5]), y_true, y_pred))
print("TrueNegatives", value(M.TrueNegatives(), y_true, y_pred))
print("AUC", value(M.AUC(num_thresholds=50, curve="PR"), y_true, y_pred))
print("Precision", value(M.Precision(top_k=2, class_id=1), [[0, 1, 0], [0, 0, 1]], [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]]))
print("Recall", value(M.Recall(thresholds=[0.2, 0.7]), y_true, y_pred))
print("TopK", value(M.TopKCategoricalAccuracy(k=2), [[0, 0, 1], [0, 1, 0]], [[0.1, 0.9, 0.8], [0.05, 0.95, 0.0]]))
print("SparseTopK", value(M.SparseTopKCategoricalAccuracy(k=1), [2, 1], [[0.1, 0.9, 0.8], [0.05, 0.95, 0.0]]))
print("CosineSimilarity", value(M.CosineSimilarity(axis=1), [[0., 1.], [1., 1.]], [[1., 0.], [1., 1.]]))
print("LogCosh", value(M.LogCoshError(), [[0., 1.], [0., 0.]], [[1., 1.], [0., 0.]]))
print("Poisson", value(M.Poisson(), [[0., 1.], [0., 0.]], [[1., 1.], [0., 0.]]))
print("KLD", value(M.KLDivergence(), [[0., 1.], [0., 0.]], [[0.6, 0.4], [0.4, 0.6]]))
print("R2", value(M.R2Score(), [[1.], [4.], [3.]], [[2.], [4.], [4.]]))
print("F1", value(M.F1Score(threshold=0.5), [[1, 1, 1], [1, 0, 0], [1, 1, 0]], [[0.2, 0.6, 0.7], [0.2, 0.6, 0.6], [0.6, 0.8, 0.0]]))
print("FBeta", value(M.FBetaScore(beta=2.0, threshold=0.5, average="micro"), [[1, 1, 1], [1, 0, 0]], [[0.2, 0.6, 0.7], [0.2, 0.6, 0.6]]))
print("MeanRelative", value(M.MeanAbsolutePercentageError(), [[1., 2.]], [[1.5, 2.5]]))
print("RMSE", value(M.RootMeanSquaredError(), [[0., 1.], [0., 0.]], [[1., 1.], [0., 0.]], sample_weight=[1, 0]))
print("Hinge", value(M.CategoricalHinge(), [[0, 1], [0, 0]], [[0.6, 0.4], [0.4, 0.6]]))
m = M.MeanMetricWrapper(lambda a, b: tf.square(tf.cast(a, "float32") - tf.cast(b, "float32")), name="my")
print(m.name, value(m, [1, 2], [2, 4]))
m = M.Sum()
for i in range(4):
    m.update_state(i)
print(float(m.result()), m.name, [v.path for v in m.variables])
m.reset_state()
print(float(m.result()))
print(M.deserialize(M.serialize(M.Precision(thresholds=0.4, name="p"))).get_config())
print(M.get("AUC").__class__.__name__)
for bad in (lambda: M.PrecisionAtRecall(1.5), lambda: M.MeanIoU(), lambda: M.Precision(thresholds=[-1.0]),
            lambda: M.AUC(num_thresholds=1), lambda: M.get("nothing")):
    try:
        bad()
        print("no error")
    except (ValueError, TypeError) as e:
        print("TypeError" if isinstance(e, TypeError) else "ValueError")
