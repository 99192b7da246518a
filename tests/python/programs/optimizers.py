import tensorflow as tf
import numpy as np
keras = tf.keras
for n, k in [("SGD", {}), ("SGD", dict(momentum=.9, nesterov=True)), ("Adam", {}), ("Adam", dict(amsgrad=True)), ("AdamW", dict(weight_decay=.01)), ("RMSprop", {}), ("RMSprop", dict(centered=True, momentum=.5)), ("Adagrad", {}), ("Adadelta", {}), ("Adamax", {}), ("Nadam", {}), ("Ftrl", {}), ("Lion", {}), ("LossScaleOptimizer", None), ("Lamb", {}), ("Muon", None)]:
    if k is None or not hasattr(keras.optimizers, n): print(n, hasattr(keras.optimizers, n)); continue
    v = tf.Variable([1.0, -2.0], name="v"); opt = getattr(keras.optimizers, n)(learning_rate=0.1, **k)
    for _ in range(3):
        with tf.GradientTape() as t: loss = tf.reduce_sum(v ** 2)
        opt.apply_gradients([(t.gradient(loss, v), v)])
    print(n, k, v.numpy().round(5), int(opt.iterations), [x.name for x in opt.variables])
opt = keras.optimizers.Adam(1e-3, clipnorm=1.); print(sorted(opt.get_config())); o2 = keras.optimizers.Adam.from_config(opt.get_config()); print(o2.clipnorm, o2.name)
print(keras.optimizers.get("sgd").__class__.__name__, keras.optimizers.get({"class_name": "Adam", "config": {"learning_rate": .5}}).learning_rate.numpy() if True else "")
S = keras.optimizers.schedules
for s in [S.ExponentialDecay(.1, 10, .96), S.ExponentialDecay(.1, 10, .5, staircase=True), S.PiecewiseConstantDecay([5, 10], [1., .5, .1]), S.PolynomialDecay(.1, 10, .01, power=.5), S.PolynomialDecay(.1, 10, .01, cycle=True), S.InverseTimeDecay(.1, 1., .5), S.CosineDecay(.1, 20), S.CosineDecay(0., 20, warmup_target=.1, warmup_steps=5), S.CosineDecayRestarts(.1, 5)]:
    print(s.__class__.__name__, [round(float(s(i)), 5) for i in (0, 3, 7, 12, 25)])
class My(S.LearningRateSchedule):
    def __init__(self, d): self.d = tf.cast(d, tf.float32)
    def __call__(self, step): step = tf.cast(step, tf.float32); return tf.math.rsqrt(self.d) * tf.math.minimum(tf.math.rsqrt(step + 1), step * 4000 ** -1.5)
v = tf.Variable(1.); o = keras.optimizers.Adam(My(128), beta_1=.9, beta_2=.98, epsilon=1e-9)
for _ in range(2): o.apply_gradients([(tf.constant(1.), v)])
print(o.learning_rate, v.numpy())
o = keras.optimizers.SGD(S.ExponentialDecay(1., 1, .5)); v = tf.Variable(10.)
for _ in range(3): o.apply_gradients([(tf.constant(1.), v)]); print(v.numpy(), float(o.learning_rate))
o = keras.optimizers.SGD(.1); v = tf.Variable(3.); o.build([v]); o.learning_rate.assign(.5); o.apply([tf.constant(2.)], [v]); print(v.numpy()); 
o = keras.optimizers.SGD(1., global_clipnorm=1.); a, b = tf.Variable([0., 0.]), tf.Variable([0.]); o.apply_gradients(zip([tf.constant([3., 0.]), tf.constant([4.])], [a, b])); print(a.numpy(), b.numpy())
o = keras.optimizers.SGD(1., clipvalue=.5); a = tf.Variable([0., 0.]); o.apply_gradients([(tf.constant([3., -.1]), a)]); print(a.numpy())
o = keras.optimizers.Adam(use_ema=True, ema_momentum=.5); a = tf.Variable([1.]); o.apply_gradients([(tf.constant([1.]), a)]); o.finalize_variable_values([a]); print(a.numpy())
emb = tf.Variable(tf.ones([4, 2])); o = keras.optimizers.Adam(.1)
with tf.GradientTape() as t: l = tf.reduce_sum(tf.nn.embedding_lookup(emb, [1, 1, 3]))
o.apply_gradients([(t.gradient(l, emb), emb)]); print(emb.numpy().round(4))
try: keras.optimizers.SGD().apply_gradients([(None, tf.Variable(1.))])
except ValueError as e: print(str(e)[:40])
try: o.apply_gradients([(tf.constant(1.), tf.Variable(1.))])
except (ValueError, KeyError) as e: print(type(e).__name__, str(e)[:50])
try: keras.optimizers.SGD(lr=.1)
except Exception as e: print(type(e).__name__, str(e)[:70])
tf1 = tf.compat.v1.train.GradientDescentOptimizer(.1); v = tf.Variable(2.); tf1.minimize(lambda: v * v, var_list=[v]); print(v.numpy()); gv = tf.compat.v1.train.AdamOptimizer(.1).compute_gradients(lambda: v * 3., [v]); print(gv[0][0].numpy())
