"""The programs of examples/python: each prints what it should."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from ports import free_ports  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


def run(name, expect=0, timeout=240, **environment):
    """(what the program prints, what it says besides)"""
    done = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True,
                          timeout=timeout, env=dict(os.environ, **environment))
    if done.returncode != expect:
        raise AssertionError(f"{name}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout, done.stderr


def digits(folder, examples):
    """A file of the form of mnist.npz: blobs at the place of the label."""
    numbers = np.random.RandomState(0)

    def make(count):
        y = (np.arange(count) % 10).astype("uint8")
        x = numbers.randint(0, 60, (count, 28, 28)).astype("uint8")
        for label in range(10):
            x[y == label, 2 * label:2 * label + 4, 4:24] = 200
        return x, y
    x_train, y_train = make(examples)
    x_test, y_test = make(max(examples // 6, 10))
    path = os.path.join(folder, "mnist.npz")
    np.savez(path, x_train=x_train, y_train=y_train, x_test=x_test, y_test=y_test)
    return path


class Values(unittest.TestCase):
    def test_01_a_read_after_the_assignment(self):
        out, _ = run("question_01.py")
        self.assertEqual(out, "Initial x: 1.0 ...\nReceived x after modification: 1.0...\n")

    def test_02_host_arrays_are_copies(self):
        out, _ = run("question_02.py")
        self.assertEqual(out, "Initial received x: 5.0...\nUpdated received x: 0.0...\n")

    def test_03_values_of_their_time(self):
        out, err = run("question_03.py")
        self.assertEqual(out, "Initial_tensor[0]: 1.0 ...\nFinal_tensor[0]: 2.0 ...\n")
        self.assertEqual(err.count("Inside worker function"), 2)

    def test_04_mirrored_variables(self):
        self.assertEqual(run("question_04.py")[0], "Variables created with MirroredStrategy.\n")

    def test_06_central_storage(self):
        self.assertEqual(run("question_06.py")[0], "Variables created with CentralStorageStrategy.\n")


class Sessions(unittest.TestCase):
    def test_07_gradients_see_the_update(self):
        self.assertEqual(run("question_07.py")[0], "".join(
            f"Iteration {i}: Loss Grad=3.0, Other Grad=2.0\n" for i in range(5)))

    def test_08_a_closed_session_is_named(self):
        _, err = run("question_08.py", expect=1)
        last = [line for line in err.splitlines() if line.strip()]
        self.assertIn("closed Session", last[-1])
        self.assertIn("line 24", last[-1])
        self.assertIn("question_08.py", [line for line in last if "File" in line][0])

    def test_08_moved_into_the_block(self):
        self.assertEqual(run("question_08_moved.py")[0], "".join(
            f"Iteration {i}:  Updated x: 1.5, Gradients = None\n" for i in range(5)))

    def test_09_threads_have_whole_runs(self):
        pairs = re.findall(r"\(np\.float32\(([\d.]+)\), np\.float32\(([\d.]+)\)\)",
                           run("question_09.py")[0])
        self.assertEqual(sorted(float(one) for one, _ in pairs), [3, 4, 5, 6, 7])
        self.assertEqual({two for _, two in pairs}, {"2.0"})


class Parallel(unittest.TestCase):
    def test_10_a_lost_update_is_told(self):
        # The threads are so short that few runs race; a switch of threads at each step makes it likely.
        program = (EXAMPLES / "question_10.py").read_text()
        slow = "import sys\nsys.setswitchinterval(1e-7)\n" + program
        for _ in range(20):
            done = subprocess.run([sys.executable, "-c", slow], capture_output=True, text=True)
            value = float(done.stdout.strip())
            if value < 5:
                self.assertIn("lost update", done.stderr)
                break
            self.assertEqual(value, 5)
        safe = program.replace("local_value = shared_variable.value()", "").replace(
            "local_value += 1.0", "").replace("shared_variable.assign(local_value)",
                                              "shared_variable.assign_add(1.0)")
        done = subprocess.run([sys.executable, "-c", safe], capture_output=True, text=True)
        self.assertEqual(done.stdout, "5.0\n")

    def test_11_batches_in_turn(self):
        out, err = run("question_11.py")
        self.assertEqual(out.splitlines()[:2], ["tf.Tensor(0, shape=(), dtype=int32)",
                                                "tf.Tensor(1, shape=(), dtype=int32)"])
        self.assertEqual(out.splitlines()[10:], [
            f"tf.Tensor([{i} {i + 1}], shape=(2,), dtype=int32)" for i in (0, 2, 4, 6)])
        self.assertIn("experimental_distribute_dataset(dataset)", err)

    def test_12_tensorflows_numbers(self):
        out, _ = run("question_12.py")
        self.assertEqual(out, "[[ 0.3274685 -0.8426258  0.3194337 -1.4075519 -2.3880599]]\n" * 2)


class Clusters(unittest.TestCase):
    def test_05_two_tasks(self):
        first, second = free_ports(2)
        program = (EXAMPLES / "question_05.py").read_text()
        program = program.replace("12345", str(first)).replace("12346", str(second))
        tasks = [subprocess.Popen([sys.executable, "-c", program.replace("'index': 0", f"'index': {i}")],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                 for i in range(2)]
        for task in tasks:
            out, err = task.communicate(timeout=120)
            self.assertEqual(out, "Variables created with MultiWorkerMirroredStrategy.\n", err)

    def test_14_two_workers_train_as_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = digits(folder, 600)
            ports = free_ports(2)
            workers = [f"localhost:{port}" for port in ports]
            tasks = []
            for i in range(2):
                config = json.dumps({"cluster": {"worker": workers}, "task": {"type": "worker", "index": i}})
                tasks.append(subprocess.Popen(
                    [sys.executable, EXAMPLES / "question_14.py"], stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True,
                    env=dict(os.environ, TF_CONFIG=config, MNIST=path, EPOCHS="2")))
            digests = set()
            for task in tasks:
                out, err = task.communicate(timeout=200)
                self.assertEqual(task.returncode, 0, err)
                digests.add(re.search(r"weights (\w+)", out).group(1))
            self.assertEqual(len(digests), 1)
            alone = (EXAMPLES / "question_14.py").read_text()
            alone = re.sub(r"cluster_resolver = .*\n", "", alone, count=1)
            alone = re.sub(r"strategy = .*\n",
                           "strategy = tf.distribute.MirroredStrategy(replicas=2)\n", alone)
            done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True,
                                  env=dict(os.environ, MNIST=path, EPOCHS="2"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(re.search(r"weights (\w+)", done.stdout).group(1), digests.pop())


class Training(unittest.TestCase):
    def test_13_trains_and_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            out, err = run("question_13.py", MNIST=digits(folder, 60000), EPOCHS="1")
        self.assertRegex(out, r"1875/1875 .* - accuracy: \d\.\d{4} - loss: \d+\.\d{4}")
        self.assertIn("softmax", err)


if __name__ == "__main__":
    unittest.main(verbosity=0)
