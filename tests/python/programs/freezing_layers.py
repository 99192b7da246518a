"""What is trained: layers and models that are frozen and thawed, one inside of another."""
import numpy as np
import tensorflow as tf
K = tf.keras

def c(m):
    return (len(m.trainable_weights), len(m.non_trainable_weights), len(m.weights))
base = K.Sequential([K.Input((4,)), K.layers.Dense(3), K.layers.BatchNormalization(), K.layers.Dense(2)], name='base')
print(c(base))
base.trainable = False
print(c(base), [l.trainable for l in base.layers])
i = K.Input((4,))
o = K.layers.Dense(1)(base(i, training=False))
m = K.Model(i, o)
print(c(m), m.trainable)
m.trainable = True
print(c(m), base.trainable, [l.trainable for l in base.layers])
base.trainable = False
print(c(m), m.trainable)
m.trainable = False
print(c(m))
base.trainable = True
print(c(m), c(base))
m.trainable = True
print(c(m))
base.layers[0].trainable = False
print(c(m), c(base), base.trainable)
base.trainable = True
print(c(m))
for l in base.layers[:-1]:
    l.trainable = False
print(c(m))
m.compile('sgd', 'mse')
x = np.ones((8, 4), 'float32')
y = np.ones((8, 1), 'float32')
w = [a.copy() for a in m.get_weights()]
m.fit(x, y, verbose=0)
print([bool((a != b).any()) for a, b in zip(w, m.get_weights())])
base.trainable = False
m.compile('sgd', 'mse')
w = [a.copy() for a in m.get_weights()]
m.fit(x, y, verbose=0)
print([bool((a != b).any()) for a, b in zip(w, m.get_weights())])
m.summary()
fr = K.layers.Dense(2, trainable=False)
fr.build((None, 3))
print(c(fr))
fr.trainable = True
print(c(fr), fr.kernel.trainable)
fr.trainable = False
print(fr.kernel.trainable, c(fr))

class Blk(K.layers.Layer):

    def __init__(s):
        super().__init__()
        s.a = K.layers.Dense(2)
        s.b = K.layers.Dense(2)
        s.w = s.add_weight(shape=(2,), name='w')
        s.n = s.add_weight(shape=(2,), trainable=False, name='n')

    def call(s, x):
        return s.b(s.a(x)) + s.w
b = Blk()
b(np.ones((1, 3), 'float32'))
print(c(b))
b.a.trainable = False
print(c(b))
b.trainable = False
print(c(b))
b.trainable = True
print(c(b), b.a.trainable, b.n.trainable)

class Mod(K.Model):

    def __init__(s):
        super().__init__()
        s.f = Blk()
        s.h = K.layers.Dense(1)
        s.f.trainable = False

    def call(s, x):
        return s.h(s.f(x))
q = Mod()
q(np.ones((1, 3), 'float32'))
print(c(q))
q.trainable = True
print(c(q))
q.f.trainable = False
print(c(q))
bn = K.layers.BatchNormalization()
bn.build((None, 3))
print(c(bn))
bn.trainable = False
print(c(bn))
lst = K.Sequential([K.layers.LSTM(3), K.layers.Dense(1)])
lst.build((None, 4, 2))
print(c(lst))
lst.layers[0].trainable = False
print(c(lst))
lst.trainable = True
print(c(lst))
fz = K.Sequential([K.Input((3,)), K.layers.Dense(2)])
fz.trainable = False
out = K.Sequential([K.Input((3,)), fz, K.layers.Dense(1)])
print(c(out))
out.trainable = True
print(c(out))
bi = K.layers.Bidirectional(K.layers.GRU(2))
bi.build((None, 4, 2))
print(c(bi))
bi.trainable = False
print(c(bi), bi.forward_layer.trainable)
td = K.layers.TimeDistributed(K.layers.Dense(2))
td.build((None, 4, 2))
td.layer.trainable = False
print(c(td))
td.trainable = True
print(c(td))
d = K.layers.Dense(2)
d.trainable = False
mm = K.Sequential([K.Input((3,)), d])
mm.trainable = True
print(c(mm), d.trainable)
mm.compile('sgd', 'mse')
mm.trainable = False
try:
    mm.fit(np.ones((2, 3)), np.ones((2, 2)), verbose=0)
    print('fit ok', c(mm))
except Exception as e:
    print(type(e).__name__, str(e)[:150])
cl = K.models.clone_model(m)
print(c(cl), [l.trainable for l in cl.layers])
d = K.layers.Dense(2, trainable=False)
d.build((None, 3))
print(d.kernel.trainable)
d = K.layers.Dense(2)
d.build((None, 3))
d.trainable = False
print(d.kernel.trainable, d.bias.trainable)
d.kernel.trainable = True
print(len(d.trainable_weights))
d.trainable = True
print(d.kernel.trainable, d.bias.trainable)
d.kernel.trainable = False
print(len(d.trainable_weights), len(d.non_trainable_weights))
m = K.Sequential([K.Input((3,)), d])
print(len(m.trainable_weights))

class B(K.layers.Layer):

    def build(s, sh):
        s.w = s.add_weight(shape=(2,), name='w')
        s.n = s.add_weight(shape=(2,), trainable=False, name='n')

    def call(s, x):
        return x
b = B(trainable=False)
b.build((1,))
print(b.w.trainable, b.n.trainable)
b.trainable = True
print(b.w.trainable, b.n.trainable)
b = B()
b.trainable = False
b.build((1,))
print(b.w.trainable, len(b.trainable_weights))
m = K.Sequential([K.Input((3,)), b])
print(len(m.trainable_weights))

class P(K.Model):

    def __init__(s):
        super().__init__()
        s.b = B(trainable=False)
        s.d = K.layers.Dense(1)

    def call(s, x):
        return s.d(s.b(x))
p = P()
p(np.ones((1, 2), 'float32'))
print(len(p.trainable_weights), p.b.w.trainable)
p.trainable = False
p.trainable = True
print(len(p.trainable_weights), p.b.trainable)
e = K.layers.Embedding(3, 2)
e.trainable = False
e.build((None,))
print(e.embeddings.trainable)
l = K.layers.LSTM(2)
l.build((None, 3, 2))
l.trainable = False
print([w.trainable for w in l.weights], l.cell.trainable)
l.trainable = True
print([w.trainable for w in l.weights], l.cell.trainable)
l.cell.trainable = False
print([w.trainable for w in l.weights], len(l.trainable_weights), l.trainable)
bn = K.layers.BatchNormalization()
bn.build((None, 3))
bn.trainable = False
print([w.trainable for w in bn.weights])
bn.trainable = True
print([w.trainable for w in bn.weights])
bi = K.layers.Bidirectional(K.layers.GRU(2))
bi.build((None, 4, 2))
bi.trainable = False
print(len(bi.trainable_weights), len(bi.weights), bi.forward_layer.trainable)
bi.trainable = True
print(len(bi.trainable_weights), len(bi.weights))
td = K.layers.TimeDistributed(K.layers.Dense(2))
td.build((None, 4, 2))
print(len(td.weights))
td.layer.trainable = False
print(len(td.trainable_weights), len(td.weights))
