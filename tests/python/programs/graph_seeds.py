# The seed of a graph of version 1 is its own, and counts its ops; gamma, Poisson and binomial numbers.
import tensorflow as tf

v1 = tf.compat.v1
tf.random.set_seed(5)
with tf.Graph().as_default() as g:
    print(g.seed, v1.get_seed(None), v1.get_seed(3))
    v1.set_random_seed(17)
    print(g.seed)
    ops = [tf.random.normal([3]), tf.random.uniform([3], seed=4), v1.random_uniform([2], maxval=10, dtype=tf.int32, seed=1),
           v1.truncated_normal([2]), tf.random.shuffle([1, 2, 3, 4, 5]), v1.multinomial([[1.0, 2.0, 3.0]], 4, seed=2),
           tf.random.categorical([[1.0, 2.0, 3.0]], 4), tf.nn.dropout(tf.ones([8]), 0.5, seed=3),
           tf.random.gamma([3], 2.0, seed=4), tf.random.poisson([3], 2.0, seed=4)]
    with v1.Session() as s:
        for _ in range(2):
            for one in ops:
                print(one.shape, s.run(one))
    print([v1.get_seed(None), v1.get_seed(3)])
print(tf.random.normal([2]).numpy(), tf.random.uniform([2], seed=9).numpy())
with tf.Graph().as_default() as g:
    tf.random.set_seed(99)
    print(g.seed, v1.get_seed(None), v1.get_seed(3))
    v = v1.get_variable("v", [3])
    w = v1.get_variable("w", [3, 2], initializer=v1.random_normal_initializer())
    z = v1.get_variable("z", [2], initializer=v1.truncated_normal_initializer(seed=5))
    for _ in range(2):
        with v1.Session() as s:
            s.run(v1.global_variables_initializer())
            print(s.run([v, w, z]))
print(tf.random.normal([2]).numpy())
v1.set_random_seed(8)
print(tf.random.normal([2]).numpy(), tf.random.normal([2], seed=1).numpy())
with tf.Graph().as_default():
    v1.set_random_seed(1)
    with v1.variable_scope("s"):
        x = tf.random.normal([2])
    y = tf.random.normal([2])
    _, total = tf.while_loop(lambda i, o: i < 3, lambda i, o: (i + 1, o + tf.random.uniform([])), [0, 0.0])
    branch = tf.cond(tf.constant(True), lambda: tf.random.normal([2]), lambda: tf.zeros([2]))
    with v1.Session() as s:
        print(s.run(x), s.run(y), s.run(branch), s.run(total))


@tf.function
def draw():
    return tf.random.normal([2]), tf.random.uniform([2], seed=3)


tf.random.set_seed(3)
print([t.numpy() for t in draw()], [t.numpy() for t in draw()])
with tf.Graph().as_default():
    v1.set_random_seed(4)
    r = draw()
    with v1.Session() as s:
        print(s.run(r))

tf.random.set_seed(3)
print(tf.random.gamma([4], 0.5, seed=1).numpy(), tf.random.gamma([4], [0.5, 2.5], beta=3.0, seed=1).numpy())
print(tf.random.gamma([3], tf.constant(1.5, tf.float64), dtype=tf.float64, seed=1).numpy(), tf.random.gamma([3], 1.0).numpy())
print(tf.random.poisson([4], 2.5, seed=1).numpy(), tf.random.poisson([3], tf.constant([2.5, 30.0]), dtype=tf.int32, seed=1).numpy())
print(tf.random.stateless_gamma([4, 2], [1, 2], [0.5, 3.0], beta=2.0).numpy(), tf.random.stateless_gamma([3], [5, 6], [0.1, 1.0, 20.0]).numpy())
print(tf.random.stateless_poisson([3, 2], [1, 2], [2.5, 40.0], dtype=tf.int32))
print(tf.random.stateless_binomial([5], [1, 2], 10.0, 0.3), tf.random.stateless_binomial([5], [1, 2], 100.0, 0.3).numpy())
print(tf.random.stateless_binomial([5, 2], [1, 2], [10.0, 50.0], [0.3, 0.8], output_dtype=tf.float32).numpy())
for shape, counts in [([4], 20.0), ([2], [20.0, 3.0]), ([4], [20.0, 5.0, 100.0, 3.0]), ([3, 2], [5.0, 6.0])]:
    generator = tf.random.Generator.from_state([0, 0, 7], alg="philox")
    print(generator.binomial(shape, counts, 0.25).numpy().tolist(), generator.state.numpy())
try:
    tf.random.gamma([2], 1.0, dtype=tf.int32)
except (ValueError, TypeError) as error:
    print("refused")
