import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras

L = keras.layers


def show(x):
    if isinstance(x, dict):
        return {k: show(v) for k, v in x.items()}
    if isinstance(x, tf.SparseTensor):
        return ("sparse", x.dtype.name, tf.sparse.to_dense(x).numpy().tolist())
    if isinstance(x, tf.RaggedTensor):
        return ("ragged", x.dtype.name, x.to_list())
    if hasattr(x, "numpy"):
        return (x.dtype.name, np.round(x.numpy(), 4).tolist() if x.dtype.is_floating else x.numpy().tolist())
    return x


def t(name, f):
    try:
        print(name, show(f()))
    except Exception as e:
        print(name, "!", type(e).__name__)


F = keras.utils.FeatureSpace
data = {"age": [1., 5., 9., 2.], "kind": ["a", "b", "a", "c"], "w": [1., 2., 3., 4.], "n": [1, 2, 1, 7]}
ds = tf.data.Dataset.from_tensor_slices(data)
row = {"age": 2.0, "kind": "b", "w": 3.0, "n": 7}
def r2(x): return {k: [v] for k, v in x.items()}
def sp(**k):
    k.setdefault("features", {"age": F.float_discretized(num_bins=2), "kind": "string_categorical", "w": F.float_normalized(), "n": F.integer_hashed(4)})
    k.setdefault("crosses", [("age", "kind")]); k.setdefault("crossing_dim", 4)
    s = F(**k); s.adapt(ds); return s
s = sp(); d = sp(output_mode="dict")
t("batch", lambda: s(data)); t("row", lambda: s({k: tf.constant(v) for k, v in row.items()})); t("row py", lambda: s(row)); t("dict", lambda: d(data)); t("dict row", lambda: d(row))
t("2d", lambda: s({k: tf.constant(np.array(v)[:, None]) for k, v in data.items()}))
t("map", lambda: str([show(x) for x in ds.batch(2).map(s)])); t("map row", lambda: str([show(x) for x in ds.take(1).map(s)])); t("map lab", lambda: str([show(x) for x, y in tf.data.Dataset.from_tensor_slices((data, [0, 1, 0, 1])).batch(2).map(lambda x, y: (s(x), y))]))
t("inputs", lambda: str({k: (v.shape, v.dtype) for k, v in s.get_inputs().items()})); t("enc", lambda: str((s.get_encoded_features().shape, s.get_encoded_features().dtype)))
t("encd", lambda: str({k: v.shape for k, v in d.get_encoded_features().items()}))
m = keras.Model(s.get_inputs(), keras.layers.Dense(1, kernel_initializer="ones")(s.get_encoded_features()))
t("model", lambda: m({k: tf.constant(np.array(v)[:, None]) for k, v in data.items()}))
mt = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones")]); mt.compile("sgd", "mse")
t("fit", lambda: mt.fit(tf.data.Dataset.from_tensor_slices((data, [0., 1., 0., 1.])).batch(2).map(lambda x, y: (s(x), y)), verbose=0).history)
m.compile("sgd", "mse")
t("fit2", lambda: m.fit(tf.data.Dataset.from_tensor_slices((data, [[0.], [1.], [0.], [1.]])).batch(2), verbose=0).history)
t("types", lambda: sp(features={"a": "float", "b": "float_rescaled", "c": "float_discretized"} , crosses=None) and "x")
def types():
    f = {"a": "float", "b": F.float_rescaled(2., 1.), "c": "float_discretized", "d": "integer_categorical", "e": "integer_hashed", "f": "string_hashed", "g": F.string_categorical(max_tokens=3, num_oov_indices=2), "h": "float_normalized"}
    q = F(f, num_discretization_bins=3, hashing_dim=3)
    x = {"a": [1., 2., 3.], "b": [1., 2., 3.], "c": [1., 2., 3.], "d": [5, 6, 5], "e": [1, 2, 3], "f": ["x", "y", "z"], "g": ["p", "q", "p"], "h": [1., 2., 6.]}
    q.adapt(x); return q(x)
t("types2", types)
t("int", lambda: sp(features={"kind": F.string_categorical(output_mode="int"), "n": F.integer_categorical(output_mode="int"), "age": F.float_discretized(2, output_mode="int"), "w": "float"}, crosses=[F.cross(("kind", "n"), 5, output_mode="int")], output_mode="dict")(data))
t("intconcat", lambda: sp(features={"kind": F.string_categorical(output_mode="int")}, crosses=None)(data))
t("custom", lambda: (lambda q: (q.adapt({"text": ["1st string", "2nd string", "3rd string"]}), q({"text": ["1st string", "2nd x"]})))(F({"text": F.feature("string", L.TextVectorization(output_mode="tf_idf"), "float")}))[1])
t("custom2", lambda: (lambda q: (q.adapt({"text": ["1st string", "2nd string", "3rd string"]}), q({"text": ["1st string", "2nd x"]})))(F({"text": F.feature("string", L.TextVectorization(output_mode="int", output_sequence_length=3), "int")}, output_mode="dict"))[1])
t("custom3", lambda: (lambda q: (q.adapt({"x": [3., 4.]}), q({"x": [3., 4.]})))(F({"x": F.feature("float32", L.Dense(2, kernel_initializer="ones"), "float")}))[1])
for e in (lambda: F({}), lambda: F({"a": "nope"}), lambda: F({"a": "float"}, output_mode="x"), lambda: F({"a": "float"}, crosses=[("a", "b")]), lambda: F({"a": "float"}, crosses=[("a",)], crossing_dim=0), lambda: F({"a": "float_normalized"})({"a": 1.}), lambda: F({"a": "float_normalized"}).get_inputs(), lambda: F({"a": "float"}).adapt([1.]), lambda: F({"a": "float"})([1.]), lambda: F.cross(("a",), 3, "z"), lambda: F.feature("int32", None, "z"), lambda: s({"age": 1.0}), lambda: sp(features={"age": F.float_discretized(None, bin_boundaries=[3.])}, crosses=None)):
    t("err", e)
t("float only", lambda: F({"a": "float", "b": "float_rescaled"})({"a": [1., 2.], "b": [3., 4.]}))
t("pre", lambda: str((sorted(s.preprocessors), sorted(s.crossers), s.preprocessors["kind"].get_vocabulary(), s.crossers["age_X_kind"].num_bins, s.name, [type(f).__name__ for f in s.features.values()], s.preprocessors["age"].name, s.preprocessors["kind"].name)))
def save():
    p = os.path.join(tempfile.mkdtemp(), "f.keras"); s.save(p); k = keras.models.load_model(p); return str((type(k).__name__, np.array_equal(k(data).numpy(), s(data).numpy()), k.get_encoded_features().shape))
t("save", save)
def save2():
    p = os.path.join(tempfile.mkdtemp(), "f.keras"); d.save(p); k = keras.models.load_model(p); return k(data)
t("save2", save2)
def save3():
    p = os.path.join(tempfile.mkdtemp(), "f.keras"); m.save(p); k = keras.models.load_model(p); x = {k: tf.constant(np.array(v)[:, None]) for k, v in data.items()}; return str(np.array_equal(k(x).numpy(), m(x).numpy()))
t("save3", save3)
t("cfg", lambda: str({k: v for k, v in s.get_config().items() if k != "features"})); t("fromcfg", lambda: F.from_config(sp(features={"w": "float", "n": F.string_hashed(3)}, crosses=None).get_config())({"w": [1.], "n": ["a"]}))
t("batched", lambda: (lambda q: (q.adapt(ds.batch(2)), q(data)))(F({"age": "float_normalized", "kind": "string_categorical", "n": "integer_categorical"}))[1])
t("extra", lambda: s({**data, "zzz": [1, 2, 3, 4]}))
