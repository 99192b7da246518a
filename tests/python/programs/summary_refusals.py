"""What tf.summary refuses, and under which tags and steps it writes."""
import glob
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
writer = tf.summary.create_file_writer(folder)
with writer.as_default():
    for write in (
            lambda: tf.summary.image("a", np.zeros((3, 3)), step=1),
            lambda: tf.summary.image("a", np.zeros((1, 3, 3)), step=1),
            lambda: tf.summary.audio("a", np.zeros((3,)), 8000, step=1),
            lambda: tf.summary.text("a", [1], step=1),
            lambda: tf.summary.scalar("a", [1.0], step=1),
            lambda: tf.summary.scalar("a", 1.0),
            lambda: tf.summary.histogram("a", [1.0])):
        try:
            print(bool(write()))
        except Exception as error:
            print(type(error).__name__)
    tf.summary.experimental.set_step(4)
    print(tf.summary.experimental.get_step(), bool(tf.summary.scalar("b", 1.0)))
    print(bool(tf.summary.scalar("a b:c/é", float("nan"), step=tf.Variable(3, dtype=tf.int64))))
    print(bool(tf.summary.image("few", np.zeros((5, 2, 2, 1), np.uint8), max_outputs=0)))
    print(bool(tf.summary.text("lines", [["x", "y"]], step=2**40)))
    print(bool(tf.summary.audio("sound", np.zeros((2, 8, 1), np.float32), 8000)))
print(bool(tf.summary.image("nowhere", np.zeros((3, 3)), step=1)))
writer.close()
for path in glob.glob(folder + "/*"):
    for event in tf.compat.v1.train.summary_iterator(path):
        for value in event.summary.value:
            print(event.step, value.tag, value.metadata.plugin_data.plugin_name, tf.make_ndarray(value.tensor).shape)
