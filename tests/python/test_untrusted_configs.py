"""Loaders of configs run no code that a config names, and no loader of the package uses a mechanism that could.

A config comes from a file. Each crafted config of `ATTACKS` names a function or a class with side effects; every loader
gets every one, at every place where a config can name something. An audit hook of Python reports processes, written
files, sockets and byte code; none may occur."""
import ast
import copy
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import warnings
import zipfile

import numpy

import lockstep as tf

keras = tf.keras
sys.dont_write_bytecode = True  # writing it would rename files
HAS_H5PY = __import__("importlib.util").util.find_spec("h5py") is not None
events = []
watching = False
_FORBIDDEN = ("os.", "subprocess.", "socket.", "shutil.", "marshal.loads", "exec", "compile", "ctypes.", "pickle.", "webbrowser.",
              "urllib.", "tempfile.")
_HARMLESS = ("os.listdir", "os.scandir", "os.walk", "os.getxattr")


def _audit(event, arguments):
    if not watching:
        return
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        events.append((event, arguments[0]))
    elif event == "open" and str(arguments[0]).endswith("secret.txt"):
        events.append((event, arguments[0]))
    elif event in ("exec", "compile", "marshal.loads"):  # modules of the package that are imported at first use
        frame = sys._getframe(1)
        names = set()
        while frame is not None:
            names.add(frame.f_code.co_filename)
            frame = frame.f_back
        if not any("importlib" in name for name in names):
            events.append((event,))
    elif event.startswith(_FORBIDDEN) and event not in _HARMLESS:
        events.append((event, *map(str, arguments)))


sys.addaudithook(_audit)

FLAG = os.path.join(tempfile.gettempdir(), f"lockstep-config-{os.getpid()}")
SECRET = None


def function(module, name):
    return {"module": module, "class_name": "function", "config": name, "registered_name": name}


def class_of(module, kind, /, **config):
    return {"module": module, "class_name": kind, "config": config, "registered_name": None}


# (config, arguments for a call): what names something with side effects
ATTACKS = [
    (function("os", "system"), {"command": "touch " + FLAG}),
    (function("os", "spawnvp"), {"file": "sh", "args": ["sh", "-c", "touch " + FLAG]}),
    (function("posix", "system"), {}), (function("subprocess", "Popen"), {}), (function("subprocess", "check_output"), {}),
    (function("builtins", "exec"), {}), (function("builtins", "eval"), {}), (function("builtins", "open"), {"mode": "w"}),
    (function("builtins", "__import__"), {}), (function("builtins", "getattr"), {}), (function("importlib", "import_module"), {}),
    (function("shutil", "rmtree"), {}), (function("pickle", "loads"), {}), (function("numpy", "save"), {}),
    (function("numpy", "load"), {"allow_pickle": True}), (function("numpy", "fromfile"), {}),
    (function("__main__", "os"), {}), (function("sys", "exit"), {}), (function("keras.utils", "get_file"), {}),
    (function("lockstep.keras.utils", "get_file"), {}), (function("lockstep.gfile", "rmtree"), {}), (function("lockstep.gfile", "copy"), {}),
    (function("lockstep.io", "write_file"), {}), (function("lockstep.io.gfile", "remove"), {}),
    (function("lockstep.keras.saving", "load_model"), {}), (function("keras.saving", "load_model"), {}),
    (function("keras.saving", "save_model"), {}), (function("keras.models", "load_model"), {}),
    (function("keras.config", "enable_unsafe_deserialization"), {}), (function("lockstep.keras.saving", "os"), {}),
    (function("lockstep.keras.saving", "zipfile"), {}), (function("lockstep._native", "host_call"), {}),
    (function("lockstep._host_calls", "py_function"), {}), (function("keras.ops", "custom_gradient"), {}),
    (function("keras.ops", "map"), {}), (function("keras.ops", "while_loop"), {}), (function("lockstep", "py_function"), {}),
    (function("tensorflow", "io.write_file"), {}), (function("keras", "__getattr__"), {}), (function("keras.losses", "to_snake_case"), {}),
    (function(None, "load_model"), {}), (function(None, "print"), {}), (function("keras.activations", "_with"), {}),
    (class_of("subprocess", "Popen", args=["touch", FLAG]), {}), (class_of("keras.layers", "os"), {}),
    (class_of("lockstep.keras.saving", "CustomObjectScope"), {}), (class_of("keras.models", "weakref"), {}),
    (class_of("keras.callbacks", "CSVLogger", filename=FLAG), {}), (class_of("keras.callbacks", "ModelCheckpoint", filepath=FLAG), {}),
    (class_of("keras.callbacks", "LambdaCallback"), {}), (class_of("lockstep.io", "TFRecordWriter", path=FLAG), {}),
    (class_of("zipfile", "ZipFile", file=FLAG, mode="w"), {}), (class_of("keras.utils", "get_file"), {}),
    (class_of("ctypes", "CDLL", name="libc.so.6"), {}), (class_of("__main__", "Popen"), {}),
    ({"class_name": "__lambda__", "config": {"value": ["4wAAAAA=\n", None, None]}}, {}),
    ({"class_name": "__lambda__", "config": {"code": "4wAAAAA=\n", "defaults": None, "closure": None}}, {}),
    ({"class_name": "__numpy__", "config": {"value": [1], "dtype": "U999999999"}}, {}),
    ({"class_name": "__typespec__", "spec_name": "Popen", "module": "subprocess", "config": [], "registered_name": None}, {}),
    (class_of("keras.layers", "StringLookup", vocabulary="SECRET"), {}), (class_of("keras.layers", "TextVectorization", vocabulary="SECRET"), {}),
    (class_of("keras.layers", "IntegerLookup", vocabulary="SECRET"), {}),
]


def layer(kind, **config):
    return {"module": "keras.layers", "class_name": kind, "config": {"name": "made", **config}, "registered_name": None}


def layers_with(attack, arguments):
    """Layers whose configs hold an attack at each kind of place."""
    cell = layer("LSTMCell", units=2, activation=attack)
    return [
        attack, layer("Lambda", function=attack, arguments=arguments), layer("Lambda", function=function("builtins", "relu"),
                                                                           output_shape=attack, mask=attack),
        layer("Dense", units=2, activation=attack), layer("Dense", units=2, kernel_initializer=attack),
        layer("Dense", units=2, kernel_regularizer=attack), layer("Dense", units=2, bias_constraint=attack),
        layer("Dense", units=2, activity_regularizer=attack), layer("Dense", units=2, dtype=attack),
        layer("Activation", activation=attack), layer("LSTM", units=2, recurrent_activation=attack), layer("RNN", cell=attack),
        layer("RNN", cell=cell), layer("Bidirectional", layer=attack), layer("TimeDistributed", layer=attack),
        layer("Bidirectional", layer=layer("LSTM", units=2, activation=attack)), layer("SpectralNormalization", layer=attack),
        layer("StackedRNNCells", cells=[attack]), layer("MultiHeadAttention", num_heads=1, key_dim=2, kernel_initializer=attack),
        layer("EinsumDense", equation="ab,bc->ac", output_shape=2, activation=attack), layer("Embedding", input_dim=2, output_dim=2,
                                                                                            embeddings_initializer=attack)]


def model_with(part):
    return {"module": "keras", "class_name": "Sequential", "registered_name": None, "config": {"name": "s", "layers": [
        {"module": "keras.layers", "class_name": "InputLayer", "registered_name": None,
         "config": {"batch_shape": [None, 4], "dtype": "float32", "name": "i"}}, part]}}


def functional_with(attack):
    described = json.loads(made_functional().to_json())
    described["config"]["layers"][1]["inbound_nodes"][0]["kwargs"] = {"training": attack}
    return described


def made_functional():
    inputs = keras.Input((4,))
    return keras.Model(inputs, keras.layers.Dropout(0.5)(inputs))


def compiled_with(attack):
    """Compile configs with an attack at each place."""
    adam = class_of("keras.optimizers", "Adam", learning_rate=attack)
    scaled = class_of("keras.optimizers", "LossScaleOptimizer", inner_optimizer=attack)
    wrapper = class_of("keras.metrics", "MeanMetricWrapper", fn=attack, name="m")
    return [{"optimizer": attack, "loss": "mse"}, {"optimizer": adam, "loss": "mse"}, {"optimizer": scaled, "loss": "mse"},
            {"optimizer": "sgd", "loss": attack}, {"optimizer": "sgd", "loss": {"a": attack}}, {"optimizer": "sgd", "loss": [attack]},
            {"optimizer": "sgd", "loss": "mse", "metrics": [attack]}, {"optimizer": "sgd", "loss": "mse", "metrics": [wrapper]},
            {"optimizer": "sgd", "loss": "mse", "weighted_metrics": [attack]}]


OBJECT_LOADERS = {
    "deserialize_keras_object": keras.saving.deserialize_keras_object, "layers": keras.layers.deserialize,
    "losses": keras.losses.deserialize, "losses.get": keras.losses.get, "metrics": keras.metrics.deserialize,
    "metrics.get": keras.metrics.get, "optimizers": keras.optimizers.deserialize, "optimizers.get": keras.optimizers.get,
    "schedules": keras.optimizers.schedules.deserialize, "initializers": keras.initializers.deserialize,
    "initializers.get": keras.initializers.get, "regularizers": keras.regularizers.deserialize,
    "regularizers.get": keras.regularizers.get, "constraints": keras.constraints.deserialize,
    "constraints.get": keras.constraints.get, "activations": keras.activations.deserialize, "activations.get": keras.activations.get,
    "dtype_policies": keras.dtype_policies.deserialize, "dtype_policies.get": keras.dtype_policies.get,
    "SeedGenerator": keras.random.SeedGenerator.from_config, "Sequential": keras.Sequential.from_config,
    "Model": keras.Model.from_config, "Lambda": keras.layers.Lambda.from_config, "Dense": keras.layers.Dense.from_config,
    "Bidirectional": keras.layers.Bidirectional.from_config,
}


def with_secret(value):
    if isinstance(value, dict):
        return {key: with_secret(one) for key, one in value.items()}
    if isinstance(value, list):
        return [with_secret(one) for one in value]
    return SECRET if value == "SECRET" else value


class UntrustedConfigs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        global SECRET
        warnings.simplefilter("ignore")
        cls.folder = tempfile.mkdtemp()
        SECRET = os.path.join(cls.folder, "secret.txt")
        pathlib.Path(SECRET).write_text("a\nb\n")
        for loader in OBJECT_LOADERS.values():  # imports what is imported at first use
            try:
                loader({})
            except Exception:
                pass

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def refuse(self, load, config, must_raise=True):
        """Loads and, if that gives something callable, calls it; nothing with side effects may happen."""
        global watching
        del events[:]
        config = copy.deepcopy(with_secret(config))
        watching = True
        try:
            made = load(config)
            if callable(made) and not isinstance(made, type):
                made(numpy.zeros([1, 4], "float32"))
            outcome = made
        except (ValueError, TypeError, KeyError, AttributeError, NotImplementedError, IndexError) as error:
            outcome = error
        finally:
            watching = False
        self.assertEqual(events, [], config)
        self.assertFalse(os.path.exists(FLAG), config)
        if must_raise:
            self.assertIsInstance(outcome, Exception, config)

    def test_no_object_loader_resolves_what_a_config_may_not_name(self):
        for attack, _ in ATTACKS:
            for name, load in OBJECT_LOADERS.items():
                with self.subTest(loader=name, attack=attack):
                    self.refuse(load, attack, must_raise=name == "deserialize_keras_object")

    def test_layers_resolve_no_attack_at_any_place(self):
        for attack, arguments in ATTACKS:
            for config in layers_with(attack, arguments):
                with self.subTest(config=config):
                    self.refuse(keras.saving.deserialize_keras_object, config)

    def test_model_from_json_resolves_no_attack(self):
        for attack, arguments in ATTACKS:
            for config in [model_with(one) for one in layers_with(attack, arguments)[:8]] + [functional_with(attack)]:
                with self.subTest(config=config):
                    self.refuse(lambda one: keras.models.model_from_json(json.dumps(one)), config)

    def test_compile_configs_resolve_no_attack(self):
        for attack, _ in ATTACKS:
            for config in compiled_with(attack):
                with self.subTest(config=config):
                    self.refuse(keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)]).compile_from_config, config, False)

    @unittest.skipUnless(HAS_H5PY, "needs h5py")
    def test_load_model_resolves_no_attack(self):
        good = os.path.join(self.folder, "good.keras")
        bad = os.path.join(self.folder, "bad.keras")
        keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)]).save(good)

        def write(config):
            with zipfile.ZipFile(good) as source, zipfile.ZipFile(bad, "w") as target:
                for name in source.namelist():
                    target.writestr(name, json.dumps(with_secret(config)) if name == "config.json" else source.read(name))

        def refuse(config):
            write(config)
            self.refuse(lambda _: keras.models.load_model(bad), config)
        for attack, arguments in ATTACKS:
            for part in layers_with(attack, arguments)[:3]:
                with self.subTest(part=part):
                    refuse(model_with(part))
            for compiled in compiled_with(attack)[:4]:
                whole = json.loads(keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)]).to_json())
                with self.subTest(compiled=compiled):
                    refuse({**whole, "compile_config": compiled})

    @unittest.skipUnless(HAS_H5PY, "needs h5py")
    def test_legacy_files_resolve_no_attack(self):
        import h5py
        path = os.path.join(self.folder, "bad.h5")
        keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)]).save(path)
        with h5py.File(path) as file:
            described = json.loads(file.attrs["model_config"])
        lambdas = [{"class_name": "Lambda", "config": {"name": "l", "function": one, **more}} for one, more in (
            (["4wAAAAA=\n", None, None], {"function_type": "lambda"}), ("system", {"function_type": "function", "module": "os"}))]
        for attack, arguments in ATTACKS:
            for part in layers_with(attack, arguments)[:4] + lambdas:
                whole = copy.deepcopy(described)
                whole["config"]["layers"].append(with_secret(part))
                with h5py.File(path, "a") as file:
                    file.attrs["model_config"] = json.dumps(whole)
                with self.subTest(part=part):
                    self.refuse(lambda _: keras.models.load_model(path), part)

    def test_safe_mode_off_adds_byte_code_alone(self):
        for attack, arguments in ATTACKS:
            if attack["class_name"] == "function":
                with self.subTest(attack=attack):
                    self.refuse(lambda one: keras.saving.deserialize_keras_object(one, safe_mode=False),
                                layer("Lambda", function=attack, arguments=arguments))

    def test_a_lambda_loads_without_safe_mode_only(self):
        config = json.loads(keras.Sequential([keras.Input((2,)), keras.layers.Lambda(lambda x: x * 3)]).to_json())
        with self.assertRaisesRegex(ValueError, "Python lambda"):
            keras.models.model_from_json(json.dumps(config))
        with self.assertRaisesRegex(ValueError, "Python lambda"):
            keras.layers.Lambda.from_config(config["config"]["layers"][1]["config"])
        made = keras.saving.deserialize_keras_object(config, safe_mode=False)
        self.assertEqual(made(tf.ones([1, 2])).numpy().tolist(), [[3.0, 3.0]])

    def test_registered_and_given_objects_resolve(self):
        @keras.saving.register_keras_serializable("here")
        def tripled(x):
            return x * 3

        def doubled(x):
            return x * 2
        for one, given, right in ((tripled, None, 3.0), (doubled, {"doubled": doubled}, 2.0)):
            config = keras.saving.serialize_keras_object(keras.layers.Lambda(one))
            self.assertEqual(float(keras.saving.deserialize_keras_object(config, given)(tf.ones([]))), right)
            with self.assertRaises(TypeError):
                keras.saving.deserialize_keras_object({**config, "config": {**config["config"], "function": function("x", "y")}})
        with keras.saving.custom_object_scope({"doubled": doubled}):
            self.assertEqual(float(keras.saving.deserialize_keras_object(config)(tf.ones([]))), 2.0)
        with self.assertRaisesRegex(TypeError, "Could not locate function 'doubled'"):
            keras.saving.deserialize_keras_object(config)

    def test_copies_in_the_process_trust_the_original(self):
        class Own(keras.layers.Layer):
            def call(self, x):
                return x + 1
        inputs = keras.Input((2,))
        model = keras.Model(inputs, keras.layers.Lambda(lambda x: x * 2)(Own()(inputs)))
        self.assertEqual(keras.models.clone_model(model)(tf.ones([1, 2])).numpy().tolist(), [[4.0, 4.0]])

    def test_a_graph_does_not_call_python(self):
        v1 = tf.compat.v1
        node = v1.NodeDef(name="call", op="PyFunction")
        for op in ("PyFunction", "PyFunc", "EagerPyFunc", "PyFuncStateless"):
            graph = v1.GraphDef()
            node = graph.node.add()
            node.name, node.op = "call", op
            node.attr["token"].s = b"pyfunc_0"
            with self.subTest(op=op), tf.Graph().as_default(), self.assertRaises((ValueError, tf.errors.OpError)):
                tf.import_graph_def(graph, return_elements=["call"])


# Modules that may use a mechanism by which data could name code, and what for.
ALLOWED = {
    "keras/_lambda_code.py": {"marshal"},  # lambdas of files, without safe mode only
    "keras/saving.py": {"importlib"}, "__init__.py": {"importlib"}, "experimental.py": {"importlib"},  # fixed names
    "compat/v1/__init__.py": {"importlib", "sys.modules"},  # fixed names
    "compat/v1/app.py": {"sys.modules"}, "_public.py": {"sys.modules"}, "keras/callbacks.py": {"sys.modules"},
    "_dispatch.py": {"importlib", "sys.modules"},  # fixed names; modules in which functions are replaced
    "autograph.py": {"compile", "exec"}, "_autograph_run.py": {"compile", "exec"},  # the caller's own functions
}


class Mechanisms(unittest.TestCase):
    def test_no_module_evaluates_or_unpickles(self):
        package = pathlib.Path(tf.__file__).resolve().parent
        for path in sorted(package.rglob("*.py")):
            found = set()
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in (
                        "eval", "exec", "compile", "__import__"):
                    found.add(node.func.id)
                if isinstance(node, ast.Import):
                    found |= {one.name for one in node.names} & {"pickle", "marshal", "shelve", "dill", "cloudpickle", "runpy"}
                    found |= {"importlib" for one in node.names if one.name.startswith("importlib")}
                if isinstance(node, ast.ImportFrom) and node.module in ("pickle", "marshal", "importlib", "runpy"):
                    found.add(node.module)
                if isinstance(node, ast.Attribute) and node.attr == "modules" and getattr(node.value, "id", "").strip("_") == "sys":
                    found.add("sys.modules")
                if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and getattr(node.value, "value", None) is not False:
                    found.add("allow_pickle")
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "load" and \
                        getattr(node.func.value, "id", "") in ("np", "numpy") and not any(
                            one.arg == "allow_pickle" for one in node.keywords):
                    found.add("numpy.load without allow_pickle=False")
            name = path.relative_to(package).as_posix()
            self.assertLessEqual(found, ALLOWED.get(name, set()), name)


if __name__ == "__main__":
    unittest.main()
