import tensorflow as tf, numpy as np
K = tf.keras
class F(K.Model):
    def __init__(self):
        super().__init__(); self.d = K.layers.Dense(3)
    def call(self, x): return self.d(x)
def show(m): print([v.path for v in m.weights], [v.path for v in m.optimizer.variables])
m = F(); m.compile("adam", "mse"); m.fit(np.ones((6, 3)), np.ones((6, 3)), verbose=0); show(m)
class G(F):
    def train_step(self, d): return super().train_step(d)
m = G(); m.compile("adam", "mse"); m.fit(np.ones((6, 3)), np.ones((6, 3)), verbose=0); show(m)
m = K.Sequential([K.layers.Dense(2)], name="q"); m.compile("adam", "mse"); m.fit(np.ones((6, 3)), np.ones((6, 2)), verbose=0); show(m)
m = K.Sequential([K.Input((3,)), K.layers.Dense(2)], name="q"); m.compile(K.optimizers.SGD(momentum=.9), "mse"); m.fit(np.ones((6, 3)), np.ones((6, 2)), verbose=0); show(m)
m = F(); m(np.ones((2, 3))); o = K.optimizers.RMSprop(); o.build(m.trainable_variables); print([v.path for v in o.variables])
i = K.Input((3,)); m = K.Model(i, K.layers.Dense(2, name="z")(i), name="ff"); m.compile("adam", "mse"); m.fit(np.ones((6, 3)), np.ones((6, 2)), verbose=0); show(m)
v = tf.Variable([1.], name="raw"); w = K.Variable([2.], name="kv"); o = K.optimizers.Adam(); o.apply_gradients([([1.], v)]) if False else None
o = K.optimizers.Adam(); o.build([w]); print([x.path for x in o.variables])
o = K.optimizers.Adam(name="my"); o.apply_gradients([(tf.constant([1.]), v)]); print([x.path for x in o.variables], [x.name for x in o.variables])
