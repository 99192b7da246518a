import tensorflow as tf, numpy as np
K = tf.keras
tf.random.set_seed(1)
# metrics
for m, a, b in [(K.metrics.F1Score(average='macro', threshold=0.5), [[1., 0.], [1., 1.], [0., 1.]], [[.6, .2], [.4, .7], [.1, .9]]), (K.metrics.FBetaScore(beta=2.0, threshold=0.5), [[1., 0.], [1., 1.]], [[.6, .2], [.4, .7]]),
                (K.metrics.IoU(2, [0]), [0, 0, 1, 1], [0, 1, 0, 1]), (K.metrics.BinaryIoU([0, 1], 0.3), [0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7]), (K.metrics.MeanIoU(2), [0, 0, 1, 1], [0, 1, 0, 1]),
                (K.metrics.OneHotIoU(3, [0, 2]), np.eye(3)[[0, 1, 2]], [[.9, .1, 0], [.2, .5, .3], [.4, .5, .1]]), (K.metrics.OneHotMeanIoU(3), np.eye(3)[[0, 1, 2]], [[.9, .1, 0], [.2, .5, .3], [.4, .5, .1]]),
                (K.metrics.PrecisionAtRecall(0.5), [0, 0, 1, 1], [0, .5, .3, .9]), (K.metrics.RecallAtPrecision(0.8), [0, 0, 1, 1], [0, .5, .3, .9]), (K.metrics.SensitivityAtSpecificity(0.5), [0, 0, 1, 1], [0, .5, .3, .9]), (K.metrics.SpecificityAtSensitivity(0.5), [0, 0, 1, 1], [0, .5, .3, .9]),
                (K.metrics.R2Score(), [[1.], [2.], [3.]], [[1.1], [1.9], [3.2]]), (K.metrics.CosineSimilarity(), [[1., 2.]], [[2., 1.]]), (K.metrics.LogCoshError(), [1., 2.], [2., 2.5]), (K.metrics.Poisson(), [1., 2.], [2., 2.5]), (K.metrics.AUC(curve='PR'), [0, 0, 1, 1], [0, .5, .3, .9]), (K.metrics.TopKCategoricalAccuracy(2), np.eye(3)[[0, 1]], [[.1, .5, .4], [.2, .5, .3]]),
                (K.metrics.MeanAbsolutePercentageError(), [1., 2.], [2., 2.5]), (K.metrics.PearsonCorrelation(), [[1., 2., 3.]], [[1., 3., 2.]])]:
    m.update_state(np.asarray(a, 'float32') if not isinstance(a, list) else a, b)
    print(m.name, np.round(np.asarray(m.result()), 5).tolist())
for f in ['mse', 'mae', 'mape', 'msle', 'hinge', 'squared_hinge', 'kld', 'poisson', 'huber', 'cosine_similarity', 'categorical_hinge', 'binary_focal_crossentropy']:
    g = getattr(K.metrics, f, None) or getattr(K.losses, f); print(f, np.round(np.asarray(g(np.array([[1., 0.5]], 'float32'), np.array([[0.4, 0.7]], 'float32'))), 5).tolist(), np.round(np.asarray(K.losses.get(f)([[1., 0.5]], [[.4, .7]])), 5).tolist())
print(np.round(np.asarray(K.losses.CategoricalFocalCrossentropy()([[0., 1.]], [[.3, .7]])), 5), np.round(np.asarray(K.losses.Tversky()([[0., 1.]], [[.3, .7]])), 5), np.round(np.asarray(K.losses.Dice()([[0., 1.]], [[.3, .7]])), 5))
L = K.layers
x = np.random.RandomState(0).rand(2, 6, 4).astype('float32')
def show(l, *a, **k):
    o = l(*a, **k); o = o if isinstance(o, (list, tuple)) else [o]
    print(type(l).__name__, [tuple(v.shape) for v in o], len(l.weights), l.count_params())
