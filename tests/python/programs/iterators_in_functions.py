import tensorflow as tf
ds = tf.data.Dataset.range(10)
it = iter(ds)
@tf.function
def f(it):
    t = tf.constant(0, tf.int64)
    for x in it:
        if x > 2:
            break
        t += x
    return t
print(f(it).numpy(), next(it).numpy())
@tf.function
def g():
    t = tf.constant(0, tf.int64)
    n = tf.constant(0)
    for x in ds:
        for y in ds:
            if y > x: break
            t += y
        n += 1
    return t, n
print([v.numpy() for v in g()])
seen = []
def gen():
    for i in range(6):
        seen.append(i); yield i
d2 = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([], tf.int64))
it2 = iter(d2)
@tf.function
def h(it):
    for x in it:
        if x == 2: break
    return tf.constant(-1, tf.int64)
print(h(it2).numpy(), next(it2).numpy())
o = it2.get_next_as_optional(); print(o.has_value().numpy(), o.get_value().numpy())
@tf.function
def k(it):
    o = it.get_next_as_optional()
    if o.has_value(): return o.get_value()
    return tf.constant(-7, tf.int64)
print([k(it2).numpy() for _ in range(4)])
@tf.function
def steps(it, n):
    t = tf.constant(0, tf.int64); c = 0
    for _ in tf.range(n):
        o = it.get_next_as_optional()
        if not o.has_value():
            break
        t += o.get_value(); c += 1
    return t, c
it3 = iter(ds)
print([[v.numpy() for v in steps(it3, tf.constant(4))] for _ in range(4)])
@tf.function
def e(it):
    o = it.get_next_as_optional()
    return o.get_value()
try: e(it3)
except tf.errors.InvalidArgumentError as x: print("InvalidArgument")
d4 = tf.data.Dataset.from_tensor_slices({"a": tf.range(6), "b": tf.ones([6, 2])}).batch(4)
@tf.function
def m(it):
    o = it.get_next_as_optional()
    n = tf.constant(0); s = tf.constant(0.0)
    while o.has_value():
        v = o.get_value()
        n += tf.reduce_sum(v["a"]); s += tf.reduce_sum(v["b"])
        o = it.get_next_as_optional()
    return n, s
try: print([v.numpy() for v in m(iter(d4))])
except Exception as x: print(type(x).__name__)

@tf.function
def lazy(a):
    i = tf.constant(0)
    while i < tf.size(a) and a[i] > 0:
        i += 1
    if i == tf.size(a) or a[i] == 0:
        i += 100
    return i
print(lazy(tf.constant([1, 2, 3])).numpy(), lazy(tf.constant([1, 0, 3])).numpy(), lazy(tf.constant([1, -1, 3])).numpy())
v = tf.Variable(0)
@tf.function
def effects(x):
    if x > 0 and v.assign_add(1) > 0:
        return v.read_value()
    return tf.constant(-1)
print(effects(tf.constant(-1)).numpy(), v.numpy(), effects(tf.constant(1)).numpy(), v.numpy())
