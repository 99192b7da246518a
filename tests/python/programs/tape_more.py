import tensorflow as tf
import numpy as np
x = tf.Variable(3.0); y = tf.constant(2.0)
with tf.GradientTape(persistent=True) as tape: z = x ** 2; w = z * z
print(tape.gradient(w, x).numpy(), tape.gradient(z, {"a": x}), tape.gradient(w, [x, z])); del tape
with tf.GradientTape() as tape: tape.watch(y); r = y ** 2
print(tape.gradient(r, y).numpy())
layer = tf.keras.layers.Dense(2, activation="relu", kernel_initializer="ones"); inp = tf.constant([[1., 2., 3.]])
with tf.GradientTape() as tape: loss = tf.reduce_mean(layer(inp) ** 2)
x0 = tf.Variable(3.0, name="x0"); x1 = tf.Variable(3.0, name="x1", trainable=False); x2 = tf.Variable(2.0, name="x2") + 1.0; x3 = tf.constant(3.0)
with tf.GradientTape() as tape: y = (x0 ** 2) + (x1 ** 2) + (x2 ** 2)
print(tape.gradient(y, [x0, x1, x2, x3]), [v.name for v in tape.watched_variables()])
x = tf.constant([1, 3.0])
with tf.GradientTape(persistent=True) as tape: tape.watch(x); y = x * x; z = y * y
print(tape.gradient(z, x).numpy(), tape.gradient(y, x).numpy())
x = tf.constant(1.0); v0 = tf.Variable(2.0); v1 = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    if x > 0.0: result = v0
    else: result = v1 ** 2
print(tape.gradient(result, [v0, v1]), tape.gradient(tf.constant(1.), v0))
x = tf.Variable(2.); a = tf.Variable([[1., 2.], [3., 4.]])
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1: y = x ** 3
    d = t1.gradient(y, x)
print(d.numpy(), t2.gradient(d, x).numpy())
xs = tf.linspace(-1.0, 1.0, 5)
with tf.GradientTape() as tape: tape.watch(xs); y = tf.nn.sigmoid(xs)
print(tape.gradient(y, xs).numpy().round(4))
delta = tf.Variable(0.0)
with tf.GradientTape() as tape: y = tf.nn.sigmoid(xs + delta)
print(tape.jacobian(y, delta).numpy().round(4))
xb = tf.constant(np.arange(6, dtype="float32").reshape(2, 3)); l2 = tf.keras.layers.Dense(2, kernel_initializer="ones")
with tf.GradientTape() as tape: tape.watch(xb); y = l2(xb) ** 2
print(tape.batch_jacobian(y, xb).shape)
with tf.GradientTape() as tape: y = l2(xb)
print(tape.jacobian(y, l2.kernel).shape)
with tf.GradientTape() as tt:
    with tf.GradientTape() as t: q = tf.reduce_sum(a ** 3)
    gg = t.gradient(q, a)
print(tt.jacobian(gg, a).shape)
@tf.custom_gradient
def clip(v):
    def back(up): return tf.clip_by_norm(up, 0.5)
    return v, back
v = tf.Variable(2.0)
with tf.GradientTape() as t: o = clip(v * v)
print(t.gradient(o, v).numpy())
@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    def grad(u): return u * (1 - 1 / (1 + e))
    return tf.math.log(1 + e), grad
u = tf.constant(100.)
with tf.GradientTape() as t: t.watch(u); y = log1pexp(u)
print(t.gradient(y, u).numpy())
x = tf.Variable(2.)
with tf.GradientTape() as t:
    s = x * x
    with t.stop_recording(): n = s * 2
print(t.gradient(s, x).numpy())
with tf.GradientTape() as t: y = tf.stop_gradient(x * x) * x
print(t.gradient(y, x).numpy())
with tf.GradientTape() as t: y = tf.cast(tf.cast(x, tf.int32), tf.float32)
print(t.gradient(y, x))
xx = tf.Variable([2., 2.]); yy = tf.Variable(3.)
with tf.GradientTape() as t: z = yy ** 2
print(t.gradient(z, xx), t.__class__.__name__)
with tf.GradientTape() as t: z = yy ** 2
print(t.gradient(z, xx, unconnected_gradients=tf.UnconnectedGradients.ZERO))
with tf.GradientTape() as t: z = x * 2
t.gradient(z, x)
try: t.gradient(z, x)
except RuntimeError as e: print(e)
emb = tf.Variable(tf.ones([4, 2]))
with tf.GradientTape() as t: o = tf.reduce_sum(tf.nn.embedding_lookup(emb, [0, 2, 0]))
g = t.gradient(o, emb); print(type(g).__name__, g.indices.numpy(), tf.convert_to_tensor(g).numpy().tolist())
with tf.GradientTape() as t: o = tf.reduce_max(tf.constant([1., 3., 3.]) * x)
print(t.gradient(o, x).numpy())
with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant(1.)) as acc: y = x ** 3
print(acc.jvp(y).numpy())
c = tf.constant(0.)
with tf.GradientTape() as t: t.watch(c); y = tf.where(c > 0, c, 0.5) / tf.sqrt(c)
print(t.gradient(y, c).numpy())
f = tf.function(lambda q: q ** 2 if q > 0 else -q)
for k in (2., -1.):
    q = tf.constant(k)
    with tf.GradientTape() as t: t.watch(q); y = f(q)
    print(t.gradient(y, q).numpy())
with tf.GradientTape() as t: t.watch(q); y = tf.linalg.det(tf.constant([[2., 0.], [0., 3.]]) * q)
print(t.gradient(y, q).numpy()); A = tf.constant([[4., 1.], [1., 3.]])
with tf.GradientTape() as t: t.watch(A); y = tf.reduce_sum(tf.linalg.cholesky(A)) + tf.linalg.trace(tf.linalg.inv(A)) + tf.norm(A)
print(t.gradient(y, A).numpy().round(4))
