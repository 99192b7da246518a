# Variables of TensorFlow's and of Keras's in layers and models: only the latter are weights.
import os, tempfile
import numpy as np
import tensorflow as tf
K = tf.keras
class M(K.Model):
    def __init__(self):
        super().__init__(); self.v = tf.Variable(2.0); self.d = K.layers.Dense(1, kernel_initializer="ones"); self.calls = tf.Variable(0, trainable=False); self.k = K.Variable(3.0, name="k")
    def call(self, x): self.calls.assign_add(1); return self.d(x) * self.v * self.k
m = M(); m(tf.ones((1, 2))); print(len(m.weights), len(m.trainable_variables), len(m.variables), [w.name for w in m.weights], m.count_params())
class L(K.layers.Layer):
    def __init__(self): super().__init__(); self.v = tf.Variable([1.0, 2.0], name="mine"); self.w = self.add_weight(shape=(2,), initializer="ones", name="w"); self.same = self.w
    def call(self, x): return x * self.v * self.w
l = L(); l(tf.ones((1, 2))); print(len(l.weights), [w.path for w in l.trainable_variables])
m.compile(K.optimizers.SGD(0.01), "mse"); x = np.ones((4, 2), "float32"); before = m.calls.numpy()
m.fit(x, np.zeros((4, 1), "float32"), epochs=2, batch_size=2, verbose=0)
print(m.v.numpy(), m.calls.numpy() - before, np.round(m.k.numpy(), 3), np.round(m.d.kernel.numpy().ravel(), 3), m.optimizer.iterations.numpy())
d = tempfile.mkdtemp(); p = tf.train.Checkpoint(m=m).save(os.path.join(d, "c")); names = [n.split("/.ATTR")[0] for n, _ in tf.train.list_variables(p)]; print([n for n in ("m/v", "m/calls", "m/k", "m/d/_kernel") if n in names])
m.v.assign(7.0); m.calls.assign(99); tf.train.Checkpoint(m=m).restore(p); print(m.v.numpy(), m.calls.numpy())
m.save_weights(os.path.join(d, "w.weights.h5")); m.v.assign(5.0); m.d.kernel.assign(m.d.kernel * 0); m.load_weights(os.path.join(d, "w.weights.h5")); print(m.v.numpy(), np.round(m.d.kernel.numpy().ravel(), 3))
with tf.GradientTape() as tape: y = tf.reduce_sum(m(x))
print(len(tape.watched_variables()), [g is None for g in tape.gradient(y, [m.v, m.d.kernel])])
