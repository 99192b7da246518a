"""Checkpoints, records, examples, event files, queues, assertions."""
import os
import tempfile
import threading
import unittest

import numpy as np

import lockstep as tf


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name

    def tearDown(self):
        self.folder.cleanup()

    def test_checkpoints(self):
        v, w = tf.Variable(1.0), tf.Variable([1.0, 2.0])
        checkpoint = tf.train.Checkpoint(v=v, inside={"w": w})
        first = checkpoint.save(os.path.join(self.path, "ckpt"))
        self.assertTrue(first.endswith("ckpt-1"))
        v.assign(5.0)
        w.assign([0.0, 0.0])
        checkpoint.restore(first).assert_consumed()
        self.assertEqual((float(v), w.numpy().tolist()), (1, [1, 2]))
        self.assertEqual(tf.train.latest_checkpoint(self.path), first)
        with self.assertRaises(AssertionError):
            tf.train.Checkpoint(other=tf.Variable(0.0)).restore(first).assert_consumed()
        with self.assertRaises(tf.errors.OpError):
            checkpoint.restore(os.path.join(self.path, "nothing"))

    def test_saves_of_several_threads_have_numbers_of_their_own(self):
        checkpoint = tf.train.Checkpoint(v=tf.Variable(0))
        manager = tf.train.CheckpointManager(checkpoint, os.path.join(self.path, "managed"), max_to_keep=2)
        saved = []

        def save():
            for _ in range(5):
                saved.extend([manager.save(), checkpoint.save(os.path.join(self.path, "saved", "x"))])
        threads = [threading.Thread(target=save) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual((len(set(saved)), int(checkpoint.save_counter), len(manager.checkpoints)), (40, 40, 2))

    def test_asynchronous_saves_hold_the_values_of_their_call(self):
        options = tf.train.CheckpointOptions(enable_async=True)
        v = tf.Variable(tf.ones([4, 1024, 1024]))
        checkpoint = tf.train.Checkpoint(v=v)
        path = checkpoint.save(os.path.join(self.path, "ckpt"), options=options)
        v.assign(tf.zeros_like(v))
        checkpoint.sync()
        self.assertEqual(tf.train.latest_checkpoint(self.path), path)
        checkpoint.restore(path).assert_consumed()
        self.assertEqual(float(tf.reduce_min(v)), 1)

        with open(os.path.join(self.path, "file"), "w"):
            pass
        refused = os.path.join(self.path, "file", "x")
        for ask in (checkpoint.sync, lambda: checkpoint.save(path), lambda: checkpoint.restore(path)):
            checkpoint.write(refused, options=options)  # what goes wrong is told by the next call
            with self.assertRaisesRegex(tf.errors.NotFoundError, "Not a directory"):
                ask()
        checkpoint.restore(path)

    def test_managers_keep_the_newest(self):
        v = tf.Variable(0)
        checkpoint = tf.train.Checkpoint(v=v)
        manager = tf.train.CheckpointManager(checkpoint, self.path, max_to_keep=2)
        for number in range(3):
            v.assign(number)
            manager.save(options=tf.train.CheckpointOptions(enable_async=True))
            manager.sync()
            checkpoint.sync()
        self.assertEqual([os.path.basename(one) for one in manager.checkpoints], ["ckpt-2", "ckpt-3"])
        v.assign(9)
        checkpoint.restore(manager.latest_checkpoint)
        self.assertEqual(int(v), 2)

    def test_models_in_checkpoints(self):
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        before = model.get_weights()
        path = tf.train.Checkpoint(model=model).save(os.path.join(self.path, "m"))
        model.set_weights([np.zeros((2, 1)), np.ones(1)])
        tf.train.Checkpoint(model=model).restore(path).assert_existing_objects_matched()
        np.testing.assert_array_equal(model.get_weights()[0], before[0])

    def test_models_have_the_names_of_keras(self):
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(np.ones((2, 2)), np.ones((2, 1)), batch_size=2, verbose=0)
        path = tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(os.path.join(self.path, "m"))
        with open(path + ".data-00000-of-00001", "rb") as file:
            written = file.read()
        for name in (b"_functional", b"_operations", b"_kernel", b"optimizer", b"_iterations", b"_learning_rate",
                     b"_trainable_variables", b"_variables"):
            self.assertIn(b"\x12" + bytes([len(name)]) + name, written)  # the local name of a child

    def test_records_of_examples(self):
        path = os.path.join(self.path, "data.tfrecord")
        with tf.io.TFRecordWriter(path) as writer:
            for i in range(3):
                example = tf.train.Example(features=tf.train.Features(feature={
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                    "x": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i + 0.5]))}))
                writer.write(example.SerializeToString())
        wanted = {"label": tf.io.FixedLenFeature([], tf.int64), "x": tf.io.FixedLenFeature([2], tf.float32)}
        dataset = tf.data.TFRecordDataset(path).map(lambda s: tf.io.parse_single_example(s, wanted))
        rows = list(dataset.as_numpy_iterator())
        self.assertEqual([int(row["label"]) for row in rows], [0, 1, 2])
        np.testing.assert_array_equal(rows[2]["x"], [2, 2.5])
        again = tf.train.Example.FromString(next(iter(tf.data.TFRecordDataset(path))).numpy())
        self.assertEqual(again.features.feature["label"].int64_list.value, [0])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.io.parse_single_example(again.SerializeToString(),
                                       {"none": tf.io.FixedLenFeature([], tf.int64)})

    def test_images_in_records_are_parsed_in_maps(self):
        path = os.path.join(self.path, "images.tfrecord")
        images = np.arange(7 * 12, dtype=np.uint8).reshape(7, 3, 4)
        with tf.io.TFRecordWriter(path) as writer:
            for i, image in enumerate(images):
                writer.write(tf.train.Example(features=tf.train.Features(feature={
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                    "pairs": tf.train.Feature(int64_list=tf.train.Int64List(value=range(2 * (i % 3)))),
                    "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
                })).SerializeToString())
        wanted = {"label": tf.io.FixedLenFeature([], tf.int64), "image": tf.io.FixedLenFeature([], tf.string),
                  "pairs": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True, default_value=-1)}
        traces = []

        def one(record):
            traces.append(record)
            parsed = tf.io.parse_single_example(record, wanted)
            return tf.reshape(tf.io.decode_raw(parsed["image"], tf.uint8), [3, 4]), parsed["label"], parsed["pairs"]

        def several(records):
            parsed = tf.io.parse_example(records, wanted)
            return tf.reshape(tf.io.decode_raw(parsed["image"], tf.uint8), [-1, 3, 4]), parsed["label"], parsed["pairs"]
        records = tf.data.TFRecordDataset(path)
        for i, (image, label, pairs) in enumerate(records.map(one, num_parallel_calls=2)):
            np.testing.assert_array_equal(image, images[i])
            self.assertEqual(int(label), i)
            np.testing.assert_array_equal(pairs, np.arange(2 * (i % 3)).reshape(-1, 2))
        self.assertEqual(len(traces), 1)  # for the structure and the elements
        for i, (batch, labels, pairs) in enumerate(records.batch(4).map(several, tf.data.AUTOTUNE).prefetch(1)):
            np.testing.assert_array_equal(batch, images[4 * i:4 * i + 4])
            self.assertEqual(tuple(pairs.shape), (len(labels), 2, 2))
            self.assertEqual(pairs.numpy()[-1].ravel().tolist(), [-1] * 4)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            list(records.map(lambda r: tf.io.decode_raw(r, tf.int64)))

    def test_summaries(self):
        writer = tf.summary.create_file_writer(self.path)
        with writer.as_default():
            for step in range(3):
                tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
        with self.assertRaises(ValueError), writer.as_default():
            tf.summary.scalar("loss", 1.0)
        files = os.listdir(self.path)
        self.assertEqual(len(files), 1)
        with open(os.path.join(self.path, files[0]), "rb") as file:
            self.assertIn(b"loss", file.read())


class Others(unittest.TestCase):
    def test_queues(self):
        queue = tf.queue.FIFOQueue(2, [tf.int32])
        threads = [threading.Thread(target=lambda i=i: queue.enqueue(i)) for i in range(5)]
        for one in threads:
            one.start()
        seen = sorted(int(queue.dequeue()) for _ in range(5))
        for one in threads:
            one.join()
        self.assertEqual(seen, [0, 1, 2, 3, 4])
        queue.close()
        with self.assertRaises(tf.errors.OutOfRangeError):
            queue.dequeue()

    def test_assertions(self):
        tf.debugging.assert_equal(1, 1)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.debugging.assert_less(2, 1)

    def test_modules(self):
        module = tf.Module()
        module.v = tf.Variable(1.0)
        module.list = [tf.Variable(2.0, trainable=False)]
        self.assertEqual((len(module.variables), len(module.trainable_variables)), (2, 1))

    def test_one_trace_for_all_sizes(self):
        traces = []

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def mean(x):
            traces.append(x.shape)
            return tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32)
        self.assertEqual([float(mean([1.0, 2.0])), float(mean([1.0, 2.0, 6.0]))], [1.5, 3])
        self.assertEqual(traces, [tf.TensorShape([None])])
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = mean(x)
        np.testing.assert_array_equal(tape.gradient(y, x), [0.5, 0.5])

    def test_a_dataset_that_reads_ahead_through_python_is_dropped_in_mid_pass(self):
        for _ in range(30):
            ahead = tf.data.Dataset.range(64).map(lambda x: tf.py_function(lambda v: v + 1, [x], tf.int64)).prefetch(4)
            place = iter(ahead)
            self.assertEqual(int(next(place)), 1)
            del place, ahead


class WholeFiles(unittest.TestCase):
    def test_writers_at_the_same_time_leave_one_whole_file(self):
        from lockstep._whole_files import replacing, write_whole
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file")
            with self.assertRaises(KeyError), replacing(path) as unfinished:
                open(unfinished, "w").close()
                raise KeyError
            self.assertEqual(os.listdir(folder), [])
            faults = []

            def write(letter):
                try:
                    for _ in range(100):
                        write_whole(path, letter * 1000)
                except OSError as error:
                    faults.append(error)
            threads = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(faults, [])
            self.assertEqual(os.listdir(folder), ["file"])
            with open(path, "rb") as file:
                self.assertIn(file.read(), (b"a" * 1000, b"b" * 1000, b"c" * 1000))


class TensorBytes(unittest.TestCase):
    def test_mistakes_are_told_with_what_was_got(self):
        data = tf.io.serialize_tensor([1.0, 2.0])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"parsed tensor \(float\) and dtype \(int32\); write out_type=tf.float32"):
            tf.io.parse_tensor(data, tf.int32)
        for broken in (b"", data.numpy()[:-3], b"\xff" * 9):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Could not parse"):
                tf.io.parse_tensor(broken, tf.float32)

        @tf.function
        def f(x):
            return tf.io.parse_tensor(x, tf.float32)
        self.assertEqual(f(data).numpy().tolist(), [1.0, 2.0])
        self.assertEqual(f.python_function(data).numpy().tolist(), [1.0, 2.0])

    def test_make_tensor_proto_checks_shapes(self):
        self.assertEqual(tf.make_ndarray(tf.make_tensor_proto(3, shape=[2])).tolist(), [3, 3])
        with self.assertRaisesRegex(ValueError, "Takes at most 2, but got 3"):
            tf.make_tensor_proto([1, 2, 3], shape=[2])


if __name__ == "__main__":
    unittest.main(verbosity=0)
