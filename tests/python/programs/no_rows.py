# Functions of rows where there are none, and shapes that are single numbers.
import tensorflow as tf

functions = {
    "map": lambda x: tf.map_fn(lambda row: row * 2.0, x),
    "map numbers": lambda x: tf.map_fn(tf.reduce_sum, x),
    "map signature": lambda x: tf.map_fn(lambda row: (row, tf.cast(row, tf.int32)), x, fn_output_signature=(tf.float32, tf.int32)),
    "vectorized": lambda x: tf.vectorized_map(lambda row: (tf.reduce_sum(row), row[:1]), x),
    "scan": lambda x: tf.scan(lambda a, row: a + row, x, initializer=tf.zeros(2)),
    "scan back": lambda x: tf.scan(lambda a, row: a + tf.reduce_sum(row), x, initializer=1.0, reverse=True),
    "foldl": lambda x: tf.foldl(lambda a, row: (a[0] + row, a[1] + 1), x, initializer=(tf.ones(2), 0)),
    "foldr": lambda x: tf.foldr(lambda a, row: 2.0 * a + tf.reduce_sum(row), x, initializer=3.0),
    "foldl first": lambda x: tf.foldl(lambda a, row: 2.0 * a + row, x) if x.shape[0] != 0 else x,
}
for name, function in functions.items():
    ways = [tf.function(function)]
    if name != "foldl first":
        ways.append(tf.function(function, input_signature=[tf.TensorSpec((None, 2))]))
    for rows in (0, 3):
        x = tf.reshape(tf.range(2.0 * rows), (rows, 2))
        eager = [] if rows == 0 and name.startswith(("map", "vec")) else [function]
        for way in ways + eager:
            print(name, rows, tf.nest.map_structure(lambda one: (one.shape, one.dtype.name, one.numpy().tolist()), way(x)))

with tf.GradientTape() as tape:
    x = tf.reshape(tf.range(1.0, 7.0), (3, 2))
    tape.watch(x)
    y = tf.function(lambda x: tf.foldl(lambda a, row: a * row, x, initializer=tf.ones(2)),
                    input_signature=[tf.TensorSpec((None, 2))])(x)
print(tape.gradient(y, x).numpy().tolist())

print("-- a single number for a shape")
n = tf.constant(3)
for made in (tf.zeros(n), tf.ones(n), tf.zeros(3), tf.fill(n, 2.0), tf.reshape(tf.ones((3, 1)), n), tf.zeros(n, tf.int32),
             tf.fill(tf.constant(2), "a"), tf.reshape(tf.ones((2, 2)), -1)):
    print(made)
print(tf.function(lambda n: tf.zeros(n) + tf.ones(n))(n))
