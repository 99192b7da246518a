import tensorflow as tf
tf.random.set_seed(7)
def show(label, ds):
    print(label, [round(float(x), 4) if not hasattr(x, 'shape') or x.shape == () else [round(float(y), 4) for y in x] for x in ds.as_numpy_iterator()])
ds = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([], seed=1))
for k in range(2):
    show('map op seed', ds)
ds = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([]))
for k in range(2):
    show('map global', ds)
show('repeat', tf.data.Dataset.range(2).map(lambda x: tf.random.uniform([], seed=1)).repeat(2))
ds = tf.data.Dataset.range(2).flat_map(lambda x: tf.data.Dataset.range(2).map(lambda y: tf.random.uniform([], seed=3)))
for k in range(2):
    show('flat_map', ds)
ds = tf.data.Dataset.range(8).filter(lambda x: tf.random.uniform([], seed=4) > 0.5)
for k in range(2):
    show('filter', ds)
a, b = iter(ds), iter(ds)
print([int(next(a)), int(next(b)), int(next(a)), int(next(b))])
ds = tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([], seed=5))
@tf.function
def total():
    s = tf.constant(0.0)
    for x in ds:
        s += x
    return s
print([round(float(total()), 4) for _ in range(2)])
show('scan', tf.data.Dataset.range(3).scan(0.0, lambda s, x: (s + tf.random.uniform([], seed=6), s)))
ds = tf.data.Dataset.range(3).map(lambda x: tf.random.normal([2], seed=8)).batch(3)
print([x.numpy().round(3).tolist() for x in ds], [x.numpy().round(3).tolist() for x in ds])
tf.random.set_seed(9)
ds = tf.data.Dataset.range(3).map(lambda x: tf.image.random_brightness(tf.ones([1, 1, 3]), 0.5))
for k in range(2):
    print([round(float(x[0, 0, 0]), 4) for x in ds])
ds = tf.data.Dataset.random(seed=3).take(2)
print([int(x) for x in ds], [int(x) for x in ds])
g = tf.random.Generator.from_seed(5)
ds = tf.data.Dataset.range(2).map(lambda x: g.uniform([]))
try:
    show('gen', ds); show('gen', ds)
except Exception as e:
    print(type(e).__name__)
ds = tf.data.Dataset.range(3).map(lambda x: tf.random.stateless_uniform([], seed=[1, 2]))
show('stateless', ds)
tf.random.set_seed(1)
print(tf.random.categorical([[1., 2., 3.]], 4, seed=1).numpy())
print(tf.random.categorical([[1., 2., 3.], [3., 2., 1.]], 8, seed=1).numpy())
print(tf.random.categorical([[1., 2., 3.]], 4).numpy())
print(tf.random.stateless_categorical([[1., 2., 3.]], 9, seed=[1, 2]).numpy())
tf.random.set_seed(1)
ds = tf.data.Dataset.range(6).shuffle(6, seed=2).map(lambda x: (x, tf.random.uniform([], seed=1)))
for k in range(2):
    print([(int(a), round(float(b), 4)) for a, b in ds])
