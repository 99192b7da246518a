import tensorflow as tf, numpy as np
x = np.ones([8, 3], 'float32'); y = np.array([0, 1] * 4)
m = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2, activation='softmax', kernel_initializer='zeros')])
m.compile('sgd', 'sparse_categorical_crossentropy', metrics=['sparse_top_k_categorical_accuracy', 'accuracy', tf.keras.metrics.SparseCategoricalCrossentropy(name='bce')])
h = m.fit(x, y, epochs=1, verbose=0, validation_data=(x, y))
print(list(h.history))
d = m.evaluate(x, y, verbose=0, return_dict=True); e = m.evaluate(x, y, verbose=0)
print([[k for k, v in d.items() if abs(v - w) < 1e-7] for w in e], list(d))
class M(tf.keras.Model):
    def __init__(self):
        super().__init__(); self.d = tf.keras.layers.Dense(1); self.t = tf.keras.metrics.Mean(name='zz'); self.a = tf.keras.metrics.Mean(name='aa')
    def call(self, x): return self.d(x)
    def train_step(self, data):
        self.t.update_state(2.0); self.a.update_state(1.0)
        return {'zz': self.t.result(), 'aa': self.a.result(), 'extra': 5.0}
    test_step = train_step
    @property
    def metrics(self): return [self.t, self.a]
m = M(); m.compile('sgd')
print(list(m.fit(x, y, verbose=0).history), [float(v) for v in m.evaluate(x, y, verbose=0)])
