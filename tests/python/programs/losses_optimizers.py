import tensorflow as tf
import numpy as np
K = tf.keras
t = np.array([[0., 1., 0.], [0., 0., 1.]]); p = np.array([[0.05, 0.95, 0.], [0.1, 0.8, 0.1]])
for n in ("CategoricalCrossentropy", "MeanSquaredError", "MeanAbsoluteError", "MeanSquaredLogarithmicError", "KLDivergence", "Poisson", "CosineSimilarity", "LogCosh", "Hinge", "SquaredHinge", "CategoricalHinge", "BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalFocalCrossentropy", "Dice", "Tversky"):
    l = getattr(K.losses, n)(); print(n, "%.4f" % float(l(t, p)), l.name)
print(K.losses.MeanSquaredError(reduction="sum")(t, p).numpy().round(4), K.losses.MeanSquaredError(reduction=None)(t, p).numpy().round(4), K.losses.MeanSquaredError()(t, p, sample_weight=[0.7, 0.3]).numpy().round(4))
M = K.metrics
for n, a in (("Accuracy", ([1, 2, 3], [1, 2, 4])), ("BinaryAccuracy", ([1, 1, 0], [0.9, 0.2, 0.3])), ("Precision", ([0, 1, 1, 1], [1, 0, 1, 1])), ("Recall", ([0, 1, 1, 1], [1, 0, 1, 1])), ("AUC", ([0, 0, 1, 1], [0., 0.5, 0.3, 0.9])), ("TruePositives", ([0, 1, 1, 1], [1, 0, 1, 1])), ("MeanSquaredError", ([0., 1.], [1., 1.])), ("RootMeanSquaredError", ([0., 1.], [1., 1.])), ("CosineSimilarity", ([[0., 1.]], [[1., 1.]])), ("LogCoshError", ([0., 1.], [1., 1.])), ("Poisson", ([0., 1.], [1., 1.])), ("R2Score", ([[1.], [4.]], [[2.], [4.]])), ("TopKCategoricalAccuracy", ([[0, 0, 1], [0, 1, 0]], [[0.1, 0.9, 0.8], [0.05, 0.95, 0]])), ("Hinge", ([0., 1.], [0.6, 0.4]))):
    m = getattr(M, n)(); m.update_state(*a); print(n, np.round(float(m.result()), 4), m.name); m.reset_state()
f1 = M.F1Score(threshold=0.5); f1.update_state(np.array([[1, 1, 1], [1, 0, 0], [1, 1, 0]]), np.array([[0.2, 0.6, 0.7], [0.2, 0.6, 0.6], [0.6, 0.8, 0.0]])); print(f1.result().numpy().round(4))
iou = M.MeanIoU(num_classes=2); iou.update_state([0, 0, 1, 1], [0, 1, 0, 1]); print(float(iou.result()))
s = M.SensitivityAtSpecificity(0.5); s.update_state([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8]); print(float(s.result()))
class Custom(M.Metric):
    def __init__(self, name="tp", **kw): super().__init__(name=name, **kw); self.tp = self.add_weight(name="tp", initializer="zeros")
    def update_state(self, y, q, sample_weight=None): self.tp.assign_add(tf.reduce_sum(tf.cast(tf.logical_and(tf.equal(y, 1), tf.equal(tf.argmax(q, 1), 1)), tf.float32)))
    def result(self): return self.tp
c = Custom(); c.update_state([1, 0, 1], [[0., 1.], [1., 0.], [1., 0.]]); print(float(c.result()), c.name, repr(c)); c.reset_state(); print(float(c.result()))
O = K.optimizers
for n in ("SGD", "RMSprop", "Adam", "AdamW", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl", "Lion", "Lamb"):
    o = getattr(O, n)(0.1); v = tf.Variable([1.0, 2.0]); [o.apply_gradients([(tf.constant([0.5, -1.0]), v)]) for _ in range(3)]; print(n, v.numpy().round(4), int(o.iterations), o.name, len(o.variables))
S = O.schedules
for s in (S.ExponentialDecay(0.1, 10, 0.9), S.ExponentialDecay(0.1, 10, 0.9, staircase=True), S.PolynomialDecay(0.1, 10, 0.01, power=2.0), S.PiecewiseConstantDecay([3, 6], [1.0, 0.5, 0.1]), S.CosineDecay(0.1, 10, alpha=0.1), S.CosineDecay(0.0, 10, warmup_target=0.1, warmup_steps=4), S.CosineDecayRestarts(0.1, 5), S.InverseTimeDecay(0.1, 5, 0.5)): print([round(float(s(k)), 5) for k in (0, 2, 5, 8, 12)], type(s).__name__)
opt = O.Adam(S.ExponentialDecay(0.1, 2, 0.5)); v = tf.Variable(1.0); [opt.apply_gradients([(tf.constant(1.0), v)]) for _ in range(4)]; print(v.numpy().round(4), float(opt.learning_rate)); print(O.get("adam").name, O.serialize(O.SGD(0.2))["config"]["learning_rate"], O.SGD(0.1, momentum=0.9, nesterov=True, clipnorm=1.0).get_config()["clipnorm"])
g = O.SGD(1.0, clipvalue=0.5); v = tf.Variable([1., 1.]); g.apply_gradients([(tf.constant([3., -3.]), v)]); print(v.numpy()); g.learning_rate = 0.1; print(float(g.learning_rate)); g.learning_rate.assign(0.2); print(float(g.learning_rate))
e = O.SGD(1.0, use_ema=True, ema_momentum=0.5); v = tf.Variable(1.0); e.apply_gradients([(tf.constant(0.5), v)]); e.finalize_variable_values([v]); print(v.numpy()); wd = O.SGD(0.1, weight_decay=0.1); v = tf.Variable(1.0); wd.apply_gradients([(tf.constant(0.), v)]); print(v.numpy())
C = K.constraints; print(C.MaxNorm(1.0)(tf.constant([[3.], [4.]])).numpy().round(3), C.NonNeg()(tf.constant([-1., 1.])).numpy(), C.UnitNorm()(tf.constant([[3.], [4.]])).numpy().round(3), C.MinMaxNorm(0.5, 1.0)(tf.constant([[3.], [4.]])).numpy().round(3))
