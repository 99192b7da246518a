import tensorflow as tf
import numpy as np
# Example 1: race with tf.function and control deps, typical answer style
x = tf.Variable(1.0, name="x")
@tf.function
def train_step():
    with tf.GradientTape() as tape:
        y = x * x
    grad = tape.gradient(y, x)
    with tf.control_dependencies([grad]):
        update = x.assign_sub(0.1 * grad)
    with tf.control_dependencies([update]):
        return tf.identity(x), grad
for _ in range(3): print(train_step())
print(train_step.get_concrete_function().graph.as_graph_def().node[0].op if False else "")
# multiple optimizers on the same variable
o1 = tf.keras.optimizers.SGD(0.1); o2 = tf.keras.optimizers.SGD(0.5)
v = tf.Variable([1.0, 2.0])
@tf.function
def two():
    with tf.GradientTape(persistent=True) as t:
        a = tf.reduce_sum(v ** 2); b = tf.reduce_sum(v ** 3)
    ga, gb = t.gradient(a, v), t.gradient(b, v)
    o1.apply_gradients([(ga, v)]); mid = tf.identity(v); o2.apply_gradients([(gb, v)])
    del t
    return mid, v.value()
print(two())
# accumulate with tf.while_loop inside tape
w = tf.Variable(2.0)
@tf.function
def loop(n):
    with tf.GradientTape() as t:
        i, s = tf.constant(0), tf.constant(0.0)
        i, s = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + w * tf.cast(i, tf.float32)), [i, s])
    return s, t.gradient(s, w)
print(loop(tf.constant(4)))
@tf.function
def cond(p):
    with tf.GradientTape() as t:
        y = tf.cond(p, lambda: w * w, lambda: w * 3.0)
    return t.gradient(y, w)
print(cond(tf.constant(True)), cond(tf.constant(False)))
# stop gradient, nested persistent tapes
with tf.GradientTape() as t:
    z = w * tf.stop_gradient(w) + tf.stop_gradient(w * w)
print(t.gradient(z, w))
with tf.GradientTape(watch_accessed_variables=False) as t:
    t.watch(w); q = w * x
print(t.gradient(q, {"w": w, "x": x}))
with tf.GradientTape() as t:
    y = w * 2
    with t.stop_recording(): y2 = w * 100
    y = y + y2
print(t.gradient(y, [w, x], unconnected_gradients=tf.UnconnectedGradients.ZERO))
with tf.GradientTape() as t:
    l = [w * float(i) for i in range(3)]
print(t.gradient(l, w), )
with tf.GradientTape() as t:
    t.watch(c := tf.constant([[1., 2.], [3., 4.]])); y = tf.matmul(c, c)
print(t.batch_jacobian(y, c).shape)
with tf.autodiff.ForwardAccumulator(w, tf.constant(1.0)) as acc: r = w ** 3
print(acc.jvp(r))
@tf.function(jit_compile=False, autograph=True, experimental_follow_type_hints=False) if False else tf.function(autograph=True)
def f(x): return x + 1
print(f(1), f(tf.constant(1)), f.experimental_get_tracing_count())
print(f.pretty_printed_concrete_signatures().split("\n")[0])
tf.config.run_functions_eagerly(True); print(f(tf.constant(3))); tf.config.run_functions_eagerly(False)
grads = [tf.constant([3., 4.]), None, tf.constant([0., 0.])]
print(tf.clip_by_global_norm(grads, 1.0)); print(tf.linalg.global_norm(grads))
