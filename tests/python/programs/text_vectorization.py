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


T = L.TextVectorization
docs = ["The cat sat.", "the dog, sat", "A cat!"]
def v(x=tf.constant(["the cat flew", "sat sat sat"]), data=docs, **kw):
    l = T(**kw); l.adapt(data); return str((l.get_vocabulary(), show(l(x))))
for kw in ({}, {"standardize": None}, {"standardize": "lower"}, {"standardize": "strip_punctuation"}, {"standardize": lambda s: tf.strings.regex_replace(s, "a", "b")}, {"split": None}, {"split": "character"}, {"split": lambda s: tf.strings.split(s, "a")}, {"ngrams": 2}, {"ngrams": (2, 3)}, {"output_mode": "multi_hot"}, {"output_mode": "count"}, {"output_mode": "tf_idf"}, {"output_mode": "count", "ngrams": 2, "max_tokens": 6}, {"output_sequence_length": 2}, {"output_sequence_length": 5}, {"ragged": True}, {"ragged": True, "output_sequence_length": 2}, {"max_tokens": 4}, {"max_tokens": 20, "pad_to_max_tokens": True, "output_mode": "count"}, {"output_mode": "multi_hot", "sparse": True}, {"ragged": True, "split": "character"}, {"split": "character", "ngrams": 2}):
    t(f"tv {sorted(k for k in kw)} {[str(x) for x in kw.values() if not callable(x)]}", lambda: v(**kw))
t("tv 2d", lambda: v(x=tf.constant([["the cat"], ["dog"]]))); t("tv 0d", lambda: v(x=tf.constant("the cat"))); t("tv str", lambda: v(x="the dog")); t("tv list", lambda: v(x=["the dog", "a"])); t("tv np", lambda: v(x=np.array(["the dog", "a"])))
t("tv 2d2", lambda: v(x=tf.constant([["the cat", "b"], ["dog", "a"]])));t("tv 3d", lambda: v(x=tf.constant([[["the cat"]]])))
t("tv 2dns", lambda: v(x=tf.constant([["the", "cat"], ["dog", "a"]]), split=None, standardize=None, data=[["the", "cat"]]))
t("tv 2d count", lambda: v(x=tf.constant([["the cat"], ["dog"]]), output_mode="count")); t("tv 0 count", lambda: v(x=tf.constant("the cat"), output_mode="count"))
t("tv ds", lambda: v(data=tf.data.Dataset.from_tensor_slices(docs).batch(2))); t("tv ds0", lambda: v(data=tf.data.Dataset.from_tensor_slices(docs)))
t("tv empty", lambda: v(x=tf.constant(["", "!"]))); t("tv uni", lambda: v(data=["É é naïve"], x=tf.constant(["É é"])))
t("tv voc", lambda: T(vocabulary=["cat", "dog"])(["cat dog bird"])); t("tv voc2", lambda: T(vocabulary=["", "[UNK]", "cat", "dog"])(["cat dog bird"])); t("tv voc cnt", lambda: T(vocabulary=["cat", "dog"], output_mode="count")(["cat dog dog bird"])); t("tv voc idf", lambda: T(vocabulary=["cat", "dog"], output_mode="tf_idf", idf_weights=[1., 2.])(["cat dog dog bird"]))
p = os.path.join(tempfile.mkdtemp(), "v.txt"); open(p, "w").write("cat\ndog\n")
t("tv file", lambda: T(vocabulary=p)(["cat dog bird"]))
for bad in (dict(standardize="q"), dict(split="q"), dict(output_mode="q"), dict(ngrams="q"), dict(ngrams=(1, "a")), dict(output_sequence_length="a"), dict(output_sequence_length=3, output_mode="count"), dict(ragged=True, output_mode="count"), dict(sparse=True), dict(max_tokens=-1)):
    t(f"tv bad {bad}", lambda: T(**bad))
t("tv cfg", lambda: {k: v for k, v in T(name="t").get_config().items() if k != "dtype"}); t("tv cfg2", lambda: {k: v for k, v in T(name="t", vocabulary=["a"], ngrams=2, split="character", max_tokens=9).get_config().items() if k != "dtype"})
t("tv noadapt", lambda: T()(["a"]))
t("tv sym", lambda: str((lambda o: (o.shape, o.dtype))(T(vocabulary=["a"], output_sequence_length=3)(keras.Input((1,), dtype="string"))))); t("tv symn", lambda: str((lambda o: (o.shape, o.dtype))(T(vocabulary=["a"])(keras.Input((1,), dtype="string")))))
t("tv shape", lambda: T(vocabulary=["a"], output_sequence_length=3).compute_output_shape((None, 1)))
t("tv map", lambda: str([x.numpy().tolist() for x in tf.data.Dataset.from_tensor_slices(["a b", "b"]).map(T(vocabulary=["a"], output_sequence_length=2))]))
t("tv mapr", lambda: str([show(x) for x in tf.data.Dataset.from_tensor_slices(["a b", "b"]).batch(2).map(T(vocabulary=["a"], ragged=True))]))
t("tv mapc", lambda: str([show(x) for x in tf.data.Dataset.from_tensor_slices(["a b", "b"]).batch(2).map(T(vocabulary=["a"], output_mode="multi_hot"))]))
t("tv wb", lambda: T(standardize="lower", vocabulary=["[go]", "it's"])(["[GO] it's"]))
def sv(l, x):
    m = keras.Sequential([keras.Input((1,), dtype="string"), l]); p = os.path.join(tempfile.mkdtemp(), "m.keras"); m.save(p); k = keras.models.load_model(p); return str((show(m(x)), show(k(x))))
l = T(ngrams=2, output_mode="tf_idf"); l.adapt(docs)
t("tv save", lambda: sv(l, tf.constant([["the cat"], ["a"]])))
l2 = T(split="character", output_sequence_length=4); l2.adapt(docs)
t("tv save2", lambda: sv(l2, tf.constant([["the cat"], ["a"]])))
t("tv ssize", lambda: str((l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False)[:2])))
def upd():
    l = T(); l.reset_state(); l.update_state(docs); l.finalize_state(); return str(l.get_vocabulary())
t("tv upd", upd)
