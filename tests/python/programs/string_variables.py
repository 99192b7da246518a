"""Variables that hold text."""
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
v = tf.Variable("a", name="word"); print(v)
print(v.assign("b")); print(v.numpy())
w = tf.Variable(["x", "y"])
print(w.assign(["p", "q"]), w[0].numpy())
@tf.function
def f(x):
    w.assign(tf.strings.join([x, w]))
    return w.read_value()
print(f("k"))
@tf.function
def g(n):
    for i in tf.range(n):
        if i % 2 == 0:
            w.assign(w + "!")
        else:
            w.assign(tf.strings.upper(w))
    return w + "."
print(g(3))
print(tf.strings.length(w))
print(w.scatter_nd_update([[1]], ["z"]).numpy())
u = tf.Variable(tf.constant(["a", "b", "c"]))
print(u.shape, u.dtype)
try:
    u.assign(["a"])
except ValueError as e:
    print("ValueError")
try:
    u.assign([1, 2, 3])
except Exception as e:
    print(type(e).__name__)
c = tf.train.Checkpoint(u=u)
path = c.write(folder + "/words")
u.assign(["d", "e", "f"])
c.read(path)
print(u.numpy())
