# Attributes and items that loops and branches over tensors assign.
import tensorflow as tf
class State:
    def __init__(self): self.total = tf.constant(0); self.best = None; self.log = []; self.inner = None
@tf.function
def attributes(n):
    s = State()
    for i in tf.range(n): s.total += i
    return s.total
print(attributes(tf.constant(5)).numpy())
@tf.function
def items(n):
    d = {"a": tf.constant(0), "b": tf.constant(1.0), "l": [tf.constant(0), tf.constant(1)]}
    for i in tf.range(n):
        d["a"] = d["a"] + i
        d["b"] *= 2.0
        d["l"][0] += 1
        if i % 2 == 0: d["l"][1] += 10
    return d
print(tf.nest.map_structure(lambda t: t.numpy(), items(tf.constant(4))))
@tf.function
def branch(x):
    d = {}
    if x > 0: d["v"] = x * 2
    else: d["v"] = -x
    return d["v"]
print(branch(tf.constant(3)).numpy(), branch(tf.constant(-4)).numpy())
@tf.function
def nested(n):
    s = State(); s.inner = State(); key = "k"; t = {"k": tf.constant(1)}
    i = tf.constant(0)
    while i < n:
        s.inner.total = s.inner.total + t[key]
        t[key] *= 2
        i += 1
        if s.inner.total > 20: break
    return s.inner.total, t[key], i
print([v.numpy() for v in nested(tf.constant(9))], [v.numpy() for v in nested(tf.constant(2))])
class Counter(tf.Module):
    def __init__(self): self.hits = tf.Variable(0); self.last = tf.Variable(-1)
    @tf.function
    def scan(self, v):
        for x in v:
            if x > 2:
                self.hits.assign_add(1)
                self.last.assign(x)
        return self.hits
c = Counter(); print(c.scan(tf.constant([1, 3, 5])).numpy(), c.last.numpy())
class Layer(tf.keras.layers.Layer):
    @tf.function
    def call(self, x):
        state = {"y": x, "n": tf.constant(0)}
        for _ in tf.range(3):
            if tf.reduce_sum(state["y"]) < 10.0:
                state["y"] = state["y"] * 2.0; state["n"] += 1
        return state["y"], state["n"]
layer = Layer(); print([v.numpy().tolist() for v in layer(tf.ones((1, 2)))])
@tf.function
def python_values(flag):
    s = State()
    for k in range(3): s.log.append(k); s.best = k
    if flag: s.best = 7
    return s.best, len(s.log)
print([int(v) for v in python_values(True)], [int(v) for v in python_values(False)])
@tf.function
def gradient(x):
    d = {"y": x}
    with tf.GradientTape() as tape:
        tape.watch(x); d["y"] = x
        for _ in tf.range(3): d["y"] = d["y"] * x
    return tape.gradient(d["y"], x)
print(gradient(tf.constant(2.0)).numpy())
