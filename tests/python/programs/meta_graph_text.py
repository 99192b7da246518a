# Meta graphs as text, exported and imported; checkpoints of version 1 restored by names; Checkpoint.save within a session.
import os
import tempfile

import tensorflow as tf

v1 = tf.compat.v1
folder = tempfile.mkdtemp()
with tf.Graph().as_default():
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    v = v1.get_variable("v", initializer=[[3.0], [0.5]])
    b = v1.get_variable("b", initializer=tf.constant(-1.0))
    y = tf.add(tf.matmul(x, v), b, name="y")
    v1.add_to_collection("outputs", y)
    v1.add_to_collection("texts", 'a "quoted"\nline \x01\xff'.encode("latin-1"))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver()
        for as_text in (True, False):
            saver.export_meta_graph(os.path.join(folder, f"{as_text}.meta"), as_text=as_text)
        path = saver.save(session, os.path.join(folder, "values"))
        saved = tf.train.Checkpoint(v=v, b=b).save(os.path.join(folder, "objects"))
        session.run([v.assign([[0.0], [0.0]]), b.assign(0.0)])
        status = tf.train.Checkpoint(v=v, b=b).restore(saved)
        print("before", session.run(v).tolist())
        status.initialize_or_restore(session)
        print("after", session.run([v, b])[0].tolist())
print("text", open(os.path.join(folder, "True.meta")).read(20).split()[0])
for name in ("True.meta", "False.meta"):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(os.path.join(folder, name)).restore(session, path)
        print(name, session.run("y:0", {"x:0": [[2.0, 4.0]]}).tolist(), v1.get_collection("texts"),
              [one.name for one in v1.get_collection("outputs")])
print(os.path.basename(saved), tf.train.load_checkpoint(saved).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").tolist())


def outcome(call):
    try:
        call()
        return "passes"
    except (AssertionError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__


v, other = tf.Variable([[0.0], [0.0]], name="v"), tf.Variable(9.0, name="other")
status = tf.train.Checkpoint(x=v, y=other).restore(path)
print(v.numpy().tolist(), other.numpy(), outcome(status.assert_consumed), outcome(status.assert_existing_objects_matched),
      outcome(status.assert_nontrivial_match), type(status.expect_partial()).__name__)
v, b = tf.Variable([[0.0], [0.0]], name="v"), tf.Variable(9.0, name="b")
checkpoint = tf.train.Checkpoint(x=v)
status = checkpoint.restore(path)
checkpoint.later = b
print(v.numpy().tolist(), b.numpy())
