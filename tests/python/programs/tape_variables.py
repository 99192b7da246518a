import tensorflow as tf

x = tf.Variable(3.0)
y = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    z = x * x * y
    x.assign_add(1.0)
    w = x * x
print(tape.gradient(z, [x, y]))
print(tape.gradient(w, x))
del tape
with tf.GradientTape() as tape:
    with tape.stop_recording():
        a = x * 2
    b = a * x
print(tape.gradient(b, x))
c = tf.constant(2.0)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(c)
    d = c ** 3 + x
print(tape.gradient(d, {"c": c, "x": x}))
print(tape.watched_variables())
with tf.GradientTape() as tape:
    u = tf.constant(1.0)
    r = u * 2
print(tape.gradient(r, u), tape.gradient(r, u, unconnected_gradients=tf.UnconnectedGradients.ZERO) if False else "")
with tf.GradientTape() as tape:
    i = tf.Variable(2)
    j = i * i
print(tape.gradient(j, i))
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        q = tf.sin(x)
    first = t1.gradient(q, x)
print(t2.gradient(first, x).numpy())
m = tf.Variable([[1., 2.], [3., 4.]])
with tf.GradientTape() as tape:
    o = tf.reduce_sum(m ** 2, axis=1)
print(tape.jacobian(o, m).numpy())
with tf.GradientTape() as tape:
    emb = tf.gather(m, [0, 0, 1])
    s = tf.reduce_sum(emb)
g = tape.gradient(s, m)
print(type(g).__name__, g.indices.numpy(), tf.convert_to_tensor(g).numpy())
try:
    tape.gradient(s, m)
except RuntimeError as e:
    print(e)
@tf.custom_gradient
def clip(x):
    y = tf.identity(x)
    def backward(dy):
        return tf.clip_by_norm(dy, 0.5)
    return y, backward
v = tf.Variable(2.0)
with tf.GradientTape() as t:
    out = clip(v * v)
print(t.gradient(out, v))
with tf.GradientTape() as tape:
    tape.watch(c)
    tape.reset()
    tape.watch(c)
    f = tf.where(c > 1.0, c * 3.0, c)
print(tape.gradient(f, c, output_gradients=tf.constant(2.0)))
with tf.GradientTape() as tape:
    tape.watch(c)
    k = tf.stop_gradient(c) * c
print(tape.gradient(k, c))
opt = tf.keras.optimizers.SGD(0.5, momentum=0.9)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = (x - 1.0) ** 2
    opt.apply_gradients([(tape.gradient(loss, x), x)])
    print(x.numpy(), loss)
grads, norm = tf.clip_by_global_norm([tf.constant([3.0, 4.0])], 1.0)
print(grads, norm)
