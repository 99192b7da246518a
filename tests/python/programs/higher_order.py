import tensorflow as tf
x = tf.Variable(1.0)
with tf.GradientTape() as t3:
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1: y = x ** 4
        g1 = t1.gradient(y, x)
    g2 = t2.gradient(g1, x)
print(y.numpy(), g1.numpy(), g2.numpy(), t3.gradient(g2, x).numpy())
layer1 = tf.Variable(tf.reshape(tf.range(6.), [2, 3]) / 10); inp = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        loss = tf.reduce_mean(tf.nn.tanh(inp @ layer1) ** 2)
    g = t1.gradient(loss, layer1)
h = t2.jacobian(g, layer1); print(h.shape, tf.reshape(h, [6, 6]).numpy().round(4)[0].tolist())
with tf.GradientTape() as t2:
    t2.watch(inp)
    with tf.GradientTape() as t1:
        t1.watch(inp); out = tf.reduce_sum(tf.nn.softmax(inp @ layer1) * [1., 2., 3.])
    gi = t1.gradient(out, inp); norm = tf.norm(gi)
print("%.5f" % norm, t2.gradient(norm, layer1).numpy().round(4).tolist())
def hvp(f, v, d):
    with tf.GradientTape() as o:
        with tf.GradientTape() as i: l = f()
        gr = i.gradient(l, v)
        dot = tf.reduce_sum(gr * d)
    return o.gradient(dot, v)
v = tf.Variable([1., 2., 3.]); print(hvp(lambda: tf.reduce_sum(v ** 3), v, tf.constant([1., 0., 1.])).numpy())
@tf.function
def second(x):
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b: b.watch(x); y = tf.sin(x) * x
        g = b.gradient(y, x)
    return a.gradient(g, x)
print("%.5f" % second(tf.constant(0.7)))
@tf.function
def looped(x, n):
    with tf.GradientTape() as t:
        t.watch(x); y = x
        for _ in tf.range(n): y = y * x
    return t.gradient(y, x)
print(looped(tf.constant(2.0), tf.constant(3)).numpy())
@tf.custom_gradient
def safe_log(x):
    def grad(upstream): return upstream / tf.maximum(x, 1e-3)
    return tf.math.log(tf.maximum(x, 1e-8)), grad
z = tf.constant([0.0, 1.0])
with tf.GradientTape() as t: t.watch(z); y = safe_log(z)
print(t.gradient(y, z).numpy())
with tf.GradientTape() as t:
    t.watch(z); a, b = z * 2, z * 3
print([g.numpy() for g in t.gradient([a, b], [z])])
w = tf.Variable(2.0); u = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as t: q = w * u; r = q + w
print(t.gradient(r, {"w": w, "u": u})["u"].numpy(), t.gradient(q, [w, u])[0].numpy(), t.gradient(w * 1.0, u))
acc = [tf.Variable(tf.zeros_like(a)) for a in (w, u)]
for i in range(3):
    with tf.GradientTape() as t: l = w * u * float(i)
    for a, g in zip(acc, t.gradient(l, [w, u])): a.assign_add(g)
print([a.numpy() for a in acc], tf.clip_by_global_norm([a.value() for a in acc], 1.0)[1].numpy().round(3))
m = tf.constant([[2., 1.], [1., 3.]])
with tf.GradientTape() as t: t.watch(m); s = tf.linalg.logdet(m)
print(t.gradient(s, m).numpy().round(3).tolist())
with tf.autodiff.ForwardAccumulator(w, tf.constant(1.0)) as f: y = w ** 3
print(f.jvp(y).numpy())
