import tensorflow as tf
v1 = tf.compat.v1
import numpy as np
with v1.Graph().as_default():
    v1.set_random_seed(4)
    w = v1.get_variable("w", initializer=tf.reshape(tf.range(80, dtype=tf.float32) / 40.0, [20, 4])); b = v1.get_variable("b", initializer=tf.zeros([20]))
    x = v1.placeholder(tf.float32, [None, 4]); y = v1.placeholder(tf.int64, [None, 1])
    l = v1.reduce_mean(v1.nn.nce_loss(w, b, y, x, 5, 20)); k = v1.nn.sampled_softmax_loss(w, b, y, x, 5, 20)
    op = v1.train.GradientDescentOptimizer(0.1).minimize(l)
    with v1.Session() as s:
        s.run(v1.global_variables_initializer())
        f = {x: np.ones([3, 4]), y: [[1], [2], [3]]}
        print([s.run([l, op], f)[0].shape for _ in range(3)], s.run(k, f).shape)
