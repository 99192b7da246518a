# Python's control flow over tensors, in its corners.
import tensorflow as tf
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, type(e).__name__, [l for l in str(e).strip().splitlines() if l.strip()][-1].strip()[:150])
@tf.function
def search(m, v):
    at = tf.constant([-1, -1])
    for i in tf.range(tf.shape(m)[0]):
        for j in tf.range(tf.shape(m)[1]):
            if m[i, j] == v:
                at = tf.stack([i, j])
                break
    return at
m = tf.constant([[1, 2], [3, 4]]); print(search(m, 3).numpy(), search(m, 9).numpy())
@tf.function
def lists(n):
    parts = []
    for i in range(3): parts.append(i * n)
    for p in parts: n = n + p
    return parts[::-1] + [n]
print([int(p) for p in lists(tf.constant(2))])
@tf.function
def grows(n):
    out = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=())
    x = 1.0
    for i in tf.range(n):
        if i % 2 == 1: continue
        out = out.write(out.size(), x); x *= 3.0
    return out.stack(), x
print([r.numpy() for r in grows(tf.constant(5))])
@tf.function
def logic(a, b):
    if a > 0 and not b < 0 or a == -5: return "yes"
    return "no"
print([logic(tf.constant(p), tf.constant(q)).numpy() for p, q in ((1, 1), (1, -1), (-5, -1))])
@tf.function
def chain(x): return "in" if 0 < x < 10 else "out"
print(chain(tf.constant(3)).numpy(), chain(tf.constant(30)).numpy())
@tf.function
def dataset(ds):
    best, at = tf.constant(-1, tf.int64), tf.constant(-1, tf.int64)
    for i, v in ds.enumerate():
        if v > best: best, at = v, i
        if i > 5: break
    return best, at
print([v.numpy() for v in dataset(tf.data.Dataset.from_tensor_slices(tf.constant([3, 9, 4], tf.int64)))])
class State:
    def __init__(self): self.total = tf.constant(0)
@tf.function
def attributes(n):
    s = State()
    for i in tf.range(n): s.total += i
    return s.total
t("attr", lambda: attributes(tf.constant(4)).numpy())
@tf.function
def dicts(n):
    d = {"a": tf.constant(0), "b": tf.constant(1)}
    for i in tf.range(n): d["a"] = d["a"] + i; d["b"] = d["b"] * 2
    return d
t("dict", lambda: {k: v.numpy() for k, v in dicts(tf.constant(4)).items()})
@tf.function
def try_in(x):
    try:
        if x > 0: y = x * 2
        else: y = x * 1
    finally: y = y + 0
    return y
t("try", lambda: try_in(tf.constant(4)).numpy())
@tf.function
def lambdas(x):
    f = lambda v: v * 2 if v > 1 else v
    def rec(v, d): return v if d == 0 else rec(f(v), d - 1)
    return rec(x, 3)
print(lambdas(tf.constant(1)).numpy(), lambdas(tf.constant(2)).numpy())
@tf.function
def step_down(n):
    r = tf.constant(0)
    for k in tf.range(n, 0, -2): r = r * 10 + k
    for a in [tf.constant(1), 2]: r += a
    return r
print(step_down(tf.constant(7)).numpy())
@tf.function
def del_and_none(x, y=None):
    if y is None: y = x
    z = x if y is x else y
    return z + (0 if x is None else x)
print(del_and_none(tf.constant(2)).numpy(), del_and_none(tf.constant(2), 3).numpy())
@tf.function
def gen(n):
    total = 0
    for i in range(3):
        for j in tf.range(n):
            if j == i: continue
            total += j
    return total
t("nested else", lambda: gen(tf.constant(3)).numpy())
