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


def sv(l, x, shape=(1,), dtype="string"):
    i = keras.Input(shape, dtype=dtype)
    m = keras.Model(i, l(i)); p = os.path.join(tempfile.mkdtemp(), "m.keras"); m.save(p); k = keras.models.load_model(p); l2 = k.layers[1]
    import zipfile
    return str((show(m(x)), show(k(x)), sorted(zipfile.ZipFile(p).namelist()), l2.get_vocabulary() if hasattr(l2, "get_vocabulary") else None))
def ad(l, d): l.adapt(d); return l
words = tf.constant([["a"], ["b"], ["zz"]])
for mode in ("int", "one_hot", "multi_hot", "count", "tf_idf"):
    t(f"s {mode}", lambda: sv(ad(keras.layers.StringLookup(output_mode=mode), ["a", "b", "b"]), words))
    t(f"sg {mode}", lambda: sv(keras.layers.StringLookup(output_mode=mode, vocabulary=["a", "b"], **({"idf_weights": [1., 2.]} if mode == "tf_idf" else {})), words))
    if mode != "one_hot":
        t(f"tv {mode}", lambda: sv(ad(L.TextVectorization(output_mode=mode), ["a b", "b b"]), words))
    t(f"il {mode}", lambda: sv(ad(L.IntegerLookup(output_mode=mode), np.array([[3], [4], [4]])), np.array([[4], [9]]), dtype="int64"))
t("disc", lambda: sv(ad(L.Discretization(num_bins=3, output_mode="one_hot"), np.arange(10.)), np.array([[4.], [9.]]), dtype="float32"))
t("hash", lambda: sv(L.Hashing(5, salt=3), words)); t("hash1", lambda: sv(L.Hashing(5, output_mode="one_hot"), words))
t("cat", lambda: sv(L.CategoryEncoding(5), np.array([[3]]), dtype="int64"))
t("norm", lambda: sv(ad(L.Normalization(), np.array([[1.], [3.]])), np.array([[3.]]), dtype="float32"))
@keras.utils.register_keras_serializable()
def st(x): return tf.strings.upper(x)
t("tvc", lambda: sv(ad(L.TextVectorization(standardize=st, split="character", ngrams=2), ["a b", "b b"]), words))
l = ad(L.TextVectorization(), ["a b", "b b"])
t("deepcopy", lambda: str(L.StringLookup.from_config(ad(L.StringLookup(), ["b"]).get_config()).get_vocabulary()))
m = keras.Sequential([keras.Input((1,), dtype="string"), l, L.Embedding(5, 2, embeddings_initializer="ones")])
t("seq", lambda: m(words)); t("predict", lambda: m.predict(words, verbose=0).tolist())
ds = tf.data.Dataset.from_tensor_slices((["a b", "b"], [[1.], [0.]])).batch(2)
m2 = keras.Sequential([keras.Input((1,), dtype="string"), l, L.Embedding(5, 2, embeddings_initializer="ones"), L.GlobalAveragePooling1D(), L.Dense(1, kernel_initializer="ones")])
m2.compile("sgd", "mse"); t("fit", lambda: m2.fit(ds, verbose=0).history)
m3 = keras.Sequential([keras.Input((1,), dtype="string"), L.StringLookup(vocabulary=["a", "b"], output_mode="one_hot"), L.Dense(1, kernel_initializer="ones")]); t("m3", lambda: m3(words))
t("big", lambda: L.CategoryEncoding(3)(np.array([[7, 1]])))
t("3d", lambda: L.CategoryEncoding(3, output_mode="count")(np.array([[[2, 1], [1, 1]]])))
@tf.function
def f(x, r): return L0(x), L1(x), L2(x), L3(r), L4(r)
L0, L1, L2, L3, L4 = L.StringLookup(vocabulary=["a"], num_oov_indices=0), L.StringLookup(vocabulary=["a"], output_mode="count"), L.Hashing(4, mask_value="a"), L.StringLookup(vocabulary=["a"]), L.StringLookup(vocabulary=["a"], output_mode="multi_hot")
t("graph", lambda: str([show(x) for x in f(tf.constant([["a"], ["a"]]), tf.ragged.constant([["a", "b"], []]))]))
@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
def g(x): return L.Discretization(bin_boundaries=[0., 1.])(x), L.Discretization(bin_boundaries=[0., 1.], output_mode="one_hot")(x), L.Discretization(bin_boundaries=[0., 1.], output_mode="count")(x)
t("gd", lambda: str([show(x) for x in g(np.array([[0.5, 1.]], "float32"))]))

def ad2(l): l.adapt(tf.data.Dataset.from_tensor_slices(["a", "b", "c"]).batch(1).repeat(), steps=2); return l.get_vocabulary()
t("steps", lambda: str(ad2(L.StringLookup())))
t("gen", lambda: str(ad(L.TextVectorization(), (x for x in [["a b"], ["b"]])).get_vocabulary()))
t("farm", lambda: L.IntegerLookup(vocabulary=[1], num_oov_indices=3, oov_method="farmhash")(np.array([1, 2, 3, 4]))); t("salt", lambda: L.IntegerLookup(vocabulary=[1], num_oov_indices=3, oov_method="farmhash", salt=5)(np.array([1, 2, 3, 4]))); t("ssalt", lambda: L.StringLookup(vocabulary=["1"], num_oov_indices=3, salt=5)(["1", "2", "3", "4"]))
t("changed", lambda: (lambda l: (l(words), l.set_vocabulary(["a", "b", "c"]), l(words))[2])(L.StringLookup(vocabulary=["a"], output_mode="one_hot")))
t("scalar", lambda: L.StringLookup(vocabulary=["a"])("a")); t("scalarmh", lambda: L.StringLookup(vocabulary=["a"], output_mode="multi_hot")("a"))
