#!/usr/bin/env python3
"""Checkpoints of models trained from Python go to the real TensorFlow and back, bit for bit, slots included.

usage: python_checkpoints.py --build DIR      (run by a Python that has TensorFlow)

Exits 77, saying why, where TensorFlow or Lockstep's Python package is not to be had."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77

PROGRAM = '''
import sys
import numpy as np
import FRAMEWORK as tf

K = tf.keras

def sequential():
    return K.Sequential([K.Input((8,)), K.layers.Dense(4), K.layers.BatchNormalization(), K.layers.Dropout(0.0),
                         K.layers.Dense(4), K.layers.Dense(2)])

def branched():
    start = K.Input((8,))
    near = K.layers.Dense(4)(start)
    far = K.layers.Dense(4)(start)
    both = K.layers.Add()([near, K.layers.Dense(4)(far)])
    return K.Model(start, K.layers.Dense(2)(K.layers.Concatenate()([both, far])))

class Subclassed(K.Model):
    def __init__(self):
        super().__init__()
        self.first, self.last = K.layers.Dense(4), K.layers.Dense(2)
        self.more = [K.layers.Dense(4), K.layers.Dense(4)]

    def call(self, x):
        x = self.first(x)
        for one in self.more:
            x = one(x)
        return self.last(x)

def recurrent():
    return K.Sequential([K.Input((4, 2)), K.layers.LSTM(3), K.layers.Dense(2)])

action, folder = sys.argv[1:]
for name, make, shape, optimizer in (
        ("sequential", sequential, (8,), K.optimizers.Adam()), ("branched", branched, (8,), K.optimizers.Adam()),
        ("subclassed", Subclassed, (8,), K.optimizers.SGD()), ("recurrent", recurrent, (4, 2), K.optimizers.RMSprop()),
        ("momentum", sequential, (8,), K.optimizers.SGD(0.1, momentum=0.9)),
        ("factors", sequential, (8,), K.optimizers.Adafactor(0.01))):
    model = make()
    model.compile(optimizer, "mse")
    x = np.random.rand(4, *shape).astype("float32")
    model.fit(x, np.zeros((4, 2), "float32"), batch_size=4, epochs=2, verbose=0)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    path = f"{folder}/{name}"

    def values():
        slots = [one.numpy() for one in optimizer.variables]
        if name == "factors" and FACTORS_BESIDE:  # TensorFlow keeps more, which it does not read
            slots = slots[:2] + [one for i in range(2, len(slots), 3) for one in (
                slots[i:i + 2] if slots[i].ndim else slots[i + 2:i + 3])]
        return [np.array(one) for one in model.get_weights()] + slots
    if action == "save":
        checkpoint.save(path)
        np.savez(path, *values())
    else:
        checkpoint.restore(path + "-1").assert_existing_objects_matched()
        wanted = np.load(path + ".npz")
        found = values()
        assert len(found) == len(wanted.files), name
        for place, one in enumerate(found):
            assert np.array_equal(one, wanted[f"arr_{place}"]), (name, place)
'''


# A graph of version 1 with its variables, which the real TensorFlow trains and saves.
GRAPH = '''
import sys
import numpy as np
import FRAMEWORK.compat.v1 as tf
tf.disable_eager_execution()
action, folder = sys.argv[1:]
x_value = np.array([[1.0, 1.0], [0.5, -2.0]], "float32")
with tf.Session() as session:
    if action == "save":
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=tf.constant([[1.0], [2.0]]))
        k = tf.get_variable("k", shape=[2, 3], initializer=tf.glorot_uniform_initializer(seed=1))
        y = tf.add(tf.matmul(x, w), tf.reduce_sum(tf.nn.relu(tf.matmul(x, k)), 1, keepdims=True), name="y")
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(y), global_step=step)
        tf.add_to_collection("outputs", y)
        session.run(tf.global_variables_initializer())
        session.run(train, {x: x_value})
        tf.train.Saver().save(session, folder + "/graph")
    else:
        tf.train.import_meta_graph(folder + "/graph.meta").restore(session, folder + "/graph")
        y, = tf.get_collection("outputs")
        assert [one.name for one in tf.trainable_variables()] == ["w:0", "k:0"], tf.trainable_variables()
        assert session.run(tf.train.get_global_step()) == 1
    found = session.run(y, {"x:0": x_value})
    if action == "save":
        np.save(folder + "/y.npy", found)
    else:
        np.testing.assert_allclose(found, np.load(folder + "/y.npy"), rtol=1e-6)
'''


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def run(python, framework, action, folder, program=PROGRAM, **environment):
    text = program.replace("FRAMEWORK", framework).replace("FACTORS_BESIDE", str(framework == "tensorflow"))
    done = subprocess.run([python, "-c", text, action, folder],
                          capture_output=True, text=True, env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", **environment))
    if done.returncode:
        sys.exit(f"{framework}: {action} failed\n{done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--python", help="the Python of Lockstep's package")
    parser.add_argument("--package", type=pathlib.Path)
    options = parser.parse_args()
    ours = options.python or options.build / "python-environment" / "bin" / "python"
    places = [options.package] if options.package else [
        options.build / "python", options.build / "python-extension" / "python"]
    package = next((str(one) for one in places if list((one / "lockstep").glob("_native*.so"))), None)
    if package is None or subprocess.run([ours, "-c", "import lockstep"], capture_output=True,
                                         env={"PYTHONPATH": package}).returncode:
        skip("the Python package is not built")
    if subprocess.run([sys.executable, "-c", "import tensorflow"], capture_output=True).returncode:
        skip("TensorFlow is not installed")
    with tempfile.TemporaryDirectory() as folder:
        run(ours, "lockstep", "save", folder, PYTHONPATH=package)
        run(ours, "lockstep", "restore", folder, PYTHONPATH=package)
        run(sys.executable, "tensorflow", "restore", folder)
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "tensorflow", "save", folder)
        run(ours, "lockstep", "restore", folder, PYTHONPATH=package)
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "tensorflow", "save", folder, GRAPH)
        run(ours, "lockstep", "restore", folder, GRAPH, PYTHONPATH=package)
        run(ours, "lockstep", "save", folder, GRAPH, PYTHONPATH=package)
        run(ours, "lockstep", "restore", folder, GRAPH, PYTHONPATH=package)
    print("6 models, both ways, equal in every bit; a graph of version 1 with its variables from TensorFlow")
    return 0


if __name__ == "__main__":
    sys.exit(main())
