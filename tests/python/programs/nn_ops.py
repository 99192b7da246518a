import tensorflow as tf
x = tf.reshape(tf.range(32.), [1, 4, 4, 2]) / 10; f = tf.ones([2, 2, 2, 3]) * 0.1
p = lambda t: print([round(float(v), 3) for v in tf.reshape(t, [-1])[:8]], t.shape)
p(tf.nn.conv2d(x, f, 1, "SAME")); p(tf.nn.conv2d(x, f, [1, 2, 2, 1], "VALID")); p(tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 2, 1]), [1, 1, 1, 1], "SAME")); p(tf.nn.conv2d_transpose(x, tf.ones([2, 2, 3, 2]), [1, 8, 8, 3], 2))
p(tf.nn.max_pool2d(x, 2, 2, "VALID")); p(tf.nn.avg_pool2d(x, 2, 2, "SAME")); p(tf.nn.conv1d(x[0], tf.ones([2, 2, 1]), 1, "SAME"))
p(tf.nn.relu(x - 1)); p(tf.nn.leaky_relu(x - 1)); p(tf.nn.elu(x - 1)); p(tf.nn.selu(x - 1)); p(tf.nn.gelu(x - 1)); p(tf.nn.silu(x)); p(tf.nn.softplus(x)); p(tf.nn.relu6(x * 4)); p(tf.nn.softmax(x)); p(tf.nn.log_softmax(x)); p(tf.nn.sigmoid(x)); p(tf.nn.tanh(x)); p(tf.nn.l2_normalize(x, -1)); p(tf.nn.bias_add(x, [1., 2.]))
print([t.numpy().round(3).tolist() for t in tf.nn.moments(x, [0, 1, 2])]); p(tf.nn.batch_normalization(x, 1., 2., 0.5, 2., 1e-3)); p(tf.nn.local_response_normalization(x))
lab = tf.constant([1, 0]); log = tf.constant([[1., 2., .5], [.1, .2, .3]])
p(tf.nn.sparse_softmax_cross_entropy_with_logits(lab, log)); p(tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(lab, 3), log)); p(tf.nn.sigmoid_cross_entropy_with_logits(tf.one_hot(lab, 3), log)); p(tf.nn.weighted_cross_entropy_with_logits(tf.one_hot(lab, 3), log, 2.))
print(tf.nn.top_k(log, 2).indices.numpy().tolist(), tf.nn.in_top_k(lab, log, 1).numpy().tolist(), tf.nn.embedding_lookup(log, [1, 1]).numpy().tolist(), tf.nn.zero_fraction([0., 1.]).numpy(), tf.nn.l2_loss([3., 4.]).numpy(), tf.nn.compute_average_loss([1., 3.], global_batch_size=4).numpy(), tf.nn.scale_regularization_loss(2.).numpy())
tf.random.set_seed(0); d = tf.nn.dropout(tf.ones([1000]), 0.4); print(sorted(set(d.numpy().round(4).tolist())), bool(500 < tf.math.count_nonzero(d) < 700))
with tf.GradientTape(persistent=True) as t:
    t.watch([x, f]); y = tf.reduce_sum(tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, f, 1, "SAME")), 2, 2, "VALID") ** 2)
p(t.gradient(y, x)); p(t.gradient(y, f))
