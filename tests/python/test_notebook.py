"""Notebooks show all that a program prints, also what the library itself prints."""
import sys
import unittest

CELLS = ["""
import lockstep as tf, numpy as np
x = np.random.RandomState(0).rand(64, 6).astype("float32")
y = (x.sum(1) > 3).astype("int32")
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
history = model.fit(x, y, epochs=2, validation_split=0.25)
model.predict(x).shape
""", """
import threading

@tf.function
def double(a):
    tf.print("in graph", a)
    print("traced")
    return a * 2

def other():
    print("from a thread")
    tf.print("printed by a thread")

thread = threading.Thread(target=other)
thread.start()
thread.join()
double(tf.constant(3))
""", """
tf.matmul(tf.ones((2, 3)), tf.ones((2, 3)))
""", """
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(4)])
    model.compile("sgd", "mse")
history = model.fit(x, x[:, :4], epochs=1, verbose=2)
model.summary()
"""]


def run(cells):
    """The outputs of each cell: {"stdout": text, "stderr": text, "value": text, "error": (name, traceback)}."""
    import nbclient
    import nbformat
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one.strip()) for one in cells])
    nbclient.NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3").execute()
    made = []
    for cell in notebook.cells:
        seen = {"stdout": "", "stderr": "", "value": "", "error": None}
        for output in cell.outputs:
            if output.output_type == "stream":
                seen[output.name] += output.text
            elif output.output_type == "error":
                seen["error"] = (output.ename, "\n".join(output.traceback))
            else:
                seen["value"] += output.data.get("text/plain", "")
        made.append(seen)
    return made


class Notebook(unittest.TestCase):
    def test_shows_what_is_printed(self):
        trained, printed, failed, mirrored = run(CELLS)
        self.assertIsNone(trained["error"])
        for text in ("Epoch 1/2", "Epoch 2/2", "accuracy: ", "val_loss: ", "2/2", "━"):
            self.assertIn(text, trained["stdout"])
        self.assertIn("\r", trained["stdout"])  # the bar is drawn anew in its place
        self.assertEqual(trained["value"], "(64, 2)")
        for text in ("traced\n", "from a thread\n"):
            self.assertIn(text, printed["stdout"])
        for text in ("in graph 3\n", "printed by a thread\n"):
            self.assertIn(text, printed["stderr"])
        self.assertEqual(printed["value"], "<tf.Tensor: shape=(), dtype=int32, numpy=6>")
        name, traceback = failed["error"]
        self.assertEqual(name, "InvalidArgumentError")
        self.assertNotIn("lockstep/", traceback)  # it ends in the user's line
        self.assertIsNone(mirrored["error"])
        self.assertIn("loss: ", mirrored["stdout"])
        self.assertIn("Total params", mirrored["stdout"])


if __name__ == "__main__":
    try:
        import ipykernel  # noqa: F401
        import nbclient  # noqa: F401
    except ImportError as missing:
        print(f"left out: {missing}", flush=True)
        sys.exit(0)
    unittest.main()
