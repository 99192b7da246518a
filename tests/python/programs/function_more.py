import tensorflow as tf
import numpy as np
@tf.function
def add(a, b): return a + b
print(add(tf.ones([2, 2]), tf.ones([2, 2])).numpy())
@tf.function
def double(a): print("Tracing with", a); return a + a
print(double(tf.constant(1))); print(double(tf.constant(1.1))); print(double(tf.constant("a"))); print(double(tf.constant("b")))
print(double.pretty_printed_concrete_signatures() if hasattr(double, "pretty_printed_concrete_signatures") else "")
ds = double.get_concrete_function(tf.constant("a")); print(ds(tf.constant("c")).numpy()); print(ds)
print(double.get_concrete_function(tf.TensorSpec(shape=[None], dtype=tf.float32)).structured_input_signature, ds.structured_outputs)
try: ds(tf.constant(1))
except Exception as e: print(type(e).__name__)
@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x): print("Tracing with", x); return tf.where(x % 2 == 0, x // 2, 3 * x + 1)
print(next_collatz(tf.constant([1, 2])))
try: next_collatz(tf.constant([[1, 2], [3, 4]]))
except TypeError as e: print("TypeError")
try: next_collatz(tf.constant([1.0, 2.0]))
except TypeError as e: print("TypeError")
@tf.function(reduce_retracing=True)
def rr(x): print("trace", x.shape); return tf.reduce_sum(x)
for k in (1, 2, 3, 4): print(rr(tf.ones([k])).numpy())
def train_one(): pass
@tf.function
def train(num_steps):
    print("Tracing with num_steps = ", num_steps); tf.print("Executing with num_steps = ", num_steps)
    for _ in tf.range(num_steps): train_one()
train(num_steps=10); train(num_steps=20); train(num_steps=tf.constant(10)); train(num_steps=tf.constant(20))
@tf.function
def f(x): print("Traced with", x); tf.print("Executed with", x)
f(1); f(1); f(2)
ext = []
@tf.function
def side(x): ext.append(x.shape); return x
side(tf.constant(1)); side(tf.constant(2)); print(ext)
class Counter(tf.Module):
    def __init__(self): self.count = tf.Variable(0)
    @tf.function
    def __call__(self): return self.count.assign_add(1)
c = Counter(); print([c().numpy() for _ in range(3)])
tf.config.run_functions_eagerly(True); print(double(tf.constant(4)).numpy(), tf.config.functions_run_eagerly()); tf.config.run_functions_eagerly(False)
@tf.function
def deps(x, y, *args, k=2, **kw): return x + y + sum(args) + k + kw.get("z", 0)
print(deps(1, 2).numpy(), deps(1, tf.constant(2), 3, k=4, z=5).numpy())
@tf.function
def nested(d): return {"s": d["a"] + d["b"][0], "t": (d["a"], [d["b"][1]])}
print(nested({"a": tf.constant(1), "b": [tf.constant(2), tf.constant(3)]}))
@tf.function
def opt(x, flag=True): return x + 1 if flag else x - 1
print(opt(1).numpy(), opt(1, False).numpy(), opt(tf.constant(1), flag=tf.constant(False)).numpy())
outer = tf.Variable(1.0)
@tf.function
def usev(x): outer.assign_add(x); return outer
print(usev(2.0).numpy(), usev(3.0).numpy())
@tf.function
def np_in(a): return tf.reduce_sum(a)
print(np_in(np.ones([2, 2], np.float32)).numpy(), np_in(np.ones([2, 2], np.float32)).dtype)
lam = tf.function(lambda x: x * 3); print(lam(tf.constant(2)).numpy(), lam.__class__.__name__, add.__name__)
@tf.function(autograph=False)
def noauto(x): return tf.cond(x > 0, lambda: x, lambda: -x)
print(noauto(tf.constant(-3)).numpy())
@tf.function(jit_compile=True)
def jit(x): return x * 2 + 1
print(jit(tf.constant(3.)).numpy())
print(tf.autograph.to_code(train_one)[:4] if True else "", tf.executing_eagerly(), tf.inside_function())
@tf.function
def inside(): return tf.constant(tf.executing_eagerly()), tf.constant(tf.inside_function())
print([t.numpy() for t in inside()])
@tf.function
def sess(x):
    y = tf.identity(x, name="my"); return y
print([op.name for op in sess.get_concrete_function(tf.TensorSpec([], tf.int32)).graph.get_operations()])
g = tf.Graph()
with g.as_default(): tf.constant(1, name="k")
