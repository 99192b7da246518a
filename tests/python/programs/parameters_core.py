"""Parameters of core functions: readers, checkpoints, partitioned variables, sessions, flags, assertions, datasets."""
import os
import zlib

import tensorflow as tf

v1 = tf.compat.v1


def show(name, f):
    try:
        made = f()
        print(name, made.numpy().tolist() if hasattr(made, "numpy") else made)
    except Exception as e:
        print(name, "raises", type(e).__name__)


for values, shape in (([1, 2], [2, 2]), ([1], [2, 2]), (1, [2, 2]), ([1, 2], [2, 1]), ([1, 2, 3], [2])):
    for kw in ({}, dict(verify_shape=True), dict(allow_broadcast=True)):
        show(f"proto {values} {shape} {kw}", lambda: tf.make_ndarray(tf.make_tensor_proto(values, shape=shape, **kw)).tolist())
show("oneof feature", lambda: tf.train.Feature().WhichOneof("kind"))
show("oneof of another name", lambda: tf.train.Feature().WhichOneof("v"))
show("split num", lambda: [one.numpy().tolist() for one in tf.split(tf.range(4), [1, 3], num=2)])
show("split other num", lambda: tf.split(tf.range(4), [1, 3], num=3))
show("ragged", lambda: tf.RaggedTensor(tf.zeros([4]), 2))


def disabled():
    with tf.GradientTape() as tape:
        v = tf.Variable(1.0)
        y = tf.raw_ops.PreventGradient(input=v * 1, message="nope")
    return tape.gradient(y, v)


show("prevent_gradient", disabled)
show("payloads", lambda: tf.errors.InternalError(None, None, "m", {b"a": b"b"}).experimental_payloads)

# sizes that only a run has
@tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None])])
def shaped(x, y):
    tf.debugging.assert_shapes([(x, ("N", 3)), (y, ("N",))], data=["data of mine", x], summarize=2, message="m")
    return tf.reduce_sum(x) + tf.reduce_sum(y)


show("assert_shapes", lambda: shaped(tf.ones([2, 3]), tf.ones([2])))
show("assert_shapes differs", lambda: shaped(tf.ones([2, 3]), tf.ones([4])))
try:
    shaped(tf.ones([2, 3]), tf.ones([4]))
except tf.errors.InvalidArgumentError as e:
    print("data of mine" in str(e))

# datasets in files
data = tf.data.Dataset.range(5)
data.save("kept", compression="GZIP")
show("load", lambda: list(tf.data.Dataset.load("kept", compression="GZIP").as_numpy_iterator()))
show("load with spec", lambda: list(tf.data.Dataset.load("kept", tf.TensorSpec([], tf.int64), "GZIP").as_numpy_iterator()))
show("load waits", lambda: list(tf.data.Dataset.load("kept", compression="GZIP", wait=True).as_numpy_iterator()))
show("load uncompressed", lambda: list(tf.data.Dataset.load("kept").as_numpy_iterator()))
show("snapshot", lambda: list(data.snapshot("snap", compression="GZIP").as_numpy_iterator()))
show("ignored", lambda: list(tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(
    lambda x: tf.debugging.check_numerics(1.0 / x, "bad")).ignore_errors(log_warning=True).as_numpy_iterator()))

# checkpoints
called = []
options = tf.train.CheckpointOptions(experimental_write_callbacks=[lambda path: called.append(os.path.basename(path)),
                                                                   lambda: called.append("done")])
kept = tf.train.Checkpoint(v=tf.Variable(1.0))
kept.save("callback", options=options)
kept.write("plain", options=options)
print(called)
show("callback of two", lambda: tf.train.CheckpointOptions(experimental_write_callbacks=[lambda a, b: 0]))
show("unknown option", lambda: tf.train.CheckpointOptions(bogus=1))
open("old", "w").write("x")
open("old.meta", "w").write("x")
v1.train.remove_checkpoint("old", checkpoint_format_version=1)
v1.train.remove_checkpoint("plain")
print(sorted(one for one in os.listdir(".") if one.startswith(("old", "plain", "callback"))))

# version 1
open("records", "wb").write(zlib.compress(b"aabbcc"))
with tf.io.TFRecordWriter("zipped", "GZIP") as writer:
    writer.write(b"one")
with v1.Graph().as_default() as graph, v1.Session() as session:
    for name, reader, path in (("fixed", v1.FixedLengthRecordReader(2, encoding="ZLIB"), "records"),
                               ("record", v1.TFRecordReader(options=v1.python_io.TFRecordOptions(2)), "zipped")):
        queue = v1.FIFOQueue(2, [tf.string], shapes=[[]])
        session.run(queue.enqueue([path]))
        print(name, session.run(reader.read(queue)[1]))
    print([bytes(one) for one in v1.io.tf_record_iterator("zipped", v1.python_io.TFRecordOptions(2))])
    a = v1.placeholder(tf.float32, [], name="a")
    b = tf.add(a, 1.0, name="b")
    show("graph element", lambda: graph.as_graph_element("b:0").name)
    show("no operation", lambda: graph.as_graph_element("b", allow_operation=False))
    show("no tensor", lambda: graph.as_graph_element("b:0", allow_tensor=False))
    show("no tensor object", lambda: graph.as_graph_element(b, allow_tensor=False))
    show("neither", lambda: graph.as_graph_element("b", False, False))
    print(session.make_callable(b, [a])(2.0), session.make_callable(b, [a], accept_options=True)(
        2.0, options=v1.RunOptions(), run_metadata=v1.RunMetadata()))
    show("no list", lambda: session.make_callable(b, feed_list=3))
    whole = v1.get_variable("w", [4], partitioner=v1.fixed_size_partitioner(2), initializer=v1.zeros_initializer())
    first = whole.assign(tf.constant([1.0, 2.0, 3.0, 4.0]))
    print(type(first).__name__, len(first), len(whole.assign([[1.0, 1.0], [2.0, 2.0]])))
    session.run(v1.global_variables_initializer())
    print([one.tolist() for one in session.run(first)], session.run(whole.as_tensor()).tolist())
    v1.summary.merge([v1.summary.scalar("s", b)], collections=["mine"])
    print(len(v1.get_collection("mine")))
    w = v1.get_variable("x", [2])
    ftrl = v1.train.FtrlOptimizer(0.1, accum_name="acc", linear_name="lin")
    ftrl.minimize(tf.reduce_sum(w * w), var_list=[w])
    print(sorted(one.name for one in ftrl.variables()))
    ftrl = v1.train.FtrlOptimizer(0.1, name="F", accum_name="acc")
    ftrl.minimize(tf.reduce_sum(w * w), var_list=[w])
    print(sorted(one.name for one in ftrl.variables()))
flags = v1.flags.FlagValues()
v1.flags.DEFINE_integer("number", 1, "help", short_name="n", flag_values=flags)
v1.flags.DEFINE_string("text", "a", "help", flag_values=flags, allow_overwrite=False)
flags(["program", "-n", "7", "--text=b"])
print(flags.number, flags.n, flags.text)
show("twice", lambda: flags(["program", "--text=c"]))
show("defined twice", lambda: v1.flags.DEFINE_string("number", "a", "help", flag_values=flags))
v1.flags.DEFINE_string("number", "a", "help", flag_values=flags, allow_override=True)
print(flags.number)
show("short twice", lambda: v1.flags.DEFINE_string("other", "a", "help", flag_values=flags, short_name="n"))
show("bogus", lambda: v1.flags.DEFINE_string("bogus", "a", "help", flag_values=flags, bogus=1))
