import threading
import queue
import numpy as np
import tensorflow as tf

tf.random.set_seed(42)
v = tf.Variable(tf.zeros([3]))
lock = threading.Lock()
g = tf.random.Generator.from_seed(7)
print(g.normal([2]).numpy().round(4), g.uniform([2], maxval=10, dtype=tf.int32).numpy(), g.state.numpy())
parts = g.split(3)
results = [None] * 3


def draw(i):
    results[i] = parts[i].normal([2]).numpy().round(4).tolist()


threads = [threading.Thread(target=draw, args=(i,)) for i in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
print(results)
print(tf.random.stateless_normal([2], seed=[1, 2]).numpy().round(4), tf.random.stateless_uniform([2], seed=(3, 4), minval=0, maxval=5, dtype=tf.int32).numpy())
seeds = tf.random.split([1, 2], 2) if hasattr(tf.random, "split") else tf.random.experimental.stateless_split([1, 2], 2)
print(seeds.numpy().tolist(), tf.random.experimental.stateless_fold_in([1, 2], 3).numpy().tolist())
tf.random.set_seed(1)
a = tf.random.normal([2]).numpy()
b = tf.random.normal([2]).numpy()
tf.random.set_seed(1)
print(np.array_equal(a, tf.random.normal([2]).numpy()), np.array_equal(b, tf.random.normal([2]).numpy()), np.array_equal(a, b))
print(tf.random.uniform([2], seed=5).numpy().round(4), tf.random.uniform([2], seed=5).numpy().round(4))


@tf.function
def f():
    return tf.random.uniform([2], seed=5)


print(f().numpy().round(4), f().numpy().round(4))


@tf.function
def worker(x):
    v.assign_add(x)
    return tf.reduce_sum(v)


def add(n):
    for _ in range(n):
        with lock:
            worker(tf.ones([3]))


threads = [threading.Thread(target=add, args=(50,)) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(v.numpy())
q = queue.Queue()


def produce():
    for x in tf.data.Dataset.range(10).shuffle(10, seed=3).batch(4):
        q.put(x.numpy())
    q.put(None)


t = threading.Thread(target=produce)
t.start()
got = []
while (item := q.get()) is not None:
    got.append(item.tolist())
t.join()
print(got)
errors = []


def wrong():
    try:
        v.assign(tf.zeros([4]))
    except ValueError as e:
        errors.append(type(e).__name__)


t = threading.Thread(target=wrong)
t.start()
t.join()
print(errors)
local = threading.local()
tapes = {}


def grad(i):
    w = tf.Variable(float(i))
    with tf.GradientTape() as tape:
        y = w * w
    tapes[i] = float(tape.gradient(y, w))


threads = [threading.Thread(target=grad, args=(i,)) for i in range(5)]
[t.start() for t in threads]
[t.join() for t in threads]
print([tapes[i] for i in range(5)])
ds = tf.data.Dataset.range(6).shuffle(6, seed=1, reshuffle_each_iteration=True)
print([int(x) for x in ds], [int(x) for x in ds])
ds = tf.data.Dataset.range(6).shuffle(6, seed=1, reshuffle_each_iteration=False)
print([int(x) for x in ds] == [int(x) for x in ds])
c = tf.random.Generator.from_state([1, 2, 3], alg="philox")
c.skip(5)
print(c.state.numpy(), c.key.numpy(), c.algorithm)
c.reset_from_seed(9)
print(c.make_seeds(2).numpy().tolist())
print(tf.random.shuffle(tf.range(5), seed=2).numpy() if False else "-", tf.random.truncated_normal([2], seed=3).numpy().round(4))
for bad in (lambda: tf.random.stateless_normal([2], seed=[1]),
            lambda: tf.random.uniform([2], dtype=tf.int32)):
    try:
        bad()
        print("none")
    except (ValueError, tf.errors.InvalidArgumentError) as e:
        print("refused")
