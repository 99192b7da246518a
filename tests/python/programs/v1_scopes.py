import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def layer(x, units, name, reuse=None):
    with tf.variable_scope(name, reuse=reuse):
        w = tf.get_variable("w", [x.shape[-1], units], initializer=tf.ones_initializer(),
                            regularizer=lambda w: 0.1 * tf.reduce_sum(tf.square(w)))
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


x = tf.placeholder(tf.float32, [None, 3], name="x")
y = layer(x, 2, "fc")
z = layer(x, 2, "fc", reuse=True)
print([v.name for v in tf.global_variables()])
print([t.name for t in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
with tf.variable_scope("outer") as outer:
    with tf.variable_scope("inner"):
        a = tf.get_variable("a", [1])
        c = tf.add(a, 1, name="c")
    print(a.name, c.name, tf.get_variable_scope().name)
with tf.variable_scope(outer, reuse=True):
    with tf.variable_scope("inner"):
        same = tf.get_variable("a", [1])
print(same is a)
with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
    p = tf.get_variable("p", [2])
    q = tf.get_variable("p", [2])
print(p is q)
with tf.variable_scope("scope"):
    tf.get_variable_scope().reuse_variables()
    try:
        tf.get_variable("missing", [1])
    except ValueError as e:
        print("ValueError", str(e)[:60])
try:
    with tf.variable_scope("fc"):
        tf.get_variable("w", [3, 2])
except ValueError as e:
    print("ValueError", str(e)[:50])
try:
    with tf.variable_scope("fc", reuse=True):
        tf.get_variable("w", [3, 5])
except ValueError as e:
    print("ValueError", str(e)[:100])
with tf.variable_scope(None, default_name="unit"):
    print(tf.get_variable("v", [1]).name)
with tf.variable_scope(None, default_name="unit"):
    print(tf.get_variable("v", [1]).name)
with tf.name_scope("ns"):
    print(tf.get_variable("nv", [1]).name, tf.Variable(1.0, name="plain").name, tf.constant(1, name="k").name)
with tf.name_scope("ns"):
    print(tf.constant(1, name="k").name)
v = tf.get_variable("typed", dtype=tf.int64, initializer=tf.constant([1, 2], tf.int64))
print(v.shape)
local = tf.get_variable("loc", [1], collections=[tf.GraphKeys.LOCAL_VARIABLES], initializer=tf.ones_initializer())
print([v.name for v in tf.local_variables()], local in tf.global_variables())
frozen = tf.get_variable("frozen", [1], trainable=False)
print("frozen:0" in [v.name for v in tf.trainable_variables()])
print([v.name for v in tf.trainable_variables("outer")], [v.name for v in tf.get_collection("variables", scope="fc")])


def getter(getter, name, *args, **kwargs):
    print("get", name)
    return getter(name, *args, **kwargs)


with tf.variable_scope("custom", custom_getter=getter):
    tf.get_variable("m", [1])
template = tf.make_template("tpl", lambda t: t * tf.get_variable("s", initializer=2.0))
one, two = template(x), template(x)
print([v.name for v in tf.global_variables("tpl")])
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    print(sess.run([y, z], {x: [[1.0, 2.0, 3.0]]}), sess.run(local))
    print(sess.run(one, {x: [[1.0, 2.0, 3.0]]}))
print(len(tf.get_collection_ref("mine")), tf.add_to_collections(["mine", "yours"], 3), tf.get_collection("mine"))
with tf.variable_scope("part", partitioner=tf.fixed_size_partitioner(2)):
    pv = tf.get_variable("pv", [4, 2])
print(type(pv).__name__, [v.name for v in pv])
