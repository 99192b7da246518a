import numpy as np
import tensorflow as tf
x = tf.Variable([1.0, 2.0]); w = tf.Variable([[1.0, 0.5], [0.2, 2.0]])
with tf.GradientTape(persistent=True) as t:
    y = tf.linalg.matvec(w, x); z = tf.nn.softmax(y); s = tf.reduce_sum(z ** 2)
print(t.jacobian(y, x).numpy(), t.jacobian(z, x).numpy().round(4), t.jacobian(y, w).shape, t.jacobian(s, [x, w])[0].numpy().round(4))
inputs = tf.constant(np.arange(6, dtype="float32").reshape(3, 2))
with tf.GradientTape() as t:
    t.watch(inputs); out = tf.tanh(inputs @ w)
print(t.batch_jacobian(out, inputs).numpy().round(4)[0])
@tf.function
def cond_grad(v):
    with tf.GradientTape() as t:
        t.watch(v)
        r = tf.cond(v > 0, lambda: v ** 3, lambda: -v * x[0])
    return t.gradient(r, [v, x])
for v in (2.0, -1.0):
    a, b = cond_grad(tf.constant(v)); print(a.numpy(), tf.convert_to_tensor(b).numpy())
@tf.function
def while_grad(v, n):
    with tf.GradientTape() as t:
        t.watch(v)
        i, acc = tf.constant(0), v
        while i < n:
            acc = acc * v + tf.sin(acc); i += 1
    return acc, t.gradient(acc, v)
print([round(float(r), 4) for r in while_grad(tf.constant(0.5), tf.constant(3))])
@tf.function
def scan_grad(v):
    with tf.GradientTape() as t:
        t.watch(v); out = tf.scan(lambda a, e: a * e + 1.0, v)
        total = tf.reduce_sum(out)
    return out, t.gradient(total, v)
print([r.numpy() for r in scan_grad(tf.constant([1.0, 2.0, 3.0]))])
with tf.GradientTape() as t: m = tf.map_fn(lambda e: e ** 2 + x[0], tf.constant([1.0, 2.0])); r = tf.reduce_sum(m)
print(t.gradient(r, x).numpy() if not isinstance(t, type(None)) else "")
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1: y = tf.reduce_sum(x ** 3 * tf.exp(x))
    g1 = t1.gradient(y, x)
print(g1.numpy().round(4), t2.gradient(g1, x).numpy().round(3))
with tf.GradientTape(watch_accessed_variables=False) as t: t.watch(x); y = tf.reduce_sum(w) * tf.reduce_sum(x)
print(t.gradient(y, x).numpy(), [v.name for v in t.watched_variables()])
with tf.GradientTape() as t:
    a = x * 2
    with t.stop_recording(): b = a * 3
    c = tf.reduce_sum(a) + tf.reduce_sum(b)
print(t.gradient(c, x).numpy())
with tf.GradientTape() as t: y = x[0] * 2; t.reset(); z = tf.reduce_sum(x * 5)
print(t.gradient(z, x).numpy())
with tf.GradientTape() as t: y = tf.stack([x[0] ** 2, x[1] ** 3])
print(t.gradient(y, x, output_gradients=tf.constant([1.0, 10.0])).numpy())
with tf.GradientTape() as t: y = tf.cast(tf.cast(x, tf.int32), tf.float32)
print(t.gradient(y, x), )
with tf.GradientTape() as t: y = tf.gather(w, [0, 0, 1])
g = t.gradient(y, w); print(type(g).__name__, tf.convert_to_tensor(g).numpy())
try:
    with tf.GradientTape() as t: y = x * 2
    t.gradient(y, x); t.gradient(y, x)
except RuntimeError as e: print(str(e)[:60])
try: t.gradient([1], "x")
except Exception as e: print(type(e).__name__)
with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant([1.0, 0.0])) as acc: y = tf.reduce_sum(x ** 2) * x
print(acc.jvp(y).numpy())
@tf.custom_gradient
def reverse(v):
    def back(up): return -0.5 * up
    return tf.identity(v), back
with tf.GradientTape() as t: y = tf.reduce_sum(reverse(x * 3.0))
print(t.gradient(y, x).numpy())
@tf.custom_gradient
def with_vars(v):
    r = v * w
    def back(up, variables=None): return tf.reduce_sum(up * w), [up * v for _ in variables]
    return r, back
with tf.GradientTape() as t: u = tf.constant(2.0); t.watch(u); y = with_vars(u)
print([q.numpy().tolist() for q in t.gradient(y, [u, w])])
h = tf.recompute_grad(lambda v: tf.sin(v) ** 2) if hasattr(tf, "recompute_grad") else None
with tf.GradientTape() as t: y = h(x)
print(t.gradient(y, x).numpy().round(4))
print(tf.gradients if False else "", tf.clip_by_global_norm([tf.constant([3.0, 4.0])], 1.0)[0][0].numpy())
big = tf.constant(1e30)
with tf.GradientTape() as t: t.watch(big); y = tf.where(big > 0, tf.math.log(big), tf.sqrt(-big))
print(t.gradient(y, big).numpy())
