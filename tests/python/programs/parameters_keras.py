"""Parameters of Keras's classes: dtypes of vocabularies, Resizing, progress, variables of layers, metrics and optimizers."""
import tensorflow as tf
from tensorflow import keras

L = keras.layers


def show(name, f):
    try:
        made = f()
        print(name, made.dtype.name, tuple(made.shape)) if isinstance(made, tf.Tensor) else print(name, made)
    except Exception as e:
        print(name, "raises", type(e).__name__)


texts, numbers, floats = tf.constant(["a", "b"]), tf.constant([1, 2]), tf.constant([1.0, 2.0])
for dtype in (None, "int32", "float32", "int64"):
    for mode in ("int", "one_hot", "multi_hot", "count"):
        show(f"string {dtype} {mode}", lambda: L.StringLookup(vocabulary=["a", "b"], output_mode=mode, dtype=dtype)(texts))
        show(f"hash {dtype} {mode}", lambda: L.Hashing(3, output_mode=mode, dtype=dtype)(texts))
        show(f"bins {dtype} {mode}", lambda: L.Discretization([1.0, 2.0], output_mode=mode, dtype=dtype)(floats))
    show(f"integer {dtype}", lambda: L.IntegerLookup(vocabulary=[1, 2], dtype=dtype)(numbers))
    show(f"text {dtype}", lambda: L.TextVectorization(vocabulary=["a", "b"], dtype=dtype)(texts))
    show(f"scaled {dtype}", lambda: L.Rescaling(2.0, dtype=dtype)(numbers))
for dtype in (None, "int32", "int64", "string"):
    show(f"vocabulary_dtype {dtype}", lambda: L.IntegerLookup(vocabulary=[1, 2], vocabulary_dtype=dtype)(numbers))
for kw in (dict(pad_to_aspect_ratio=True, crop_to_aspect_ratio=True), dict(interpolation="bogus"),
           dict(pad_to_aspect_ratio=True, fill_mode="bogus")):
    show(f"made {kw}", lambda: L.Resizing(4, 4, **kw).name[:8])
    show(f"called {kw}", lambda: L.Resizing(4, 4, **kw)(tf.zeros([1, 2, 3, 1])))
for dtype in ("uint8", "float32", "int32"):
    for kw in (dict(crop_to_aspect_ratio=True), dict(pad_to_aspect_ratio=True, fill_value=7.0 if dtype == "float32" else 7),
               dict(antialias=dtype == "float32")):
        for shape in ((1, 2, 4, 3), (5, 3, 2)):
            x = tf.cast(tf.reshape(tf.range(24 if len(shape) == 4 else 30), shape) * 5, dtype)
            for size in ((3, 3), (5, 2), (1, 1)):
                for kind in ("nearest", "bilinear"):
                    made = L.Resizing(*size, kind, **kw)(x)
                    print(dtype, kw, shape, size, kind, made.dtype.name, [round(float(one), 2) for one in tf.reshape(made, [-1])[:6]])
print(L.Resizing(2, 3, "nearest", crop_to_aspect_ratio=True, antialias=True).get_config()["antialias"])


class Layer(L.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.a, self.b = keras.Variable(1.0), keras.Variable(1.0, autocast=False)
        self.c, self.d = self.add_weight(shape=()), self.add_weight(shape=(), autocast=False)

    def call(self, x):
        print([tf.convert_to_tensor(one).dtype.name for one in (self.b, self.c, self.d)])
        return x


Layer(dtype="mixed_float16")(tf.zeros([1, 2]))
for name in ("none", None, "mean", "sum", "only_first_replica", "bogus"):
    show(f"variable {name}", lambda: keras.Variable(1.0, aggregation=name).shape == ())
    show(f"weight {name}", lambda: L.Dense(2).add_weight(shape=(), aggregation=name).shape == ())
    show(f"slot {name}", lambda: keras.optimizers.SGD().add_variable((), "zeros", aggregation=name).shape == ())
show("synchronization", lambda: keras.Variable(1.0, synchronization="bogus"))
show("policy", lambda: keras.DTypePolicy("float32", source_name="float32"))
model = keras.Sequential([keras.Input((2,)), L.Dense(3), L.Dense(4)])
model.pop()
print(model.output_shape, len(model.weights), model.built)
model.add(L.Dense(5))
model.pop(rebuild=False)
print(model.built)
model = keras.Sequential([L.Dense(3), L.Dense(4)])
model(tf.zeros([1, 2]))
model.pop()
print(model(tf.zeros([1, 2])).shape)
show("format", lambda: model.export("x", format="bogus"))
for make in (lambda: keras.Model(bogus=1), lambda: keras.Sequential(bogus=1), lambda: keras.Input((1,), bogus=1),
             lambda: keras.metrics.Mean().add_weight(shape=(), bogus=1), lambda: keras.optimizers.SGD(bogus=1)):
    show("unknown", make)
ema = keras.optimizers.SGD(0.5, use_ema=True, ema_momentum=0.5)
first, second = keras.Variable(1.0), keras.Variable(1.0)
ema.build([first, second])
for _ in range(2):
    ema.apply([tf.constant(1.0), tf.constant(1.0)])
ema.finalize_variable_values([first])
print(float(first), float(second))
