"""Gradients through loops and branches that also change something: variables, counters, random states, output."""
import numpy as np
import tensorflow as tf

v = tf.Variable(2.0, name="v")
w = tf.Variable([1.0, 2.0], name="w")
count = tf.Variable(0, name="count")


def reset():
    v.assign(2.0)
    w.assign([1.0, 2.0])
    count.assign(0)


def shown(values):
    return [None if value is None else tf.convert_to_tensor(value).numpy().tolist() for value in values]


@tf.function
def counted():
    with tf.GradientTape() as tape:
        y = tf.constant(3.0)
        for i in tf.range(3):
            y = y * v
            count.assign_add(1)
    return [tape.gradient(y, v), count.read_value()]


reset()
print("counted", shown(counted()))


@tf.function
def reads_what_it_writes():
    with tf.GradientTape() as tape:
        y = tf.constant(0.0)
        for i in tf.range(3):
            y = y + v * v
            v.assign_add(1.0)
    return y, tape.gradient(y, v), v.read_value()


reset()
print("reads what it writes", shown(reads_what_it_writes()))


@tf.function
def branch(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        if x > 0:
            v.assign(x)
            y = v * v * x
        else:
            y = x * v
    return [y] + tape.gradient(y, [x, v])


for x in [3.0, -3.0]:
    reset()
    print("branch", shown(branch(tf.constant(x))))


@tf.function
def nested(x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for i in tf.range(n):
            if i % 2 == 0:
                y = y * v
                v.assign_add(1.0)
                for k in tf.range(i):
                    y = y + v * tf.reduce_sum(w)
                    w.assign(w * 0.5)
            else:
                y = y + v
    return [y] + tape.gradient(y, [x, v, w]) + [v.read_value(), w.read_value()]


for n in [0, 1, 4]:
    reset()
    print("nested", n, shown(nested(tf.constant(3.0), tf.constant(n))))


@tf.function
def step(x):
    y = x
    for i in tf.range(3):
        y = y * v
        v.assign(v + 1.0)
    return y


reset()
with tf.GradientTape() as tape:
    z = step(tf.constant(2.0)) + v
print("called", shown([z, tape.gradient(z, v)]), sorted(x.name for x in tape.watched_variables()))

reset()
x = tf.constant(2.0)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        z = step(x) * x
    first = inner.gradient(z, x)
print("twice", shown([z, first, outer.gradient(first, x)]))


@tf.function
def second():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.constant(1.0)
            for i in tf.range(2):
                y = y * v * v
                count.assign_add(1)
        first = inner.gradient(y, v)
    return [first, outer.gradient(first, v), count.read_value()]


reset()
print("second", shown(second()))


@tf.function
def noisy(x, rate):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for i in tf.range(4):
            y = tf.nn.dropout(y, rate) + x * tf.random.normal([3])
    return y, tape.gradient(y, x)


y, g = noisy(tf.constant([1.0, 2.0, 4.0]), tf.constant(0.5))
print("noisy", np.allclose(y, g * [1.0, 2.0, 4.0], rtol=1e-4))

generator = tf.random.Generator.from_seed(7)


@tf.function
def drawn(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        while tf.reduce_sum(y) < 100.0:
            y = y * (1.0 + generator.uniform([2]))
    return y, tape.gradient(y, x)


y, g = drawn(tf.constant([1.0, 2.0]))
print("drawn", np.allclose(y, g * [1.0, 2.0]))


@tf.function
def told(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for i in tf.range(2):
            factor = tf.py_function(lambda i: (calls.append(int(i)), float(i) + 2.0)[1], [i], tf.float32)
            factor.set_shape([])
            y = y * tf.stop_gradient(factor)
    return tape.gradient(y, x)


calls = []
print("told", shown([told(tf.constant(1.0))]), calls)


@tf.function
def rows(ids):
    with tf.GradientTape() as tape:
        y = tf.constant(0.0)
        for i in tf.range(3):
            y = y + tf.reduce_sum(tf.gather(table, ids) ** 2)
            table.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), i[tf.newaxis]))
    return y, tf.convert_to_tensor(tape.gradient(y, table))


table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
print("rows", shown(rows(tf.constant([0, 2, 2]))), table.numpy().tolist())

with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    a = tf.compat.v1.get_variable("a", initializer=3.0)
    b = tf.compat.v1.get_variable("b", initializer=0.0)

    def body(i, y):
        with tf.control_dependencies([b.assign_add(1.0)]):
            return i + 1, y * a

    last = tf.while_loop(lambda i, y: i < 3, body, [0, 2.0])[1]
    gradient = tf.gradients(last, a)
    session.run(tf.compat.v1.global_variables_initializer())
    print("graph", session.run([last] + gradient), session.run(b))
