"""A place that a training cannot be saved in is reported before the first step."""
import pathlib
import tempfile
import unittest

import numpy

import lockstep as tf

callbacks = tf.keras.callbacks


class Unwritable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "file"
        self.file.write_text("text")

    def steps_until_error(self, callback, error):
        steps = []
        counts = callbacks.LambdaCallback(on_train_batch_begin=lambda batch, logs: steps.append(batch))
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        with self.assertRaises(error) as raised:
            model.fit(numpy.ones((4, 2)), numpy.ones((4, 1)), verbose=0, callbacks=[counts, callback])
        return len(steps), str(raised.exception)

    def test_before_the_first_step(self):
        file = str(self.file)
        for callback, error in ((callbacks.BackupAndRestore(file), FileExistsError),
                                (callbacks.BackupAndRestore(file + "/below"), NotADirectoryError),
                                (callbacks.BackupAndRestore("/proc/lockstep"), OSError),
                                (callbacks.ModelCheckpoint(file + "/{epoch}.keras"), FileExistsError),
                                (callbacks.ModelCheckpoint(file + "/below/{epoch}/a.weights.h5", save_weights_only=True),
                                 NotADirectoryError)):
            steps, text = self.steps_until_error(callback, error)
            self.assertEqual(steps, 0)
            self.assertIn("Training cannot be saved there.", text)
            self.assertIn("/proc/lockstep" if error is OSError else file, text)

    def test_a_missing_parent_is_made(self):
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        path = self.folder / "a/b/{epoch}.keras"
        model.fit(numpy.ones((4, 2)), numpy.ones((4, 1)), verbose=0, callbacks=[callbacks.ModelCheckpoint(path)])
        self.assertEqual([one.name for one in (self.folder / "a/b").iterdir()], ["1.keras"])


if __name__ == "__main__":
    unittest.main()
