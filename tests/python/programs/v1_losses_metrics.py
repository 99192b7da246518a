import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
labels = tf.constant([1.0, 0.0, 1.0])
preds = tf.constant([0.8, 0.3, 0.6])
weights = tf.constant([1.0, 2.0, 0.0])
losses = {
    "mse": tf.losses.mean_squared_error(labels, preds),
    "weighted": tf.losses.mean_squared_error(labels, preds, weights=weights),
    "sum": tf.losses.absolute_difference(labels, preds, reduction=tf.losses.Reduction.SUM),
    "none": tf.losses.absolute_difference(labels, preds, reduction=tf.losses.Reduction.NONE, loss_collection=None),
    "mean": tf.losses.huber_loss(labels, preds, weights=weights, reduction=tf.losses.Reduction.MEAN),
    "hinge": tf.losses.hinge_loss(labels, preds),
    "sigmoid": tf.losses.sigmoid_cross_entropy(labels, preds, label_smoothing=0.1),
    "sparse": tf.losses.sparse_softmax_cross_entropy(tf.constant([1, 0]), tf.constant([[0.2, 0.8], [0.5, 0.5]])),
    "softmax": tf.losses.softmax_cross_entropy(tf.constant([[0, 1]]), tf.constant([[0.2, 0.8]])),
    "cosine": tf.losses.cosine_distance(tf.nn.l2_normalize([[1.0, 2.0]], 1), tf.nn.l2_normalize([[2.0, 1.0]], 1), axis=1),
    "pairwise": tf.losses.mean_pairwise_squared_error(tf.constant([[1.0, 2.0, 3.0]]), tf.constant([[1.5, 2.0, 2.0]])),
    "total": tf.losses.get_total_loss(),
}
acc, acc_op = tf.metrics.accuracy(tf.constant([1, 0, 1]), tf.constant([1, 1, 1]))
mean, mean_op = tf.metrics.mean(tf.constant([1.0, 2.0, 6.0]), weights=tf.constant([1.0, 1.0, 0.0]))
pr, pr_op = tf.metrics.precision(tf.constant([1, 0, 1]), tf.constant([1, 1, 0]))
rc, rc_op = tf.metrics.recall(tf.constant([1, 0, 1]), tf.constant([1, 1, 0]))
auc, auc_op = tf.metrics.auc(tf.constant([1, 0, 1, 0]), tf.constant([0.9, 0.4, 0.35, 0.1]))
rmse, rmse_op = tf.metrics.root_mean_squared_error(tf.constant([1.0, 2.0]), tf.constant([1.0, 4.0]))
iou, iou_op = tf.metrics.mean_iou(tf.constant([0, 1, 1]), tf.constant([0, 1, 0]), 2)
topk, topk_op = tf.metrics.recall_at_k(tf.constant([[1], [0]], tf.int64), tf.constant([[0.1, 0.9], [0.4, 0.6]]), 1)
print(len(tf.losses.get_losses()), len(tf.local_variables()), len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)))
with tf.Session() as sess:
    for name in sorted(losses):
        print(name, np.round(sess.run(losses[name]), 5).tolist())
    try:
        sess.run(acc)
    except tf.errors.FailedPreconditionError:
        print("FailedPreconditionError")
    sess.run(tf.local_variables_initializer())
    print(sess.run(acc))
    print(sess.run([acc_op, mean_op, pr_op, rc_op]))
    sess.run([acc_op, mean_op])
    print(sess.run([acc, mean, pr, rc]))
    sess.run([auc_op, rmse_op, iou_op, topk_op])
    print(np.round(sess.run([auc, rmse, iou, topk]), 4).tolist())
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2])
    try:
        tf.losses.mean_squared_error(tf.zeros([3]), tf.zeros([4]))
    except ValueError as e:
        print("ValueError")
    try:
        tf.losses.mean_squared_error(None, tf.zeros([4]))
    except ValueError as e:
        print("ValueError", e)
