"""What the callback TensorBoard writes of a training: layers, figures, weights as histograms and as images."""
import glob
import json
import os
import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras


def models():
    yield keras.Sequential([keras.Input((4, 4, 3)), keras.layers.Conv2D(2, 3, name="conv"), keras.layers.Flatten(),
                            keras.layers.Dense(2, name="dense")], name="rows")
    start = keras.Input((4, 4, 3), name="start")
    yield keras.Model(start, keras.layers.Dense(2, name="end")(keras.layers.Flatten(name="flat")(start)), name="both")


numbers = np.random.RandomState(4)
features, targets = numbers.rand(8, 4, 4, 3).astype("float32"), numbers.rand(8, 2).astype("float32")
options = {"write_graph": True}, {"write_graph": False, "update_freq": 1}, {"histogram_freq": 2, "write_images": True}
for model in models():
    for one in options:
        model.compile("sgd", "mse", metrics=["mae"])
        with tempfile.TemporaryDirectory() as folder:
            board = keras.callbacks.TensorBoard(folder, **one)
            model.fit(features, targets, batch_size=2, epochs=3, verbose=0, callbacks=[board], validation_split=0.25)
            for part in "train", "validation":
                shown = {}
                for path in glob.glob(os.path.join(folder, part, "*")):
                    for event in tf.compat.v1.train.summary_iterator(path):
                        for value in event.summary.value:
                            kind = value.metadata.plugin_data.plugin_name, tf.make_ndarray(value.tensor).shape
                            shown.setdefault(value.tag, []).append((event.step, *kind))
                            if value.tag == "keras":
                                layers = json.loads(tf.make_ndarray(value.tensor).item())["config"]["layers"]
                                print([layer["class_name"] for layer in layers])
                for tag, steps in sorted(shown.items()):
                    print(model.name, part, tag, steps)
