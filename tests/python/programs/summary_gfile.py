import tensorflow as tf
import os, tempfile, glob
d = tempfile.mkdtemp(); writer = tf.summary.create_file_writer(d)
with writer.as_default():
    for step in range(3):
        print(bool(tf.summary.scalar("loss", 1.0 / (step + 1), step=step)), end=" ")
    tf.summary.histogram("weights", tf.range(10.), step=0); tf.summary.text("note", "hello", step=0); tf.summary.image("img", tf.zeros([1, 4, 4, 3]), step=0)
    tf.summary.experimental.set_step(7); tf.summary.scalar("auto", 2.0)
print(); writer.flush(); writer.close()
print(len(glob.glob(os.path.join(d, "events.out.tfevents.*"))), bool(tf.summary.scalar("outside", 1.0, step=0)))
@tf.function
def step_fn(s):
    with writer2.as_default():
        tf.summary.scalar("inside", tf.cast(s, tf.float32) * 2.0, step=s)
    return s + 1
writer2 = tf.summary.create_file_writer(os.path.join(d, "second"))
for s in tf.range(3, dtype=tf.int64): step_fn(s)
writer2.close(); print(os.listdir(os.path.join(d, "second"))[0].startswith("events.out.tfevents"))
m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)]); m.compile("sgd", "mse")
m.fit(tf.ones([4, 2]), tf.ones([4, 1]), validation_data=(tf.ones([2, 2]), tf.ones([2, 1])), epochs=2, verbose=0, callbacks=[tf.keras.callbacks.TensorBoard(log_dir=os.path.join(d, "tb"), histogram_freq=1)])
print(sorted(os.listdir(os.path.join(d, "tb"))))
with tf.io.TFRecordWriter(os.path.join(d, "r.tfrecord")) as w:
    for i in range(3): w.write(tf.train.Example(features=tf.train.Features(feature={"i": tf.train.Feature(int64_list=tf.train.Int64List(value=[i, i * i]))})).SerializeToString())
spec = {"i": tf.io.FixedLenFeature([2], tf.int64)}
for r in tf.data.TFRecordDataset(os.path.join(d, "r.tfrecord")).map(lambda r: tf.io.parse_single_example(r, spec)).batch(2): print(r["i"].numpy().tolist())
e = tf.train.Example(); e.features.feature["x"].float_list.value.extend([1.0, 2.0]); e.features.feature["y"].bytes_list.value.append(b"z"); print(tf.io.parse_single_example(e.SerializeToString(), {"x": tf.io.FixedLenFeature([2], tf.float32), "y": tf.io.FixedLenFeature([], tf.string)})["y"].numpy(), e.features.feature["x"])
