# Arguments that once were left out: unconnected gradients, thresholds, channels in front, ranks of pools, messages.
import tensorflow as tf


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    print(name, tf.nest.map_structure(
        lambda one: (str(one.numpy().round(4)), one.dtype.name) if hasattr(one, "numpy") else one, made))


def said(name, call):
    try:
        call()
        print(name, "holds")
    except ValueError as error:
        print(name, error)


x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
rows, others = tf.ones([2, 2]), tf.ones([2, 3])
for kind in tf.UnconnectedGradients:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y, rows, others])
        z, w = x * x, rows * rows
    show(f"jacobian {kind}", lambda: tape.jacobian(z, [x, y], unconnected_gradients=kind))
    show(f"batch_jacobian {kind}", lambda: tape.batch_jacobian(w, others, unconnected_gradients=kind))
    with tf.autodiff.ForwardAccumulator(x, y) as forward:
        apart, joined = y * 2, x * 2
    show(f"jvp {kind}", lambda: [forward.jvp(one, unconnected_gradients=kind) for one in (apart, joined)])

sparse = tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
for threshold in (0, 0.5, 3.0):
    made = tf.sparse.add(sparse, sparse, threshold=threshold)
    print("sparse.add", threshold, made.indices.numpy().tolist(), made.values.numpy().tolist())
    made = tf.sparse.add(sparse, sparse * -1.0, threshold=threshold)
    print("cancelled", threshold, made.indices.numpy().tolist(), made.values.numpy().tolist())
show("sparse.mask", lambda: tf.sparse.mask(tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([3, 5])), [3]).values)

line = tf.reshape(tf.range(8.0), (1, 8, 1))
volume = tf.reshape(tf.range(16.0), (1, 2, 2, 2, 2))
for pool in (tf.nn.max_pool, tf.nn.avg_pool):
    show(f"pool {pool is tf.nn.max_pool}", lambda: [pool(line, 2, 2, "VALID"), pool(tf.reshape(line, (1, 2, 4, 1)), 2, 2, "SAME")])
    show(f"pool {pool is tf.nn.max_pool}", lambda: [pool(line, [1, 2, 1], [1, 3, 1], "SAME"), pool(volume, 2, 2, "VALID")])
show("pool of a matrix", lambda: tf.nn.max_pool(tf.ones([2, 2]), 2, 2, "VALID"))
show("places", lambda: tf.nn.max_pool_with_argmax(tf.reshape(line, (1, 2, 4, 1)), 2, 2, "VALID").argmax)
show("bias", lambda: tf.nn.bias_add(tf.zeros([1, 2, 2, 2]), [1.0, 2.0], data_format="NCHW"))
show("bias of rows", lambda: tf.nn.bias_add(tf.zeros([1, 2, 3]), [1.0, 2.0], data_format="NCW"))

order = tf.random.experimental.stateless_shuffle
show("shuffles", lambda: [order(tf.range(9), [5, 6]), order([[1, 2], [3, 4], [5, 6]], seed=[2, 3])])
show("traced", lambda: tf.function(lambda t: order(t, [5, 6]), input_signature=[tf.TensorSpec([None], tf.int32)])(tf.range(7)))
show("least squares", lambda: [tf.linalg.lstsq([[1.0, 2.0]], [[3.0]]), tf.linalg.lstsq([[1.0, 2.0]], [[3.0]], fast=False)])
show("regular", lambda: tf.linalg.lstsq([[1.0, 2.0], [2.0, 4.0]], [[3.0], [6.0]], l2_regularizer=0.5))
show("dependent", lambda: tf.linalg.lstsq([[1.0, 2.0], [2.0, 4.0]], [[3.0], [6.0]], fast=False))

check = tf.debugging
said("rank", lambda: check.assert_rank(tf.ones([2]), 2, message="hello"))
said("rank at least", lambda: check.assert_rank_at_least(tf.ones([2]), 2))
said("rank in", lambda: check.assert_rank_in(tf.ones([2]), (0, 2)))
said("shapes", lambda: check.assert_shapes([(tf.ones([2, 3]), ("a", "b")), (tf.ones([4]), ("b",))], message="m"))
said("sizes", lambda: check.assert_shapes([(tf.ones([2, 3]), ("N", 4))]))
said("letters", lambda: check.assert_shapes([(tf.ones([2, 3]), ("N", 3)), (tf.ones([2, 2]), ("N", "Q"))]))
said("any", lambda: check.assert_shapes([(tf.ones([2, 3]), ("...", "b")), (tf.ones([3]), ("b",)), (tf.ones([]), ())]))
with tf.Graph().as_default():
    losses = tf.compat.v1.losses
    losses.mean_squared_error([1.0, 2.0], [2.0, 4.0], scope="apart")
    losses.hinge_loss([1.0, 0.0], [0.5, 0.3])
    print(len(losses.get_losses()), len(losses.get_losses(scope="apart")), len(losses.get_losses(scope="nothing")))
first = tf.constant(1.1)
with tf.autodiff.ForwardAccumulator(first, tf.constant(1.0)) as outer:
    with tf.autodiff.ForwardAccumulator(first, tf.constant(1.0)) as inner:
        power = first ** tf.constant(3.5)
print("%.3f %.3f" % (inner.jvp(power), outer.jvp(inner.jvp(power))))
