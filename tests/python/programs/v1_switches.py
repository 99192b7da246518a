"""Switches and scans over rows that a run tells, names of scopes and of summaries, and what sessions refuse."""
import tensorflow as tf
tf1 = tf.compat.v1
g = tf.Graph()
with g.as_default():
    gs = tf1.train.create_global_step()
    k = tf.cast(gs, tf.int32) % 3
    v = tf1.get_variable("v", [], tf.int64, initializer=tf1.zeros_initializer())
    kv = tf.cast(v, tf.int32)
    sw = tf.switch_case(k, [lambda: 10., lambda: 20., lambda: 30.])
    sw2 = tf.switch_case(tf.cast(gs, tf.int32), [lambda: 10., lambda: 20., lambda: 30.])
    sw3 = tf.switch_case(kv, [lambda: 10., lambda: 20., lambda: 30.])
    sw4 = tf.switch_case(tf.identity(k), [lambda: tf.constant(10.), lambda: tf.constant(20.), lambda: tf.constant(30.)])
    inc = tf1.assign_add(gs, 1)
    with tf1.Session() as s:
        s.run(tf1.global_variables_initializer())
        for i in range(4):
            print(s.run([k, sw, sw2, sw3, sw4])); s.run(inc)

with tf.Graph().as_default() as graph:
    rows = tf1.placeholder(tf.int32, [None]); wide = tf1.placeholder(tf.float32, [None, 2])
    scans = [tf.scan(lambda s, x: s + x, rows), tf.scan(lambda s, x: s + x, rows, reverse=True), tf.scan(lambda s, x: s * 2 + x, rows, 1),
             tf.foldl(lambda s, x: s + x, rows, 10), tf.foldr(lambda s, x: s * 2 + x, rows),
             tf.scan(lambda s, x: (s[0] + x, s[1] * 2.0), wide, (tf.zeros([2]), tf.ones([])))]
    slope = tf.gradients(scans[-1][0], wide)[0]
    with tf1.name_scope("outer"), tf1.variable_scope("inner"):
        print(graph.get_name_scope())
        loss = tf.reduce_sum(wide, name="loss"); summaries = [tf1.summary.scalar("loss", loss), tf1.summary.scalar("a b", loss, family="f")]
    print(repr(graph.get_name_scope()))
    with tf1.Session() as s:
        given = {rows: [1, 2, 3], wide: [[1., 2.], [3., 4.]]}
        for one in s.run(scans, given): print(one)
        print(s.run(slope, given))
        print([tf1.Summary.FromString(one).value[0].tag for one in s.run(summaries, given)])
        for bad in (lambda: s.run(loss, {3: 1}), lambda: s.run(loss, {wide: tf.ones([1, 2])}), lambda: s.run(None), lambda: s.run(loss, {wide: [1.]})):
            try: bad()
            except Exception as e: print(type(e).__name__)
