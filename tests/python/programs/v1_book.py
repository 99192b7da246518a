"""A program of a book on version 1: sizes with a value, labels of open shape, parameters counted, datasets that are exchanged."""
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
X = tf.placeholder(tf.float32, [None, 6], name="X"); y = tf.placeholder(tf.int32, name="y"); z = tf.placeholder(tf.float32, name="z")
print(X, X.shape, repr(X.shape), X.shape[0], X.shape[1], repr(X.shape[0]), repr(X.shape[1]), X.shape[0].value, X.shape[1].value, X.get_shape().as_list(), X.shape.dims, X.shape[1:], X.get_shape()[-1].value)
print([d.value for d in X.shape], X.shape[1] * 2, X.shape[1] + 1, 3 * X.shape[1], X.shape[1] // 4, X.shape[1] == 6, X.shape[0] * 3, X.shape.ndims, len(X.shape), X.shape.num_elements(), X.shape.is_fully_defined())
batch = X.get_shape()[0].value or tf.shape(X)[0]; print(batch.dtype)
W = tf.get_variable("W", [X.shape[1], 4], initializer=tf.constant_initializer(0.1)); b = tf.Variable(tf.zeros([4])); print(W.shape, b.shape, tf.TensorShape([None]), tf.TensorShape([2, None]).concatenate([3]), tf.TensorShape([3]) == [3])
total = 0
for v in tf.trainable_variables():
    n = 1
    for d in v.get_shape(): n *= d.value
    total += n
print(total, [tuple(v.shape.as_list()) for v in tf.trainable_variables()])
flat = tf.reshape(X, [-1, X.shape[1] // 2, 2]); print(flat, tf.reshape(flat, [-1, int(flat.shape[1] * flat.shape[2])]), tf.zeros(W.shape), tf.zeros([X.shape[1]]), tf.random_normal(W.get_shape()).shape, tf.ones_like(X))
logits = tf.matmul(X, W) + b; l = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits); loss = tf.reduce_mean(l); print(l.shape, loss)
top = tf.nn.in_top_k(logits, y, 2); print(top.shape)
acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), y), tf.float32))
soft = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=z, logits=logits)); mse = tf.reduce_mean(tf.square(logits - z)); bce = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=logits)); ml = tf.losses.mean_squared_error(z, logits); sl = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
hu = tf.losses.huber_loss(z, logits); so = tf.losses.softmax_cross_entropy(z, logits) if False else soft
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss); tr2 = tf.train.AdamOptimizer(0.1).minimize(mse + soft + bce + ml + hu)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    f = {X: [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1.]], y: [0, 2], z: [[0, 1, 0, 0], [0, 0, 0, 1.]]}
    for _ in range(2): print(s.run([loss, top, acc, soft, mse, bce, ml, sl, hu], f)); s.run(train, f)
    s.run(tr2, f); print(s.run([loss, mse], f))
ds = tf.data.Dataset.from_tensor_slices(([[1.0, 2.0]] * 4, [1, 2, 3, 4])).batch(3); print(ds.output_shapes, ds.output_types); it = tf.data.make_one_shot_iterator(ds); a, c = it.get_next(); print(a.shape, c.shape)
with tf.Session() as s: print(s.run([a, c]))
print(tf.TensorSpec([None, 2]), tf.Dimension(None), repr(tf.Dimension(3)), tf.Dimension(None) == 3, tf.Dimension(3) == 3, tf.dimension_value(X.shape[0]))
both = tf.data.Iterator.from_structure(ds.output_types, ds.output_shapes); nxt = both.get_next(); first, second = both.make_initializer(ds), both.make_initializer(ds.map(lambda p, q: (p * 2, q + 10)))
with tf.Session() as s:
    for i in (first, second): s.run(i); print(s.run(nxt))
print(W, tf.get_variable("r", [], use_resource=True), ds.output_classes[0].__name__ in ("Tensor",))
print(tf.executing_eagerly_outside_functions(), type(logits.op.inputs).__name__)
try: tf.train.AdamOptimizer().minimize(tf.constant(1.0), var_list=[W])
except ValueError as e: print(str(e).split(" and loss")[0])
tf.enable_v2_tensorshape(); print(X.shape, X.shape[1], X)
