# Texts that are added to others.
import tensorflow as tf
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, )
x = tf.constant(["a", "b"])
t(lambda: x + "!"); t(lambda: "pre" + x); t(lambda: x + x); t(lambda: tf.add(x, "c")); t(lambda: tf.add(x, x)); t(lambda: tf.function(lambda q: q + "_" + q)(x)); t(lambda: tf.constant("a") + "b"); t(lambda: x[:, None] + x); t(lambda: tf.function(lambda q: "x" + q)(x)); t(lambda: tf.Variable("a") + "b"); t(lambda: list(tf.data.Dataset.from_tensor_slices(["a", "b"]).map(lambda s: "file_" + s + ".txt").as_numpy_iterator()))
