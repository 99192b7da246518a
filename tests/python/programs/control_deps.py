import tensorflow as tf
# control dependencies and order of effects in tf.function
v = tf.Variable(0.0); log = tf.Variable([0.0] * 4)
@tf.function
def ordered(x):
    with tf.control_dependencies([v.assign(x)]):
        a = tf.identity(v)
    with tf.control_dependencies([v.assign_add(1.0)]):
        b = v.read_value()
    v.assign(b * 2.0)
    return a, b, v.value()
print([t.numpy() for t in ordered(3.0)], v.numpy())
@tf.function
def prints(x):
    y = x + 1
    with tf.control_dependencies([tf.debugging.assert_greater(y, 0)]):
        z = y * 2
    return z
print(prints(tf.constant(4)))
try:
    prints(tf.constant(-4))
except tf.errors.InvalidArgumentError as e:
    print("InvalidArgumentError")
print(v.numpy())
@tf.function
def conditional(flag):
    if flag:
        v.assign_add(10.0)
    else:
        v.assign_sub(10.0)
    return v.read_value()
print(conditional(tf.constant(True)).numpy(), conditional(tf.constant(False)).numpy())
@tf.function
def loop(n):
    for i in tf.range(n):
        v.assign_add(tf.cast(i, tf.float32))
    return v.read_value()
print(loop(tf.constant(4)).numpy())
before = v.value(); v.assign(100.0); print(before.numpy(), v.numpy())
snapshot = v + 0.0
alias = v
alias.assign_add(1.0)
print(snapshot.numpy(), v.numpy(), alias is v)
w = tf.Variable([1.0, 2.0, 3.0])
copy = w.numpy(); copy[0] = 99.0; print(w.numpy(), copy)
t = tf.convert_to_tensor(w); w.assign([7.0, 8.0, 9.0]); print(t.numpy(), w.numpy())
@tf.function
def gradient_after_update(x):
    with tf.GradientTape() as tape:
        y = w * x
    g = tape.gradient(y, w)
    w.assign_sub(0.1 * g)
    return g, w.read_value()
g, new = gradient_after_update(tf.constant(2.0)); print(g.numpy(), new.numpy().round(3))
opt = tf.keras.optimizers.SGD(0.5)
@tf.function
def train(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(w - x))
    grads = tape.gradient(loss, [w]); opt.apply_gradients(zip(grads, [w]))
    return loss
print([round(float(train(tf.constant([1.0, 2.0, 3.0]))), 4) for _ in range(3)], w.numpy())
op = tf.group(v.assign(5.0), w.assign([0.0, 0.0, 0.0])); print(v.numpy(), w.numpy())
a, b = tf.tuple([v + 1.0, v + 2.0]); print(a.numpy(), b.numpy())
u = tf.Variable(1.0)
@tf.function
def swap():
    old = u.read_value(); u.assign(v); v.assign(old)
swap(); print(u.numpy(), v.numpy())
@tf.custom_gradient
def times_three_backward_ten(x):
    return x * 3.0, lambda dy: dy * 10.0
with tf.GradientTape() as tape:
    y = times_three_backward_ten(u)
print(y.numpy(), tape.gradient(y, u).numpy())
