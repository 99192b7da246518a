import tensorflow as tf, numpy as np
tf.random.set_seed(3)
seen = []
class M(tf.keras.Model):
    def __init__(self):
        super().__init__(); self.d = tf.keras.layers.Dense(1, kernel_initializer='ones', use_bias=False); self.t = tf.keras.metrics.Mean(name='n')
    def call(self, x): return self.d(x)
    def train_step(self, data):
        x, y = data
        e = tf.random.normal(tf.shape(x), seed=5)
        self.t.update_state(tf.reduce_sum(e))
        tf.print(e, output_stream='file://noise.txt')
        return {'n': self.t.result()}
import os
if os.path.exists('noise.txt'): os.remove('noise.txt')
m = M(); m.compile('sgd')
h = m.fit(np.ones([5, 2], 'float32'), np.ones([5, 1], 'float32'), batch_size=2, epochs=2, verbose=0)
print([round(v, 5) for v in h.history['n']])
print(open('noise.txt').read())
