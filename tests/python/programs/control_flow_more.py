import tensorflow as tf
x = tf.Variable(1.0); log = []
@tf.function
def f(y):
    with tf.control_dependencies([x.assign_add(y)]):
        z = tf.identity(x)
    x.assign(0.)
    return z, x.read_value()
print([t.numpy() for t in f(tf.constant(2.))])
@tf.function
def order():
    tf.print("first"); a = x.assign(5.); tf.print("second", x, a); 
    with tf.control_dependencies([tf.print("third")]): b = x + 1
    return b
import sys; print(order().numpy())
@tf.function
def checked(t):
    with tf.control_dependencies([tf.debugging.assert_positive(t, message="must be positive")]): return tf.sqrt(t)
print(checked(4.).numpy())
try: checked(-1.)
except tf.errors.InvalidArgumentError as e: print("must be positive" in str(e))
@tf.function
def collatz(n):
    steps = tf.constant(0)
    while n != 1:
        if n % 2 == 0: n = n // 2
        else: n = 3 * n + 1
        steps += 1
    return steps
print(collatz(tf.constant(27)).numpy())
i, s = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0)); print(i.numpy(), s.numpy())
r = tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m], 0)], [tf.constant(0), tf.ones([1, 2])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])]); print(r[1].shape)
print(tf.while_loop(lambda d: d["k"] < 3, lambda d: ({"k": d["k"] + 1, "v": d["v"] * 2.},), ({"k": tf.constant(0), "v": tf.constant(1.)},))[0]["v"].numpy(), tf.while_loop(lambda i: True, lambda i: [i + 1], [0], maximum_iterations=4)[0].numpy())
@tf.function
def grad_loop(x0):
    with tf.GradientTape() as t:
        t.watch(x0); y = x0
        for _ in tf.range(3): y = y * x0
    return t.gradient(y, x0)
print(grad_loop(tf.constant(2.)).numpy())
@tf.function
def shape_bad(n):
    t = tf.zeros([1])
    for k in tf.range(n): t = tf.concat([t, [1.]], 0)
    return t
@tf.function
def shape_good(n):
    t = tf.zeros([1])
    for k in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(t, tf.TensorShape([None]))]); t = tf.concat([t, [float(1)]], 0)
    return t
print(shape_good(tf.constant(3)).numpy())
@tf.function
def ta(n):
    a = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
    for k in tf.range(n): a = a.write(k, tf.cast(k, tf.float32) ** 2)
    return a.stack(), a.size(), a.read(1), a.concat() if False else tf.constant(0)
arr = tf.TensorArray(tf.int32, 3); arr = arr.unstack([1, 2, 3]); arr = arr.write(0, 9); print(arr.stack().numpy(), arr.gather([0, 2]).numpy(), arr.size().numpy(), arr.dtype, arr.element_shape)
@tf.function
def un(c):
    if c: y = 1
    return y
@tf.function
def kinds(c):
    if c: y = tf.constant(1)
    else: y = tf.constant(1.0)
    return y
try: kinds(tf.constant(True))
except Exception as e: print(type(e).__name__)
@tf.function
def brk(v):
    total = 0
    for e in v:
        if e < 0: continue
        if e > 10: break
        total += e
    else: total += 100
    return total
@tf.function
def nested(n):
    out = 0
    for i in tf.range(n):
        for j in tf.range(i):
            if i == j + 1: out += i * j
    return out
print(nested(tf.constant(5)).numpy())
@tf.function
def early(x):
    if x > 0:
        return "pos"
    elif x < 0: return "neg"
    return "zero"
@tf.function
def py_list(n):
    l = []
    for i in range(3): l.append(n * i)
    return l
print([t.numpy() for t in py_list(tf.constant(2))])
@tf.function
def asserts(x):
    assert x > 0, "x too small"
    return x
@tf.function
def ds_loop(ds):
    t = tf.constant(0, tf.int64)
    for e in ds: t += e
    return t
print(ds_loop(tf.data.Dataset.range(5)).numpy())
print(tf.map_fn(lambda t: t * 2, tf.constant([1, 2])).numpy(), tf.scan(lambda a, b: a + b, tf.constant([1, 2, 3])).numpy(), tf.foldl(lambda a, b: a - b, tf.constant([1, 2, 3])).numpy(), tf.map_fn(lambda t: (t, t + 1), tf.constant([1., 2.]), fn_output_signature=(tf.float32, tf.float32))[1].numpy(), tf.vectorized_map(lambda t: t ** 2, tf.constant([3., 4.])).numpy())
@tf.function
def recursion_free(x, n=3): return x if n == 0 else recursion_free(x * 2, n - 1)
g = tf.Graph()
