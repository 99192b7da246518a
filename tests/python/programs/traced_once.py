"""What Python does in branches, loops and functions of elements happens once for each trace: prints, lists, counters."""
import numpy as np
import tensorflow as tf

@tf.function
def f(n):
    s = 0.0
    for i in tf.range(n):
        print("body traced")
        s += tf.cast(i, tf.float32)
    return s
print(f(tf.constant(3)))
@tf.function
def g(n):
    i = 0
    acc = []
    while i < n:
        print("while body")
        i += 1
        if i > 2:
            print("if body")
    return i
print(g(tf.constant(3)))
@tf.function
def ds(d):
    tot = tf.constant(0, tf.int64)
    for e in d:
        print("ds body")
        tot += e
    return tot
print(ds(tf.data.Dataset.range(5)))
def k(x): print("map traced"); return x + 1
print(list(tf.data.Dataset.range(3).map(k).as_numpy_iterator()))
print(tf.while_loop(lambda i: i < 3, lambda i: [print("eager body", i.numpy()) or i + 1], [tf.constant(0)]))
@tf.function
def wl(n):
    def c(i): print("cond traced"); return i < n
    def b(i): print("body traced"); return (i + 1,)
    return tf.while_loop(c, b, (tf.constant(0),))
print(wl(tf.constant(3)))
@tf.function
def cd(x):
    return tf.cond(x > 0, lambda: print("true") or x, lambda: print("false") or -x)
print(cd(tf.constant(-2)), cd(tf.constant(3)))
@tf.function
def cs(i):
    return tf.switch_case(i, [lambda: print("b0") or 1., lambda: print("b1") or 2.], default=lambda: 9.)
print(cs(tf.constant(1)), cs(tf.constant(7)))
@tf.function
def fn():
    def r():
        print("replica fn")
        for i in tf.range(2): print("inner")
        return tf.constant(1.)
    return tf.distribute.get_strategy().run(r)
print(fn())
tf.random.set_seed(3)
v = tf.Variable(1.0); w = tf.Variable([1., 2.]); frozen = tf.Variable(3.0)
@tf.function
def rnd(n):
    s = tf.zeros([2])
    for i in tf.range(n):
        if i % 2 == 0: s += tf.random.normal([2])
        else: s -= tf.random.uniform([2])
    return s, tf.random.normal([1])
print(rnd(tf.constant(4)), rnd(tf.constant(3)))
@tf.function
def grads(n):
    for i in tf.range(n):
        with tf.GradientTape() as t:
            loss = tf.reduce_sum(w * w * frozen) * v
        g = t.gradient(loss, [w, v, frozen])
        w.assign_sub(0.01 * g[0])
        if v > 0.9: v.assign_sub(0.001 * g[1])
    return g if False else loss if False else v.read_value()
print(grads(tf.constant(5)), w.numpy(), v.numpy())
@tf.function
def outer(n):
    with tf.GradientTape() as t:
        s = tf.constant(0.)
        for i in tf.range(n):
            for j in tf.range(i):
                if j > 1: s += v * frozen
                else: s += v * tf.cast(j, tf.float32) + tf.reduce_sum(w)
    return s, t.gradient(s, [v, w, frozen])
print([np.round(one, 3) for one in tf.nest.flatten(outer(tf.constant(5)))])
@tf.function
def temps(xs):
    tot = 0.
    for a in xs:
        sq = a * a; half = sq / 2
        for k in tf.range(2):
            tmp = half + tf.cast(k, tf.float32); tot += tmp
        name = "x"
    return tot
print(temps(tf.constant([1., 2., 3.])))
@tf.function
def last(xs):
    y = tf.constant(0.)
    for a in xs: y = a
    return y, a if False else 0
print(last(tf.constant([1., 5.])))
@tf.function
def ta(n):
    out = tf.TensorArray(tf.float32, n); out2 = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
    st = tf.zeros([2])
    for i in tf.range(n):
        st = st + 1.; out = out.write(i, st * v)
        if i % 2 == 0: out2 = out2.write(out2.size(), st)
    return out.stack(), out2.stack()
print(ta(tf.constant(3)))
class C:
    def __init__(self): self.n = tf.constant(0); self.log = []
    @tf.function
    def go(self, k):
        n = self.n
        for _ in range(2):
            if k > n: n = n + 1; self.log.append("a")
            else: n = n - 1; self.log.append("b")
        return n
c = C(); print(c.go(tf.constant(1)), c.log)
calls = {"n": 0}
def ext(x): calls["n"] += 1; return x + 1
@tf.function
def counts(x):
    if x > 0:
        y = ext(x)
        if y > 3: y = ext(y)
        elif y > 2: y = ext(y)
        else: y = y * 2
    else: y = ext(-x)
    while y < 20: y = ext(y)
    return y
print(counts(tf.constant(1)), calls)
l = []
@tf.function
def appender(x):
    if x > 0: l.append("pos"); r = x
    else: l.append("neg"); r = -x
    for i in tf.range(3): l.append("loop"); r += i
    return r
print(appender(tf.constant(-4)), l); appender(tf.constant(4)); print(l)
@tf.function
def early(x):
    print("trace early")
    if x > 10: print("t1"); return x
    for i in tf.range(3):
        print("t2")
        if i > 1: x += 1; continue
        x -= 1
    if x < 0: print("t3"); return tf.constant(0)
    return x * 2
print(early(tf.constant(3)), early(tf.constant(30)))
ds = tf.data.Dataset.range(6).batch(4)
n = []
def m(x): n.append(tuple(x.shape)); return tf.cond(tf.size(x) > 3, lambda: x * 2, lambda: x)
print(list(ds.map(m).as_numpy_iterator()), n)
def f2(x): n.append("filter"); return tf.reduce_sum(x) > 7
print(list(ds.filter(f2).as_numpy_iterator()), n)
d3 = ds.map(lambda x: (n.append("rnd"), tf.random.uniform([]))[1]); print(n[-1]); tf.random.set_seed(2); print(list(d3.as_numpy_iterator()), len(n)); list(d3); print(len(n))
@tf.function
def train(d):
    t = tf.constant(0, tf.int64)
    for x in d:
        print("train body", x.shape); v.assign_add(tf.cast(tf.reduce_sum(x), tf.float32)); t += tf.cast(v, tf.int64)
    return t
print(train(ds), train(ds))
