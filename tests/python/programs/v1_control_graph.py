import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
g = tf.Graph()
with g.as_default():
    x = tf.placeholder(tf.float32, shape=(), name="x")
    w = tf.Variable(2.0, name="w", use_resource=True)
    y = tf.cond(x > 0, lambda: x * w, lambda: x - w)
    grad = tf.gradients(y, [x, w])
    i, total = tf.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, t + tf.cast(i, tf.float32) * w), [tf.constant(0), tf.constant(0.0)])
    lg = tf.gradients(total, w)[0]
    case = tf.case([(x > 10, lambda: tf.constant("big")), (x > 0, lambda: tf.constant("positive"))], default=lambda: tf.constant("other"))
    with tf.name_scope("block") as scope:
        a = tf.identity(x, name="a")
        b = tf.add(a, 1.0, name="b")
    ta = tf.TensorArray(tf.float32, size=3)
    ta = ta.unstack([1.0, 2.0, 3.0])
    _, out = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, ta.read(i) * w)), [0, tf.TensorArray(tf.float32, size=3)])
    stacked = out.stack()
    dyn = tf.slice(tf.range(10), [tf.cast(x, tf.int32)], [2])
    init = tf.global_variables_initializer()
    print(scope, a.name, b.op.name, b.op.type, b.op.inputs[0].name, b.graph is g, g.get_operation_by_name("block/a").name)
    print([v.name for v in tf.global_variables()])
with tf.Session(graph=g) as sess:
    sess.run(init)
    for value in (3.0, -1.0):
        print(sess.run([y, grad, b], {x: value}))
    print(sess.run([i, total, lg]), sess.run([case], {x: 20.0}), sess.run(case, {x: -5.0}), sess.run(stacked), sess.run(dyn, {x: 4.0}))
    print(sess.run({"y": y, "nested": (a, [b])}, {"x:0": 1.0}), sess.run("block/b:0", {x: 5.0}))
    print(sess.run(b, {a: 10.0}))
    try: sess.run(y)
    except tf.errors.InvalidArgumentError as e: print(type(e).__name__)
    try: sess.run(tf.constant(1))
    except ValueError as e: print(type(e).__name__)
    try: sess.run(y, {x: [1.0, 2.0]})
    except ValueError as e: print(str(e)[:60])
    f = sess.make_callable([y, b], feed_list=[x]); print(f(2.0))
try: sess.run(y, {x: 1.0})
except RuntimeError as e: print(str(e)[:34])
tf.reset_default_graph()
@tf.custom_gradient
def square(v):
    def grad(dy): return dy * 100.0
    return v * v, grad
c = tf.constant(3.0); s = square(c); gs = tf.gradients(s, c)[0]
p = tf.py_func(lambda a: a + np.float32(1), [c], tf.float32); p.set_shape([])
st = tf.stop_gradient(c) * c
with tf.Session() as sess: print(sess.run([s, gs, p, tf.gradients(st, c)[0], tf.hessians(c ** 3, c)[0]]))
