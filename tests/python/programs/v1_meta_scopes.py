import tensorflow as tf

v1 = tf.compat.v1


def build():
    x = v1.placeholder(tf.float32, [], name="x")
    w = v1.get_variable("w", [], initializer=v1.constant_initializer(3.0))
    return w, tf.multiply(x, w, name="y")


with v1.Graph().as_default():
    w, y = build()
    u = v1.get_variable("u", [], initializer=v1.constant_initializer(5.0))
    saver, part = v1.train.Saver([w]), v1.train.Saver({"key": w})
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(w.assign(4.0))
        path, other = saver.save(session, "./whole"), part.save(session, "./part")
    print([name for name, _ in tf.train.list_variables(other)])
    with v1.Session() as session:  # in the graph that is there already
        v1.train.import_meta_graph("whole.meta").restore(session, path)
        print(session.run("y_1:0", {"x_1:0": 2.0}))

for scope in (None, "inner", "a/b"):
    with v1.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph("whole.meta", import_scope=scope).restore(session, path)
        prefix = scope + "/" if scope else ""
        print(session.run(prefix + "y:0", {prefix + "x:0": 2.0}), [one.name for one in v1.global_variables()])

with v1.Graph().as_default(), v1.Session() as session:
    saver = v1.train.import_meta_graph("part.meta")
    session.run(v1.global_variables_initializer())
    print(len(v1.global_variables()))
    saver.restore(session, other)
    print(session.run("y:0", {"x:0": 2.0}), [one.name for one in v1.trainable_variables()])
