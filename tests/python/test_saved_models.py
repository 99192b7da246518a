"""SavedModels: ours read back, and both ways with the real TensorFlow where it is installed (PEERS, by default ~/.cache/lockstep-peers)."""

import contextlib
import io
import os
import pathlib
import pwd
import random
import subprocess
import sys
import tempfile
import unittest

import numpy

import lockstep as tf

PROGRAMS = pathlib.Path(__file__).parent / "saved_model_programs.py"
HOME = pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir)  # tests run with another HOME
PEER = pathlib.Path(os.environ.get("PEERS", HOME / ".cache/lockstep-peers")) / "tensorflow/bin/python"


def run(python, *arguments):
    """The lines {model: what is said of it} that the programs print."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([python, PROGRAMS, *arguments], capture_output=True, text=True, env=environment, timeout=600)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


class OwnModels(unittest.TestCase):
    def test_are_read_back(self):
        with tempfile.TemporaryDirectory() as folder:
            written = run(sys.executable, "lockstep", "write", folder)
            self.assertEqual(set(written.values()), {"written"}, written)
            self.assertEqual(run(sys.executable, "lockstep", "check", folder), dict.fromkeys(written, "same"))

    def test_functions_name_what_cannot_be_written(self):
        class Reader(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
            def call(self, x):
                return x * untracked
        untracked = tf.Variable(2.0)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(AssertionError, "untracked"):
                tf.saved_model.save(Reader(), folder)
            made = tf.Module()
            made.call = tf.function(lambda x: tf.linalg.det(x), input_signature=[tf.TensorSpec([2, 2])])
            with self.assertRaisesRegex(NotImplementedError, "cannot be written"):
                tf.saved_model.save(made, folder)
            with self.assertRaisesRegex(ValueError, "Expected a TensorFlow function"):
                tf.saved_model.save(tf.Module(), folder, signatures={"a": len})
            self.assertFalse(tf.saved_model.contains_saved_model(folder))
            with self.assertRaisesRegex(OSError, "SavedModel file does not exist"):
                tf.saved_model.load(folder)

    def test_loaded_variables_are_trained_and_saved_again(self):
        made = tf.Module()
        made.w = tf.Variable([1.0, 2.0])
        made.fixed = tf.Variable(3.0, trainable=False)
        made.call = tf.function(lambda x: tf.reduce_sum(x * made.w) + made.fixed, input_signature=[tf.TensorSpec([2])])
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(made, folder + "/a")
            loaded = tf.saved_model.load(folder + "/a")
            self.assertEqual((loaded.w.trainable, loaded.fixed.trainable), (True, False))
            with tf.GradientTape() as tape:
                value = loaded.call(tf.constant([3.0, 4.0]))
            gradient = tape.gradient(value, loaded.w)
            self.assertEqual((float(value), gradient.numpy().tolist()), (14.0, [3.0, 4.0]))
            loaded.w.assign_sub(gradient)
            tf.saved_model.save(loaded, folder + "/b")
            again = tf.saved_model.load(folder + "/b")
            self.assertEqual(float(again.call(tf.constant([1.0, 1.0]))), -1.0)
            self.assertEqual(float(again.signatures["serving_default"](x=tf.constant([1.0, 1.0]))["output_0"]), -1.0)

    def test_layers_around_saved_models_are_trained(self):
        tf.keras.utils.set_random_seed(3)
        inner = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(5, activation="tanh"), tf.keras.layers.Dense(2)])
        x, y = numpy.random.rand(32, 4).astype("float32"), numpy.arange(32) % 2
        with tempfile.TemporaryDirectory() as folder:
            inner.export(folder, verbose=False)
            layer = tf.keras.layers.TFSMLayer(folder)
            with self.assertRaisesRegex(ValueError, "Available endpoints.*serve"):
                tf.keras.layers.TFSMLayer(folder, call_endpoint="other")
            with self.assertRaisesRegex(ValueError, "safe_mode=False"):
                tf.keras.layers.TFSMLayer.from_config(layer.get_config())
        self.assertEqual([one.shape.as_list() for one in layer.trainable_weights], [[4, 5], [5], [5, 2], [2]])
        self.assertEqual(layer(x).numpy().tolist(), inner(x).numpy().tolist())
        models = [tf.keras.Sequential([tf.keras.Input([4]), one]) for one in (layer, inner)]
        losses = []
        for one in models:
            one.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
            losses.append(one.fit(x, y, epochs=3, verbose=0, shuffle=False).history["loss"])
        self.assertEqual(losses[0], losses[1])
        self.assertLess(losses[0][2], losses[0][0])

    def test_random_numbers_and_masks_are_written(self):
        made = tf.Module()
        made.draw = tf.function(lambda x: tf.random.uniform([3], 2.0, 5.0) + 0.0 * x, input_signature=[tf.TensorSpec([])])
        made.causal = tf.function(lambda x: tf.nn.scaled_dot_product_attention(x, x, x, is_causal=True) if hasattr(
            tf.nn, "scaled_dot_product_attention") else x, input_signature=[tf.TensorSpec([1, 4, 2])])
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(made, folder)
            loaded = tf.saved_model.load(folder)
            drawn = loaded.draw(tf.constant(1.0)).numpy()
            self.assertTrue((drawn >= 2).all() and (drawn < 5).all(), drawn)
            self.assertNotEqual(drawn.tolist(), loaded.draw(tf.constant(1.0)).numpy().tolist())

    def test_command_shows_and_runs(self):
        from lockstep import saved_model_cli
        made = tf.Module()
        made.w = tf.Variable([1.0, 2.0])
        made.call = tf.function(lambda x: x * made.w, input_signature=[tf.TensorSpec([None, 2], name="x")])

        def said(*arguments):
            out, problem = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(problem):
                status = saved_model_cli.main(arguments)
            return status, out.getvalue(), problem.getvalue()
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(made, folder)
            self.assertIn("'serve'", said("show", "--dir", folder)[1])
            shown = said("show", "--dir", folder, "--all")[1]
            for one in ("signature_def['serving_default']", "dtype: DT_FLOAT", "shape: (-1, 2)", "Function Name: 'call'", "w: float32 (2,)"):
                self.assertIn(one, shown)
            status, out, _ = said("run", "--dir", folder, "--input_exprs", "x=[[3.0, 4.0]]", "--outdir", folder + "/out")
            self.assertEqual((status, numpy.load(folder + "/out/output_0.npy").tolist()), (0, [[3.0, 8.0]]), out)
            status, _, problem = said("run", "--dir", folder, "--input_exprs", "x=__import__('os')")
            self.assertEqual(status, 1)
            self.assertIn("must be NAME=VALUE", problem)
            self.assertEqual(said("run", "--dir", folder + "/none")[0], 1)

    def test_damaged_files_raise_damaged_file_errors(self):
        class Small(tf.Module):
            def __init__(self):
                super().__init__()
                self.v = tf.Variable([1.0, 2.0])

            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def call(self, x):
                return {"y": tf.where(x > 0.0, x * self.v, tf.zeros_like(x))}
        rng, outcomes = random.Random(int(os.environ.get("LOCKSTEP_TEST_SEED", 11))), {"read": 0, "refused": 0}
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(Small(), folder)
            path = folder + "/saved_model.pb"
            with open(path, "rb") as file:
                whole = file.read()
            for _ in range(150):
                data = bytearray(whole[:rng.randrange(len(whole))] if rng.random() < 0.2 else whole)
                for _ in range(rng.choice((1, 3, 10))):
                    data[rng.randrange(len(data))] = rng.randrange(256)
                with open(path, "wb") as file:
                    file.write(data)
                try:
                    loaded = tf.saved_model.load(folder)
                    outcomes["read"] += 1
                except tf.errors.DamagedFileError as error:
                    self.assertIn(folder, str(error))
                    outcomes["refused"] += 1
                    continue
                except ValueError as error:  # other tags than the one of serving
                    self.assertIn("MetaGraphDef", str(error))
                    continue
                try:
                    loaded.call(tf.constant([1.0, 2.0]))
                except (tf.errors.OpError, ValueError, TypeError, AttributeError, NotImplementedError):
                    pass
        self.assertTrue(all(outcomes.values()), outcomes)


@unittest.skipUnless(PEER.exists(), f"SKIPPED: TensorFlow is not installed at {PEER}")
class WithTensorFlow(unittest.TestCase):
    def test_models_of_tensorflow_give_the_same_here(self):
        with tempfile.TemporaryDirectory() as folder:
            written = run(PEER, "tensorflow", "write", folder)
            self.assertEqual(set(written.values()), {"written"}, written)
            self.assertGreaterEqual(len(written), 20)
            self.assertEqual(run(sys.executable, "lockstep", "check", folder), dict.fromkeys(written, "same"))

    def test_models_of_ours_give_the_same_there(self):
        with tempfile.TemporaryDirectory() as folder:
            written = run(sys.executable, "lockstep", "write", folder)
            self.assertEqual(set(written.values()), {"written"}, written)
            self.assertGreaterEqual(len(written), 20)
            self.assertEqual(run(PEER, "tensorflow", "check", folder), dict.fromkeys(written, "same"))


if __name__ == "__main__":
    unittest.main()
