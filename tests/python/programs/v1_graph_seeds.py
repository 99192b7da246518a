import tensorflow as tf, numpy as np
v1 = tf.compat.v1
v1.disable_eager_execution()
print(v1.get_default_graph().seed)
a = v1.random_uniform([2], seed=3); b = tf.random.normal([2], seed=3); c = v1.truncated_normal([2], seed=3); d = tf.random.uniform([2], seed=1)
e = tf.random.uniform([2], 0, 10, tf.int32, seed=1); f = tf.random.shuffle([1, 2, 3, 4], seed=2)
v = tf.Variable(tf.random.normal([2], seed=1)); print(v)
with v1.Session() as s:
    s.run(v1.global_variables_initializer())
    print(s.run([a, b, c, d, e, f])); print(s.run([a, b]))
    print(s.run(v))
with v1.Session() as s: print(s.run([a, b]))
v1.set_random_seed(7)
a = v1.random_uniform([2], seed=3); b = tf.random.normal([2], seed=3)
with v1.Session() as s: print(s.run([a, b]))
