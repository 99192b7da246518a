import tensorflow as tf

log = []
def creator(next_creator, **kwargs):
    log.append((kwargs.get("name"), kwargs.get("trainable")))
    variable = next_creator(**kwargs)
    return variable

with tf.variable_creator_scope(creator):
    a = tf.Variable(1.0, name="a")
    b = tf.Variable([1, 2], trainable=False, name="b")
    layer = tf.keras.layers.Dense(1); layer.build((None, 2))
print(log[:2]); print(a, b)
def scaled(next_creator, **kwargs):
    kwargs["initial_value"] = tf.convert_to_tensor(kwargs["initial_value"]) * 10
    kwargs["name"] = "scaled_" + (kwargs["name"] or "")
    return next_creator(**kwargs)
def untrain(next_creator, **kwargs):
    kwargs["trainable"] = False
    return next_creator(**kwargs)
with tf.variable_creator_scope(scaled), tf.variable_creator_scope(untrain):
    c = tf.Variable(2.0, name="c")
print(c.numpy(), c.name, c.trainable)
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
order = []
def outer(next_creator, **kwargs): order.append("outer"); return next_creator(**kwargs)
def inner(next_creator, **kwargs): order.append("inner"); return next_creator(**kwargs)
with tf.variable_creator_scope(outer):
    with strategy.scope():
        with tf.variable_creator_scope(inner):
            d = tf.Variable(3.0)
print(order, d.numpy())
@tf.function
def f(x):
    if not created:
        created.append(tf.Variable(x * 0 + 5.0 if False else 5.0))
    return created[0] * x
created = []
print(f(tf.constant(2.0)).numpy(), f(tf.constant(3.0)).numpy())
@tf.function
def bad(x):
    v = tf.Variable(1.0)
    return v + x
try:
    bad(tf.constant(1.0)); bad(tf.constant(2.0))
except ValueError as error:
    print("tf.function only supports singleton tf.Variables" in str(error))
class Counter(tf.Module):
    def __init__(self):
        super().__init__(name="counter")
        self.count = None
    @tf.function
    def __call__(self, by):
        if self.count is None:
            self.count = tf.Variable(0, name="count")
        return self.count.assign_add(by)
m = Counter(); print(m(tf.constant(2)).numpy(), m(tf.constant(3)).numpy(), [v.name for v in m.variables])
u = tf.Variable(lambda: tf.ones((2, 2)) * 3, name="lazy"); print(u.numpy())
w = tf.Variable(1.0, constraint=lambda t: tf.clip_by_value(t, 0.0, 1.0), aggregation=tf.VariableAggregation.MEAN, synchronization=tf.VariableSynchronization.ON_WRITE)
print(w.constraint(tf.constant(5.0)).numpy(), w.aggregation, w.synchronization)
import copy
cc = copy.deepcopy(a); cc.assign(7.0); print(a.numpy(), cc.numpy(), a.ref() == a.ref(), a.ref() in {a.ref(): 1}, a.ref().deref() is a)
print(repr(b), str(b), b.shape, b.dtype, b.trainable, [int(i) for i in b], b[0].numpy(), -b, abs(b), b + 1, 1 - b, b ** 2, b == b, b > 1)
