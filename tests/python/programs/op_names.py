import tensorflow as tf
tf.compat.v1.disable_eager_execution()
x = tf.compat.v1.placeholder(tf.float32, [2, 3])
w = tf.constant([[1.,2.],[3.,4.],[5.,6.]], name="w")
fs = {"matmul": lambda: tf.matmul(x, w), "add": lambda: x + x, "addc": lambda: x + 1.0, "radd": lambda: 1.0 + x, "sub": lambda: x - x, "mul": lambda: x * 2.0, "div": lambda: x / 2.0, "neg": lambda: -x, "abs": lambda: abs(x), "pow": lambda: x ** 2, "floordiv": lambda: x // 2., "mod": lambda: x % 2., "lt": lambda: x < 1., "ge": lambda: x >= 1., "tfadd": lambda: tf.add(x, x), "tfsub": lambda: tf.subtract(x, x), "tfmul": lambda: tf.multiply(x, x), "tfdiv": lambda: tf.divide(x, x), "sum": lambda: tf.reduce_sum(x), "mean": lambda: tf.reduce_mean(x, 1), "max": lambda: tf.reduce_max(x), "transpose": lambda: tf.transpose(x), "concat": lambda: tf.concat([x, x], 0), "reshape": lambda: tf.reshape(x, [6]), "stack": lambda: tf.stack([x, x]), "expand": lambda: tf.expand_dims(x, 0), "split": lambda: tf.split(x, 3, 1), "slice": lambda: x[:, 1], "slice2": lambda: tf.slice(x, [0, 0], [1, 1]), "softmax": lambda: tf.nn.softmax(x), "relu": lambda: tf.nn.relu(x), "sigmoid": lambda: tf.sigmoid(x), "tanh": lambda: tf.tanh(x), "cast": lambda: tf.cast(x, tf.int32), "ones_like": lambda: tf.ones_like(x), "zeros_like": lambda: tf.zeros_like(x), "zeros": lambda: tf.zeros([2]), "ones": lambda: tf.ones([2]), "fill": lambda: tf.fill([2], 3.), "pad": lambda: tf.pad(x, [[0, 0], [1, 1]]), "tile": lambda: tf.tile(x, [2, 1]), "squeeze": lambda: tf.squeeze(x), "equal": lambda: tf.equal(x, x), "where": lambda: tf.where(x > 1., x, x), "argmax": lambda: tf.argmax(x, 1), "clip": lambda: tf.clip_by_value(x, 0., 1.), "gather": lambda: tf.gather(x, [0, 1]), "square": lambda: tf.square(x), "sqrt": lambda: tf.sqrt(x), "exp": lambda: tf.exp(x), "log": lambda: tf.math.log(x), "identity": lambda: tf.identity(x), "addn": lambda: tf.add_n([x, x]), "maximum": lambda: tf.maximum(x, 0.), "rn": lambda: tf.random.normal([2]), "tn": lambda: tf.random.truncated_normal([2]), "dropout": lambda: tf.nn.dropout(x, 0.5), "onehot": lambda: tf.one_hot([1, 2], 3), "unstack": lambda: tf.unstack(x), "l2": lambda: tf.nn.l2_loss(x), "sg": lambda: tf.stop_gradient(x), "group": lambda: tf.group(x), "noop": lambda: tf.no_op(), "norm": lambda: tf.norm(x), "cumsum": lambda: tf.cumsum(x), "logical": lambda: tf.logical_and(x > 1., x < 2.), "eye": lambda: tf.eye(2), "sparse": lambda: tf.nn.embedding_lookup(w, [0]), "bias": lambda: tf.nn.bias_add(x, [1., 2., 3.]), "reverse": lambda: tf.reverse(x, [0]), "topk": lambda: tf.nn.top_k(x, 1), "any": lambda: tf.reduce_any(x > 0.), "print": lambda: tf.print(x), "var": lambda: tf.Variable(1.0), "getv": lambda: tf.compat.v1.get_variable("gv", [2]), "ph": lambda: tf.compat.v1.placeholder(tf.float32), "conv": lambda: tf.nn.conv2d(tf.zeros([1, 3, 3, 1]), tf.zeros([1, 1, 1, 1]), 1, "SAME")}
for k, f in fs.items():
    r = f()
    print(k, getattr(r[0] if isinstance(r, (list, tuple)) else r, "name", r))
with tf.name_scope("layer"):
    print(tf.reshape(x, [3, 2], name="flat").name, tf.concat([x, x], 1, name="both").name, tf.stack([x, x], name="pile").name)
    print([one.name for one in tf.split(x, 3, axis=1, name="parts")], tf.cast(x, tf.float64, name="wide").name)
    named = tf.transpose(x, name="turned")
    print(named.op.name, named.op.type, named.op.inputs[0].name, named.value_index, named.consumers())
graph = tf.compat.v1.get_default_graph()
print(graph.get_tensor_by_name("layer/flat:0").shape, graph.get_operation_by_name("layer/turned").type, graph.get_operation_by_name("w").type)
with tf.Graph().as_default() as small:
    a = tf.constant(2.0, name="a")
    b = tf.constant(3.0, name="b")
    c = tf.add(a, b, name="sum")
    d = c * 2.0 + 1.0
    e = tf.constant(1) + tf.constant(2)
    with tf.compat.v1.Session() as sess:
        print(sess.run([c, d, e]), sess.run(d, {a: 10.0}), sess.run(a), tf.gradients(d, a)[0] is not None)
print([(op.name, op.type) for op in small.get_operations()][:10])
print(a, c, d, c.consumers()[0].name)
