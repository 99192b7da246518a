"""Functions behind decorators of one's own, nested, recursive, with methods, side effects while they are traced."""
import tensorflow as tf, functools
def deco(fn):
    @functools.wraps(fn)
    def w(*a, **k):
        print("in wrapper"); return fn(*a, **k)
    return w
def f(x):
    if x > 0: return x * 2
    else: return -x
print(tf.function(f)(tf.constant(3)))
g = deco(f)
print(tf.function(g)(tf.constant(-3)))
h = deco(lambda x: x if x > 5 else x - 1)
print(tf.function(h)(tf.constant(-3)), tf.function(deco(g))(tf.constant(1)))
def times(n):
    def d(fn):
        @functools.wraps(fn)
        def w(x):
            for _ in tf.range(n): x = fn(x)
            return x
        return w
    return d
@tf.function
@times(3)
def dbl(x): return x * 2
print(dbl(tf.constant(1)), dbl.__name__)
class T(tf.Module):
    @tf.function
    @deco
    def m(self, x):
        if x > 1: x = x * 100
        return x
print(T().m(tf.constant(2)))
log = []
def deco(fn):
    @functools.wraps(fn)
    def w(*a, **k): log.append(fn.__name__); return fn(*a, **k)
    return w
@tf.function
@deco
def f(x):
    if x > 0: return x * 2
    else: return -x
print(f(tf.constant(3)), f(tf.constant(-3)), log)
@tf.function
def fact(n):
    if n <= 1: return 1
    return n * fact(n - 1)
print(fact(5)); 
@tf.function
def fib(n):
    a, b = 0, 1
    for _ in tf.range(n): a, b = b, a + b
    return a
print(fib(tf.constant(10)), fib(10))
class C:
    k = 3
    def __init__(self): self.n = 0; self.v = tf.Variable(0)
    @tf.function
    def m(self, x): self.n += 1; self.v.assign_add(x); return x * self.k + self.v
    @staticmethod
    @tf.function
    def s(x): return x + 1
    @classmethod
    def c(cls, x): return cls.k * x
    @property
    def p(self): return tf.function(lambda: self.v * 2)()
o = C(); print(o.m(tf.constant(1)), o.m(tf.constant(2)), o.n, o.v.numpy(), C.s(tf.constant(1)), tf.function(C.c)(tf.constant(2)), o.p)
o2 = C(); print(o2.m(tf.constant(5)), o2.n, C.m.experimental_get_tracing_count() if hasattr(C.m, "experimental_get_tracing_count") else "")
@tf.function
def outer(x):
    def inner(y):
        nonlocal x
        if y > 2: x = x + 10
        return x + y
    z = inner(x); w = inner(z); return z, w, x
print(outer(tf.constant(1)))
@tf.function
def trye(x):
    try: y = x / 0 if False else x + 1
    finally: log.append("fin")
    with tf.name_scope("abc"): z = tf.identity(y, name="here")
    return z
print(trye(tf.constant(1)), log[-1])
@tf.function
def whiles(x):
    i = 0; acc = tf.zeros([0], tf.int32)
    while True:
        i += 1
        if i > 5: break
        if i % 2: continue
        acc = tf.concat([acc, [i * x]], 0)
    return acc
print(whiles(tf.constant(3)))
@tf.function
def tw(x):
    n = tf.constant(0); s = 0.0
    while tf.reduce_sum(x) > 1.0:
        x = x / 2; n += 1
        for j in tf.range(3):
            if j == n: continue
            s += tf.cast(j, tf.float32)
            if s > 6: break
    return x, n, s
print(tw(tf.constant([8.0, 8.0])))
lam = tf.function(lambda x, *, k=2: x if x > k else -x); print(lam(tf.constant(1)), lam(tf.constant(5), k=3))
@tf.function
def comp(x): return [i * x for i in range(3)], {k: x + k for k in (1, 2)}, tuple(x - i for i in range(2)), sum([x, x]), max(1, 2), abs(x), len([x, x]), any([True]), sorted([3, 1])
print(comp(tf.constant(2)))
@tf.function
def strs(x):
    s = f"{x.shape} {x.dtype.name}"; log.append(s); return tf.strings.format("{}", x) if x.dtype != tf.string else x
print(strs(tf.constant([1, 2])), strs(tf.constant("q")), log[-2:])
@tf.autograph.experimental.do_not_convert
def raw(x): return tf.cond(x > 0, lambda: x, lambda: -x)
print(tf.function(raw)(tf.constant(-4)), tf.function(raw, autograph=False)(tf.constant(4)))
@tf.function(autograph=False)
def noag(x):
    if x > 0: return x
try: noag(tf.constant(1))
except Exception as e: print(type(e).__name__, str(e)[:80])
def gen():
    yield 1; yield 2
@tf.function
def ug(x):
    for g in gen(): x += g
    for a, (b, c) in enumerate([(1, 2), (3, 4)]): x += a * b * c
    for ch in "ab": log.append(ch)
    while len(log) % 7: log.append(0)
    return x
print(ug(tf.constant(0)))
@tf.function
def mult(x):
    y = z = x; y += 1; (p, q), *r = (1, 2), 3, 4; d = {"a": x}; d["a"] += 5; l = [x]; l.append(y); l[0] = l[0] * 9; del d
    return y, z, p + q, r, l, (lambda t: t + 1)(x), x if p else y
print(mult(tf.constant(1)))
