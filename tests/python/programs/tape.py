import tensorflow as tf
import numpy as np
x = tf.Variable(3.0)
with tf.GradientTape() as tape: y = x**2
print(tape.gradient(y, x).numpy())
w = tf.Variable([[0.5, -0.2], [0.1, 0.3], [1., 2.]], name='w'); b = tf.Variable(tf.zeros(2, dtype=tf.float32), name='b')
x = [[1., 2., 3.]]
with tf.GradientTape(persistent=True) as tape:
    y = x @ w + b
    loss = tf.reduce_mean(y**2)
[dl_dw, dl_db] = tape.gradient(loss, [w, b]); print(dl_dw, dl_db)
print(tape.gradient(loss, {'w': w, 'b': b})['b'])
del tape
x0 = tf.Variable(3.0, name='x0'); x1 = tf.Variable(3.0, name='x1', trainable=False)
x2 = tf.Variable(2.0, name='x2') + 1.0; x3 = tf.constant(3.0, name='x3')
with tf.GradientTape() as tape: y = (x0**2) + (x1**2) + (x2**2)
for g in tape.gradient(y, [x0, x1, x2, x3]): print(g)
with tf.GradientTape() as tape: tape.watch(x3); y = x3**3
print(tape.gradient(y, x3)); print([v.name for v in tape.watched_variables()])
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(x1); y = tf.math.sin(x0) + x1 ** 2
print(tape.gradient(y, {'a': x0, 'b': x1}))
x = tf.constant([1, 3.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x); y = x * x; z = y * y
print(tape.gradient(z, x).numpy(), tape.gradient(y, x).numpy())
try:
    with tf.GradientTape() as t2: t2.watch(x); q = x * x
    t2.gradient(q, x); t2.gradient(q, x)
except RuntimeError as e: print(e)
x = tf.Variable(2.0)
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1: y = x * x * x
    dy = t1.gradient(y, x)
print(dy, t2.gradient(dy, x))
@tf.custom_gradient
def clip_gradients(y):
    def backward(dy): return tf.clip_by_norm(dy, 0.5)
    return y, backward
v = tf.Variable(2.0)
with tf.GradientTape() as t: output = clip_gradients(v * v)
print(t.gradient(output, v))
@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    def grad(upstream): return upstream * (1 - 1 / (1 + e))
    return tf.math.log(1 + e), grad
x = tf.constant(100.)
with tf.GradientTape() as g: g.watch(x); y = log1pexp(x)
print(g.gradient(y, x))
x = tf.linspace(-1.0, 1.0, 5)
with tf.GradientTape() as tape: tape.watch(x); y = tf.nn.sigmoid(x)
print(tape.jacobian(y, x).numpy().round(4))
x = tf.random.stateless_normal([2, 3], seed=[1, 2]); 
with tf.GradientTape() as t: t.watch(x); y = tf.reduce_sum(x**2, 1, keepdims=True) * x
print(t.batch_jacobian(y, x).shape)
x = tf.Variable(2.); y = tf.Variable(3.)
with tf.GradientTape() as t: 
    yy = y * y
    with t.stop_recording(): z = x * 3
    zz = x * yy
print(t.gradient(zz, x), t.gradient if False else "")
x = tf.Variable([2., 2.]); y = tf.Variable(3.)
with tf.GradientTape() as t: z = y**2
print(t.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO))
with tf.GradientTape() as t: t.watch(x); s = tf.stop_gradient(x) * x
print(t.gradient(s, x, output_gradients=tf.constant([1., 10.])))
x = tf.Variable(1.0); st = tf.Variable(3.0, trainable=False)
with tf.GradientTape() as t: x.assign_add(st * 2); y = x**2
print(t.gradient(y, st))
x = tf.Variable([1, 2])
with tf.GradientTape() as t: y = x * 2
print(t.gradient(y, x))
emb = tf.Variable(tf.reshape(tf.range(6.), [3, 2]))
with tf.GradientTape() as t: e = tf.reduce_sum(tf.gather(emb, [0, 2, 0]))
g = t.gradient(e, emb); print(type(g).__name__, tf.convert_to_tensor(g).numpy())
with tf.GradientTape() as t:
    y = tf.constant(1.) if x[0] > 0 else tf.constant(2.)
print(t.gradient(y, x))
m = tf.constant([[1., 2.], [3., 4.]])
with tf.autodiff.ForwardAccumulator(m, tf.ones_like(m)) as acc: y = tf.reduce_sum(m ** 2)
print(acc.jvp(y))
with tf.GradientTape() as t:
    t.watch(m); y = tf.linalg.det(m) + tf.linalg.trace(tf.linalg.inv(m))
print(t.gradient(y, m).numpy().round(3))
print(tf.norm(tf.constant([3., 4.])))
