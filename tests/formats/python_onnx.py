#!/usr/bin/env python3
"""ONNX files that Lockstep writes are checked by onnx's checker, and computed by its reference evaluator.

usage: python_onnx.py --build DIR      (run by a Python that has onnx)

Exits 77, saying why, where onnx or Lockstep's Python package is not to be had."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def models(tf):
    """(name, model or function, inputs, options) of each export."""
    import numpy as np
    keras, L = tf.keras, tf.keras.layers
    numbers = np.random.RandomState(0)

    def values(*shape):
        return numbers.rand(*shape).astype("float32") - 0.3
    yield "dense", keras.Sequential([
        keras.Input((4,)), L.Dense(5, activation="relu"), L.BatchNormalization(), L.Dense(3),
        L.Softmax()]), [values(6, 4)], {}
    yield "images", keras.Sequential([
        keras.Input((9, 8, 2)), L.Conv2D(4, 3, padding="same", strides=2, activation="relu"), L.MaxPooling2D(2),
        L.DepthwiseConv2D(2, padding="same"), L.AveragePooling2D(2, strides=1, padding="same"), L.ZeroPadding2D(1),
        L.Cropping2D(((1, 0), (0, 1))), L.Dropout(0.5), L.Flatten(), L.Dense(2)]), [values(3, 9, 8, 2)], {}
    yield "groups", keras.Sequential([
        keras.Input((6, 6, 4)), L.Conv2D(4, 3, groups=2, dilation_rate=2), L.SeparableConv2D(3, 2),
        L.GlobalAveragePooling2D()]), [values(2, 6, 6, 4)], {}
    yield "transposed", keras.Sequential([
        keras.Input((4, 5, 2)), L.Conv2DTranspose(3, 3, strides=2, padding="same"), L.Conv2DTranspose(2, 2),
        L.GlobalMaxPooling2D()]), [values(2, 4, 5, 2)], {"batch_size": 2}
    words = keras.Sequential([keras.Input((5,), dtype="int32"), L.Embedding(11, 6), L.LSTM(4, return_sequences=True),
                              L.GRU(3), L.Dense(2)])
    masked = keras.Sequential([keras.Input((5,), dtype="int32"), L.Embedding(11, 4, mask_zero=True),
                               L.Bidirectional(L.GRU(3, return_sequences=True)), L.Bidirectional(L.LSTM(2))])
    yield "masked words", masked, [numbers.randint(0, 4, (3, 5)).astype("int32")], {"batch_size": 3}
    yield "causal rows", keras.Sequential([
        keras.Input((7, 3)), L.Conv1D(4, 3, padding="causal", dilation_rate=2), L.UpSampling1D(2)]), [values(2, 7, 3)], {}
    yield "dilated transposed", keras.Sequential([
        keras.Input((5, 4, 2)), L.Conv2DTranspose(3, (3, 2), dilation_rate=2), L.UpSampling2D((2, 3))]), [
            values(2, 5, 4, 2)], {"batch_size": 2}
    yield "words", words, [numbers.randint(0, 11, (3, 5)).astype("int32")], {}
    start = keras.Input((5, 4))
    attended = L.MultiHeadAttention(2, 3)(start, start)
    attended = L.LayerNormalization()(L.Add()([start, attended]))
    attended = L.Dense(4, activation="gelu")(attended)
    yield "attention", keras.Model(start, attended), [values(2, 5, 4)], {"batch_size": 2}
    causal = L.MultiHeadAttention(2, 2)(start, start, use_causal_mask=True)
    yield "causal", keras.Model(start, causal), [values(1, 5, 4)], {"batch_size": 1}
    left, right = keras.Input((3,)), keras.Input((3,))
    both = L.Concatenate()([left * 2.0 - right, right])
    yield "two inputs", keras.Model([left, right], [L.Dense(2)(both), both[:, 1:3]]), [values(4, 3), values(4, 3)], {}
    for name in ("elu", "selu", "softplus", "softsign", "silu", "leaky_relu", "relu6", "exponential", "hard_sigmoid",
                 "mish", "log_softmax", "tanh", "sigmoid", "gelu"):
        yield name, keras.Sequential([keras.Input((7,)), L.Activation(name)]), [values(3, 7) * 6], {}
    weights = tf.Variable(values(3, 3))

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def function(x):
        y = tf.matmul(x, weights, transpose_b=True)
        y = tf.where(y > 0, tf.sqrt(tf.abs(y) + 1.0), tf.math.rsqrt(tf.square(y) + 1.0))
        return {"sum": tf.reduce_sum(y, axis=1, keepdims=True), "top": tf.argmax(y, axis=1), "row": y[:, ::-1],
                "one": tf.one_hot(tf.argmax(y, axis=1), 4, on_value=2.0, axis=0), "turned": tf.reverse(y, [1]),
                "sums": tf.cumsum(y, axis=1, exclusive=True, reverse=True), "best": tf.math.top_k(y, 2), "around": tf.pad(y, [[0, 0], [2, 1]], "REFLECT"),
                "logs": tf.reduce_logsumexp(y, axis=1)}
    yield "function", function, [values(4, 3)], {}


def outputs_of(tf, model, inputs):
    """What Lockstep gives for the inputs, in their order."""
    if hasattr(model, "trainable_weights"):
        given = [tf.constant(one) for one in inputs]
        return tf.nest.flatten(model(given if len(given) > 1 else given[0], training=False))
    return tf.nest.flatten(model(*[tf.constant(one) for one in inputs]))


def check():
    import numpy as np
    import onnx
    import onnx.reference
    import lockstep as tf
    tf.keras.utils.set_random_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        for name, model, inputs, options in models(tf):
            path = f"{folder}/model.onnx"
            tf.onnx.export(model, path, **options)
            wanted = [one.numpy() for one in outputs_of(tf, model, inputs)]
            proto = onnx.load(path)
            onnx.checker.check_model(proto, full_check=True)
            session = onnx.reference.ReferenceEvaluator(proto)
            made = session.run(None, dict(zip(session.input_names, inputs)))
            assert len(made) == len(wanted), name
            for one, other in zip(made, wanted):
                assert one.shape == other.shape and one.dtype == other.dtype, (name, one.shape, other.shape)
                np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6, err_msg=name)
            print(f"{name}: {len(proto.graph.node)} nodes, equal", flush=True)
        try:
            tf.onnx.to_bytes(tf.function(lambda x: tf.linalg.inv(x), input_signature=[tf.TensorSpec([3, 3], tf.float32)]))
        except NotImplementedError as error:
            assert "PyFunction" in str(error), error
        else:
            raise AssertionError("an op without a counterpart must be refused")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--inside", action="store_true")
    options = parser.parse_args()
    if options.inside:
        check()
        return 0
    for folder in (options.build / "python", options.build / "python-extension" / "python"):
        if list((folder / "lockstep").glob("_native*.so")):
            break
    else:
        print("SKIPPED: Lockstep's Python package is not built")
        return SKIPPED
    probe = subprocess.run([sys.executable, "-c", "import onnx, lockstep"], capture_output=True, text=True,
                           env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"})
    if probe.returncode:
        print("SKIPPED: " + probe.stderr.strip().splitlines()[-1])
        return SKIPPED
    return subprocess.run([sys.executable, __file__, "--inside"],
                          env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"}).returncode


if __name__ == "__main__":
    sys.exit(main())
