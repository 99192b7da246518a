"""Feeds are cast as NumPy casts; scopes, first values and optimizers say what is wrong as TensorFlow does."""
import collections, os
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
def told(f, n=60):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", str(e).split("\n")[0][:n])
whole, real, flag = tf.placeholder(tf.int32, [None], name="whole"), tf.placeholder(tf.float32, [None], name="real"), tf.placeholder(tf.bool, [])
one = tf.placeholder(tf.int32, [])
x = tf.Variable(1.0, name="x")
with tf.Session() as s:
    s.run(x.initializer); print(x.initializer.name, x.initializer.type)
    told(lambda: s.run(whole * 2, {whole: np.array([1.7, 2.2])})); told(lambda: s.run(whole, {whole: [1.7, 2.2]})); told(lambda: s.run(whole, {whole: [True, False]}))
    told(lambda: s.run(whole, {whole: [2 ** 40]})); told(lambda: s.run(one, {one: 2 ** 40})); told(lambda: s.run(one, {one: 1.5}))
    told(lambda: s.run(real, {real: ["1.5", "2"]})); told(lambda: s.run(flag, {flag: 1})); told(lambda: s.run(flag, {flag: "x"})); told(lambda: s.run(real, {real: [[1.0]]}), 40)
    told(lambda: s.run([real, whole], {(real, whole): (np.ones(1), np.array([2]))})); told(lambda: s.run(real, {real: range(3)}))
    told(lambda: s.run(set([x])), 70); told(lambda: type(s.run(collections.defaultdict(list, {"z": x}))).__name__)
    y = tf.Variable(2.0, name="y"); ready = y.is_initialized(); print(s.run(ready)); s.run(y.initializer); print(s.run(ready))
    told(lambda: y.numpy()); told(lambda: y.load(3.0)); y.load(4.0, s); print(s.run(y)); told(lambda: y.eval(), 70)
    rows = tf.map_fn(lambda i: tf.assign_add(x, 1.0), tf.range(3), dtype=tf.float32, parallel_iterations=1); print(s.run(rows), s.run(x))
    both = tf.cond(tf.placeholder_with_default(True, []), lambda: [y], lambda: [x]); print(s.run(both))
told(lambda: tf.cond(tf.placeholder(tf.bool, []), lambda: 1, lambda: 2.0)); told(lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0]), 0)
told(lambda: tf.gradients(x * 2., x, unconnected_gradients="nope")); print(len(tf.gradients(x * 2., [x], None, "mine", True, True, tf.AggregationMethod.ADD_N)))
with tf.variable_scope("a") as scope:
    print(scope.name, scope.dtype, scope.use_resource, scope.caching_device, scope.reuse)
    with tf.variable_scope("b", reuse=tf.AUTO_REUSE) as inner: print(inner.reuse, tf.get_variable("v", [1]) is tf.get_variable("v", [1]))
def getter(getter, name, *args, **options):
    print(name, sorted(options)); return getter(name, *args, **options)
with tf.variable_scope("c", custom_getter=getter): tf.get_variable("v", [2])
for make in (lambda: tf.get_variable("v1", initializer=True), lambda: tf.get_variable("v2", initializer=np.zeros(3)), lambda: tf.get_variable("v3", dtype=tf.int64, initializer=3), lambda: tf.get_variable("v4", [2], initializer=[1., 2.]), lambda: tf.get_variable("v5", [], tf.bool), lambda: tf.get_variable("v6", initializer=lambda: tf.ones([2])), lambda: tf.get_variable("v7")): told(make, 58)
sgd = tf.train.GradientDescentOptimizer(0.1)
told(lambda: sgd.compute_gradients(x * 1.0, [])); told(lambda: sgd.apply_gradients([])); told(lambda: sgd.apply_gradients([(None, x)])); told(lambda: sgd.apply_gradients([(tf.constant("a"), x)]), 0); told(lambda: sgd.compute_gradients(tf.cast(x, tf.int32)), 22)
print(tf.variables_initializer([x], name="mine").name, tf.tables_initializer().name)
os.makedirs("ck")
saver = tf.train.Saver([x, y], max_to_keep=1); late = tf.train.Saver(defer_build=True)
with tf.Session() as s:
    s.run(tf.variables_initializer([x, y])); s.run(tf.global_variables_initializer()); saver.save(s, "ck/m", 1)
    print(saver.save(s, "ck/other", write_state=False, write_meta_graph=False), saver.last_checkpoints, os.path.exists("ck/m-1.index"))
    told(lambda: late.save(s, "ck/l")); late.build(); print(late.save(s, "ck/l"), tf.train.list_variables("ck/l"))
    told(lambda: saver.save(s, "ck/m", latest_filename="a/b")); told(lambda: saver.save(None, "ck/m")); told(lambda: tf.train.Saver([x, x])); told(lambda: tf.train.Saver("x")); told(lambda: tf.train.Saver([]))
    saver.set_last_checkpoints(["ck/other"]); print(saver.last_checkpoints); saver.recover_last_checkpoints(["ck/none", "ck/l"]); print(saver.last_checkpoints)
