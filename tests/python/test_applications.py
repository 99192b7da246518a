"""keras.applications: layers, weights and outputs are those of Keras, with the real Keras where it is installed (PEERS, by default
~/.cache/lockstep-peers), and heads, inputs, files and errors without it."""

import inspect
import json
import os
import pathlib
import pwd
import subprocess
import tempfile
import unittest

import numpy as np

import lockstep as tf

keras = tf.keras
apps = keras.applications
HOME = pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir)  # tests run with another HOME
PEER = pathlib.Path(os.environ.get("PEERS", HOME / ".cache/lockstep-peers")) / "tensorflow/bin/python"
SIZES = {"Xception": 71, "InceptionV3": 75, "InceptionResNetV2": 75}
COMPARED = [name for name in ("MobileNet", "MobileNetV2", "MobileNetV3Small", "MobileNetV3Large", "ResNet50", "ResNet50V2",
                              "DenseNet121", "EfficientNetB0", "EfficientNetV2B0", "Xception", "InceptionV3",
                              "InceptionResNetV2", "ConvNeXtTiny", "NASNetMobile") if hasattr(apps, name)]
SCRIPT = """
import json, sys
import numpy as np
import tensorflow as tf
folder, sizes = sys.argv[1], json.loads(sys.argv[2])
for name, size in sizes.items():
    tf.keras.backend.clear_session()
    model = getattr(tf.keras.applications, name)(input_shape=(size, size, 3), weights=None, classes=7)
    random = np.random.default_rng(1)
    values = []
    for one in model.weights:
        drawn = random.standard_normal(one.shape).astype("float32")
        kind = one.path.rpartition("/")[2]
        values.append(np.abs(drawn) + 1 if "variance" in kind else drawn * (1.5 / max(np.prod(one.shape[:-1]), 1)) ** 0.5
                      if kind.endswith("kernel") else 1 + 0.1 * drawn if kind == "gamma" else np.zeros(one.shape)
                      if one.dtype == "int64" else 0.1 * drawn)
    model.set_weights(values)
    x = random.standard_normal((2, size, size, 3)).astype("float32")
    model.save_weights(f"{folder}/{name}.weights.h5")
    np.savez(f"{folder}/{name}.npz", x=x, y=model(x, training=False))
    json.dump({"name": model.name, "layers": [[type(one).__name__, one.name] for one in model.layers],
               "weights": [[one.path, list(one.shape), bool(one.trainable)] for one in model.weights]}, open(f"{folder}/{name}.json", "w"))
"""
# Layers without the head, and their parameters, as Keras counts them.
COUNTS = {"MobileNet": (86, 3228864), "MobileNetV2": (154, 2257984), "ResNet50": (175, 23587712), "ResNet50V2": (190, 23564800),
          "VGG16": (19, 14714688), "VGG19": (22, 20024384), "DenseNet121": (427, 7037504), "EfficientNetB0": (237, 4049571),
          "Xception": (132, 20861480), "InceptionV3": (311, 21802784)}


class Applications(unittest.TestCase):
    @unittest.skipUnless(PEER.exists(), f"SKIPPED: TensorFlow is not installed in {PEER}")
    def test_layers_weights_and_outputs_are_keras_s(self):
        with tempfile.TemporaryDirectory() as folder:
            sizes = {name: SIZES.get(name, 32) for name in COMPARED}
            subprocess.run([PEER, "-c", SCRIPT, folder, json.dumps(sizes)], check=True, capture_output=True,
                           env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": ""})
            for name, size in sizes.items():
                with self.subTest(name):
                    wanted = json.loads(pathlib.Path(folder, f"{name}.json").read_text())
                    data = np.load(f"{folder}/{name}.npz")
                    keras.backend.clear_session()
                    model = getattr(apps, name)(input_shape=(size, size, 3), weights=None, classes=7)
                    self.assertEqual(model.name, wanted["name"])
                    self.assertEqual([[type(one).__name__, one.name] for one in model.layers], wanted["layers"])
                    kept = 2 if name.startswith("NASNet") else 9  # names of scopes are not part of the paths here
                    paths = [["/".join(path.split("/")[-kept:]), *more] for path, *more in wanted["weights"]]
                    self.assertEqual([[one.path, list(one.shape), bool(one.trainable)] for one in model.weights], paths)
                    model.load_weights(f"{folder}/{name}.weights.h5")
                    np.testing.assert_allclose(model.predict(data["x"], verbose=0), data["y"], atol=1e-5)

    def test_layers_and_parameters_are_as_many_as_keras_s(self):
        for name, (layers, parameters) in COUNTS.items():
            with self.subTest(name):
                model = getattr(apps, name)(weights=None, include_top=False)
                self.assertEqual((len(model.layers), model.count_params()), (layers, parameters))

    def test_heads_poolings_and_inputs(self):
        def made(**options):
            return apps.MobileNetV2(weights=None, **{"alpha": 0.35, "input_shape": (32, 32, 3), **options})
        self.assertEqual(made(classes=5).output_shape, (None, 5))
        self.assertEqual(made(include_top=False).output_shape, (None, 1, 1, 1280))
        for pooling in ("avg", "max"):
            self.assertEqual(made(include_top=False, pooling=pooling).output_shape, (None, 1280))
        self.assertEqual(made(include_top=False, input_shape=None).input_shape, (None, None, None, 3))
        self.assertIs(made(classifier_activation=None).layers[-1].activation, keras.activations.linear)
        self.assertEqual((made(name="own").name, made().name), ("own", "mobilenetv2_0.35_32"))
        symbol = keras.Input((32, 32, 3), name="images")
        scaled = keras.layers.Rescaling(1 / 255)(symbol)
        model = made(input_tensor=scaled, include_top=False)
        self.assertIs(model.inputs[0], symbol)
        self.assertEqual(model(tf.zeros([2, 32, 32, 3])).shape, (2, 1, 1, 1280))

    def test_a_model_trains_and_its_file_is_loaded_as_weights(self):
        options = {"input_shape": (32, 32, 3), "alpha": 0.35, "classes": 2}
        model = apps.MobileNetV2(weights=None, **options)
        model.compile("sgd", "sparse_categorical_crossentropy")
        x = np.random.default_rng(0).random((4, 32, 32, 3)).astype("float32")
        self.assertEqual(len(model.fit(x, np.arange(4) % 2, verbose=0).history["loss"]), 1)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/own.weights.h5"
            model.save_weights(path)
            again = apps.MobileNetV2(weights=path, **options)
            np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
            model.save(f"{folder}/own.keras")
            loaded = keras.models.load_model(f"{folder}/own.keras")
            np.testing.assert_array_equal(loaded.predict(x, verbose=0), model.predict(x, verbose=0))

    def test_what_does_not_fit_is_refused(self):
        for error, options in ((ValueError, {"weights": "no/such/file"}), (NotImplementedError, {}),
                               (ValueError, {"weights": "imagenet", "classes": 3}), (ValueError, {"weights": None, "input_shape": (8, 8, 3)}),
                               (ValueError, {"weights": None, "input_shape": (32, 32)}), (ValueError, {"weights": None, "input_shape": (None, None, 3)}),
                               (TypeError, {"weights": None, "bogus": 1})):
            with self.subTest(str(options)), self.assertRaises(error):
                apps.MobileNetV2(**options)

    def test_preprocess_input(self):
        x = np.arange(12, dtype="float32").reshape(1, 2, 2, 3) * 20
        np.testing.assert_allclose(apps.mobilenet.preprocess_input(x.copy()), x / 127.5 - 1, rtol=1e-6)
        np.testing.assert_allclose(apps.resnet.preprocess_input(x.copy()), x[..., ::-1] - np.array([103.939, 116.779, 123.68], "float32"),
                                   rtol=1e-6)
        wanted = (x / 255 - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])
        np.testing.assert_allclose(apps.densenet.preprocess_input(x.copy()), wanted, rtol=1e-4)
        for module in (apps.mobilenet, apps.resnet, apps.densenet):
            np.testing.assert_allclose(module.preprocess_input(tf.constant(x)).numpy(), module.preprocess_input(x.copy()), rtol=1e-5)
        self.assertIs(apps.efficientnet.preprocess_input(x), x)
        with self.assertRaises(ValueError):
            apps.imagenet_utils.preprocess_input(x, mode="other")

    def test_decode_predictions_reads_a_file_of_classes(self):
        scores = np.zeros((1, 1000), "float32")
        scores[0, [3, 7]] = 0.25, 0.75
        with self.assertRaises(ValueError):
            apps.vgg16.decode_predictions(scores[:, :10])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "classes.json")
            with self.assertRaisesRegex(FileNotFoundError, "does not download"):
                apps.vgg16.decode_predictions(scores, path=str(path))
            path.write_text(json.dumps({str(i): [f"n{i}", f"class {i}"] for i in range(1000)}))
            found = apps.vgg16.decode_predictions(scores, top=2, path=str(path))
        self.assertEqual(found, [[("n7", "class 7", 0.75), ("n3", "class 3", 0.25)]])

    def test_constructors_have_keras_s_parameters(self):
        names = ["include_top", "weights", "input_tensor", "input_shape", "pooling", "classes", "classifier_activation", "name"]
        for name in ("VGG16", "ResNet50", "ResNet101V2", "DenseNet201", "EfficientNetB7", "Xception", "InceptionV3"):
            self.assertEqual(list(inspect.signature(getattr(apps, name)).parameters), names)
            self.assertEqual(getattr(apps, name).__name__, name)


if __name__ == "__main__":
    unittest.main()
