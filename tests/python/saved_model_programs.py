"""Models that are saved by one framework and read by the other: `PYTHON saved_model_programs.py lockstep|tensorflow write|check FOLDER`.

`write` makes each model, saves it below FOLDER and keeps what it gives; `check` loads each and compares. A line is printed for each model:
its name, and "same" or what is wrong."""

import collections
import importlib
import os
import pickle
import sys
import traceback

import numpy

tf = importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "tensorflow")
MODELS = {}
Pair = collections.namedtuple("Pair", ["left", "right"])


def model(function):
    MODELS[function.__name__] = function
    return function


def numbers(*shape):
    return numpy.random.RandomState(sum(shape) + 7).standard_normal(shape).astype("float32")


@model
def scalar_product():
    class Times(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def times(self, x):
            return self.v * x
    return Times(), [("times", [numpy.float32(3)], {}), ("signatures/serving_default", [], {"x": numpy.float32(4)})]


@model
def several_traces():
    class Several(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable([2.0, 3.0])

        @tf.function
        def two(self, x, flag=True, *, k=3):
            return {"r": x * float(k) * self.scale, "t": (x,)} if flag else [x - self.scale]
    made = Several()
    made.two(tf.constant([1.0, 2.0]))
    made.two(tf.constant([[1.0, 2.0]]), False, k=4)
    return made, [("two", [numpy.array([1, 2], "float32")], {}), ("two", [numpy.array([[1, 2]], "float32"), False], {"k": 4})]


@model
def structures():
    class Structures(tf.Module):
        @tf.function
        def call(self, values, pair):
            return Pair(values["a"] + pair[0], [values["b"] * pair[1], tf.reduce_max(pair[0])])
    made = Structures()
    a, b = numbers(2, 3), numbers(3)
    made.call({"a": tf.constant(a), "b": tf.constant(b)}, (tf.constant(a), tf.constant(b)))
    return made, [("call", [{"a": a, "b": b}, (a, b)], {})]


@model
def nested_objects():
    class Inner(tf.Module):
        def __init__(self, value):
            super().__init__()
            self.w = tf.Variable(value)
            self.fixed = tf.Variable(value + 1, trainable=False, name="fixed")

    class Outer(tf.Module):
        def __init__(self):
            super().__init__()
            self.parts = [Inner(1.0), Inner(2.0)]
            self.named = {"x": Inner(3.0), "y": tf.Variable([1, 2, 3], trainable=False)}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def call(self, x):
            for one in self.parts:
                x = x * one.w + one.fixed
            return x + self.named["x"].w + tf.cast(tf.reduce_sum(self.named["y"]), tf.float32)
    return Outer(), [("call", [numbers(4)], {}), ("call", [numbers(2)], {}), ("parts/1/w", None, None), ("named/y", None, None)]


@model
def counter():
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = tf.Variable(0, dtype=tf.int64)
            self.sum = tf.Variable(numpy.zeros(3, "float32"))

        @tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
        def add(self, x):
            self.count.assign_add(1)
            self.sum.assign(self.sum + x)
            self.sum.assign_sub(x * 0.5)
            return self.count, self.sum.read_value()
    return Counter(), [("add", [numbers(3)], {}), ("add", [numbers(3)], {}), ("count", None, None), ("sum", None, None)]


@model
def loops():
    class Loops(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(1.5)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
        def power(self, x, times):
            for _ in tf.range(times):
                x = x * self.w
                if tf.reduce_sum(x) > 20.0:
                    x = x / 2.0
            return x
    return Loops(), [("power", [numbers(3), numpy.int32(4)], {}), ("power", [numbers(6) + 5, numpy.int32(7)], {})]


@model
def branches():
    class Branches(tf.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = tf.Variable(2.0), tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def choose(self, x):
            if tf.reduce_sum(x) > 0.0:
                y = x * self.a
            else:
                y = x - self.b
            return tf.where(y > 0.5, y, tf.zeros_like(y)), tf.clip_by_value(y, -1.0, 1.0)
    return Branches(), [("choose", [numbers(3, 2)], {}), ("choose", [-numbers(3, 2)], {})]


@model
def array_ops():
    class Arrays(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
        def call(self, x):
            rows = tf.shape(x)[0]
            flat = tf.reshape(x, [rows * 2, 2])
            parts = tf.split(x, 2, axis=1)
            return {"flat": flat, "stack": tf.stack(parts, 0), "gather": tf.gather(x, [1, 0], axis=1), "top": tf.math.top_k(x, 2).values,
                    "places": tf.argmax(x, 1), "pad": tf.pad(x, [[0, 0], [1, 2]]), "slice": x[:, 1:3], "last": x[..., tf.newaxis, -1],
                    "tile": tf.tile(x, [1, 2]), "turned": tf.transpose(x), "hot": tf.one_hot(tf.argmin(x, 1), 4),
                    "sum": tf.cumsum(x, axis=1), "back": tf.reverse(x, [1]), "none": tf.squeeze(x[:, :1], 1),
                    "norm": tf.linalg.l2_normalize(x, 1), "wide": tf.broadcast_to(x[:1], [rows, 4])}
    return Arrays(), [("call", [numbers(2, 4)], {}), ("call", [numbers(5, 4)], {})]


@model
def elementary_ops():
    class Elementary(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def call(self, x):
            y = tf.abs(x) + 0.5
            return [tf.exp(x), tf.math.log(y), tf.sqrt(y), tf.math.rsqrt(y), tf.sin(x), tf.cos(x), tf.tanh(x), tf.sigmoid(x), tf.math.erf(x),
                    tf.floor(x), tf.math.ceil(x), tf.round(x), tf.sign(x), tf.pow(y, 1.5), tf.math.floordiv(x, y), tf.math.floormod(x, y),
                    tf.nn.relu(x), tf.nn.elu(x), tf.nn.selu(x), tf.nn.softplus(x), tf.nn.gelu(x), tf.nn.silu(x), tf.nn.leaky_relu(x),
                    tf.nn.softmax(x), tf.nn.log_softmax(x), tf.maximum(x, 0.1), tf.math.squared_difference(x, y), tf.math.log1p(y),
                    tf.cast(x, tf.int32), tf.cast(x > 0, tf.float64), tf.math.is_finite(x), tf.reduce_any(x > 1), tf.reduce_prod(y)]
    return Elementary(), [("call", [numbers(5)], {})]


@model
def attention_by_hand():
    class Attention(tf.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k = tf.Variable(numbers(8, 8)), tf.Variable(numbers(8, 9)[:, :8])

        @tf.function(input_signature=[tf.TensorSpec([None, 5, 8], tf.float32)])
        def call(self, x):
            q, k = tf.einsum("bsd,de->bse", x, self.q), tf.matmul(x, self.k)
            weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 3.0)
            return tf.matmul(weights, x)
    return Attention(), [("call", [numbers(2, 5, 8)], {})]


@model
def gradients_inside():
    class Step(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(numbers(3, 2))

        @tf.function(input_signature=[tf.TensorSpec([4, 3], tf.float32), tf.TensorSpec([4, 2], tf.float32)])
        def step(self, x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.tanh(x @ self.w) - y))
            self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
            return loss
    return Step(), [("step", [numbers(4, 3), numbers(4, 2)], {})] * 3 + [("w", None, None)]


@model
def signatures_by_name():
    class Two(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(numbers(3))

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="images"), tf.TensorSpec([], tf.float32, name="scale")])
        def first(self, images, scale):
            return {"logits": images * self.w * scale, "total": tf.reduce_sum(images)}

        @tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
        def second(self, x):
            return x + self.w
    made = Two()
    x = numbers(2, 3)
    return made, [("signatures/serving_default", [], {"images": x, "scale": numpy.float32(2)}), ("signatures/second", [], {"x": numbers(3)})], {
        "signatures": {"serving_default": made.first, "second": made.second}}


def exported(made, *inputs):
    """A model of Keras with weights that do not depend on the framework, exported."""
    for place, one in enumerate(made.weights):
        if "seed" not in one.path:
            value = numbers(*one.shape, place + 3)[..., 0] * 0.3 if len(one.shape) else numpy.float32(0.5)
            one.assign(numpy.abs(value) + 0.1 if "variance" in one.path else value)
    calls = [("serve", list(inputs), {})]
    if isinstance(inputs[0], numpy.ndarray):
        calls.append(("serve", [inputs[0][:1]], {}))
    return made, calls, {"export": True}


@model
def keras_dense():
    layers = tf.keras.layers
    return exported(tf.keras.Sequential([tf.keras.Input([4]), layers.Dense(8, activation="relu"), layers.Dropout(0.5),
                                         layers.Dense(8, activation="gelu"), layers.Dense(3, activation="softmax")]), numbers(5, 4))


@model
def keras_images():
    layers = tf.keras.layers
    return exported(tf.keras.Sequential([
        tf.keras.Input([8, 8, 3]), layers.Rescaling(0.5, 0.1), layers.Conv2D(4, 3, padding="same", activation="relu"),
        layers.BatchNormalization(), layers.MaxPooling2D(), layers.DepthwiseConv2D(3), layers.SeparableConv2D(5, 2, padding="same"),
        layers.AveragePooling2D(2), layers.Flatten(), layers.Dense(2)]), numbers(3, 8, 8, 3))


@model
def keras_upsampling():
    layers = tf.keras.layers
    return exported(tf.keras.Sequential([
        tf.keras.Input([4, 4, 2]), layers.Conv2DTranspose(3, 3, strides=2, padding="same"), layers.UpSampling2D(2),
        layers.ZeroPadding2D(1), layers.Cropping2D(2), layers.LeakyReLU(), layers.GlobalAveragePooling2D()]), numbers(2, 4, 4, 2))


@model
def keras_lstm():
    layers = tf.keras.layers
    return exported(tf.keras.Sequential([tf.keras.Input([6, 3]), layers.LSTM(4, return_sequences=True), layers.LSTM(5), layers.Dense(2)]),
                    numbers(3, 6, 3))


@model
def keras_gru():
    layers = tf.keras.layers
    return exported(tf.keras.Sequential([tf.keras.Input([6, 3]), layers.Bidirectional(layers.GRU(4, return_sequences=True)),
                                         layers.SimpleRNN(3)]), numbers(2, 6, 3))


@model
def keras_attention():
    layers = tf.keras.layers
    x = tf.keras.Input([5, 8])
    y = layers.MultiHeadAttention(2, 4)(x, x)
    y = layers.LayerNormalization()(layers.Add()([x, y]))
    y = layers.Dense(8)(layers.Dense(16, activation="gelu")(y))
    return exported(tf.keras.Model(x, layers.GlobalAveragePooling1D()(y)), numbers(3, 5, 8))


@model
def keras_texts():
    layers = tf.keras.layers
    return exported(tf.keras.Sequential([tf.keras.Input([7], dtype="int32"), layers.Embedding(20, 6), layers.Conv1D(5, 3, activation="relu"),
                                         layers.GlobalMaxPooling1D(), layers.Dense(1, activation="sigmoid")]),
                    (numbers(4, 7) * 5).astype("int32") % 20)


@model
def keras_several_inputs():
    layers = tf.keras.layers
    a, b = tf.keras.Input([4], name="a"), tf.keras.Input([4], name="b")
    joined = layers.Concatenate()([layers.Dense(3)(a), b])
    return exported(tf.keras.Model([a, b], [layers.Dense(2)(joined), layers.Subtract()([a, b])]), [numbers(3, 4), numbers(3, 4) + 1])


@model
def keras_normalization():
    layers = tf.keras.layers
    return exported(tf.keras.Sequential([tf.keras.Input([4, 6]), layers.GroupNormalization(2), layers.UnitNormalization(),
                                         layers.LayerNormalization(axis=-1), layers.PReLU(), layers.Softmax(axis=1)]), numbers(2, 4, 6))


@model
def keras_subclassed():
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = tf.keras.layers.Dense(5, activation="tanh"), tf.keras.layers.Dense(2)

        def call(self, x, training=False):
            return self.second(self.first(x)) * 2.0
    made = Own()
    made(tf.constant(numbers(2, 3)))
    return exported(made, numbers(4, 3))


# ---- how models are written and checked ----------------------------------------------------------------------


def found(value, path):
    for one in path.split("/"):
        value = value[int(one)] if isinstance(value, (list, tuple)) else value[one] if isinstance(value, dict) or hasattr(
            value, "keys") else getattr(value, one)
    return value


def plain(value):
    """Tensors as arrays, structures as lists and dicts."""
    if isinstance(value, dict) or hasattr(value, "keys"):
        return {key: plain(value[key]) for key in value}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.numpy() if hasattr(value, "numpy") else value


def tensors(value):
    if isinstance(value, dict):
        return {key: tensors(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(tensors(one) for one in value)
    return tf.constant(value) if isinstance(value, (numpy.ndarray, numpy.generic)) else value


def results(made, calls, own):
    given = []
    for path, args, kwargs in calls:
        if path.startswith("signatures/") and own:
            given.append(None)  # an object that was not loaded has no signatures
            continue
        value = made if path == "serve" and own else found(made, path)
        given.append(plain(value if args is None else value(*tensors(args), **tensors(kwargs))))
    return given


def write(folder):
    for name, function in MODELS.items():
        try:
            made, calls, *options = function()
            options = options[0] if options else {}
            path = os.path.join(folder, name)
            if options.get("export"):
                made.export(path, verbose=False)
            else:
                tf.saved_model.save(made, path, signatures=options.get("signatures"))
            expected = results(made, calls, True)
            if any(one is None for one in expected):
                expected = [own if other is None else other for own, other in zip(results(tf.saved_model.load(path), calls, False), expected)]
            with open(path + ".pickle", "wb") as file:
                pickle.dump((calls, expected), file)
            print(name, "written")
        except Exception as error:
            if "--trace" in sys.argv:
                traceback.print_exc()
            print(name, "NOT written:", type(error).__name__, str(error)[:600].replace("\n", " "))


def differences(one, other, path="result"):
    if isinstance(one, dict):
        if set(one) != set(other):
            return [f"{path}: {sorted(one)} against {sorted(other)}"]
        return [line for key in one for line in differences(one[key], other[key], f"{path}.{key}")]
    if isinstance(one, list):
        if len(one) != len(other):
            return [f"{path}: {len(one)} values against {len(other)}"]
        return [line for place, pair in enumerate(zip(one, other)) for line in differences(*pair, f"{path}[{place}]")]
    one, other = numpy.asarray(one), numpy.asarray(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return [f"{path}: {one.dtype} {one.shape} against {other.dtype} {other.shape}"]
    close = numpy.allclose(one, other, rtol=2e-5, atol=2e-6) if one.dtype.kind == "f" else (one == other).all()
    return [] if close else [f"{path}: {one.ravel()[:4]} against {other.ravel()[:4]}"]


def check(folder):
    for name in MODELS:
        path = os.path.join(folder, name)
        if not os.path.exists(path + ".pickle"):
            continue
        try:
            with open(path + ".pickle", "rb") as file:
                calls, expected = pickle.load(file)
            wrong = differences(results(tf.saved_model.load(path), calls, False), expected)
            print(name, "same" if not wrong else "WRONG: " + "; ".join(wrong[:3]))
        except Exception as error:
            if "--trace" in sys.argv:
                traceback.print_exc()
            print(name, "FAILED:", type(error).__name__, str(error)[:600].replace("\n", " "))


if __name__ == "__main__":
    if "--only" in sys.argv:
        kept = sys.argv[sys.argv.index("--only") + 1].split(",")
        MODELS = {name: one for name, one in MODELS.items() if name in kept}
    {"write": write, "check": check}[sys.argv[2]](sys.argv[3])
