import glob

import tensorflow as tf


def events(folder):
    """What the event files of a folder hold."""
    for path in sorted(glob.glob(folder + "/*")):
        for event in tf.compat.v1.train.summary_iterator(path):
            for value in event.summary.value:
                print(event.step, value.tag, value.metadata.SerializeToString(), value.tensor.SerializeToString())


def fails(what):
    try:
        print("no error", what())
    except (RuntimeError, TypeError, ValueError) as error:
        print(type(error).__name__, str(error).split("<")[0].split(" of type")[0][:90])


writer = tf.summary.create_file_writer("a")
writer.init()
with writer.as_default(step=1):
    print(tf.summary.scalar("s", 1.5, description="why").numpy(), tf.summary.scalar("s", 2, step=7).numpy())
    tf.summary.text("t", ["a", "b"], description="words")
    clips = tf.constant([[[0.0], [0.5], [-1.0], [2.0]], [[0.1], [-0.2], [0.5 / 32768], [-1.5 / 32768]]])
    print(tf.summary.audio("au", clips, 8000, description="heard").numpy())
    tf.summary.audio("stereo", tf.constant([[[0.0, 0.5], [-1.0, 2.0]]] * 2), 16000, max_outputs=1, encoding="wav")
    tf.summary.write("raw", tf.constant([1, 2]))
    metadata = tf.compat.v1.SummaryMetadata()
    metadata.plugin_data.plugin_name = "mine"
    with tf.name_scope("scope"):
        tf.summary.write("raw2", lambda: tf.constant([1.0, 2.0]), metadata=metadata)
        tf.summary.scalar("x", 1.0)
        with tf.summary.experimental.summary_scope("one two") as (tag, scope):
            print(tag, scope)
    with tf.summary.experimental.summary_scope("") as (tag, scope):
        print(tag, scope)
    with tf.summary.record_if(False):
        print(tf.summary.write("none", 1.0).numpy(), tf.summary.audio("none", clips, 1).numpy())
    fails(lambda: tf.summary.scalar("vector", [1.0, 2.0]))
    fails(lambda: tf.summary.audio("au", clips, 8000, encoding="mp3"))
    fails(lambda: tf.summary.graph(3))
writer.close()
writer.close()
events("a")
for one in (writer.init, writer.flush, writer.set_as_default, lambda: writer.as_default().__enter__()):
    fails(one)


@tf.function
def doubled(x):
    return x * 2


with tf.summary.create_file_writer("b", filename_suffix=".end").as_default():
    print(tf.summary.graph(doubled.get_concrete_function(tf.constant(1.0)).graph).numpy())
path, = glob.glob("b/*")
print(path.endswith(".end"), [bool(one.graph_def) for one in tf.compat.v1.train.summary_iterator(path)])
print(tf.summary.write("nobody", 1.0, step=0).numpy(), tf.summary.audio("nobody", clips, 1, step=0).numpy())
