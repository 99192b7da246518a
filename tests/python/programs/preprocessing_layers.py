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


D = L.Discretization
for mode in ("int", "one_hot", "multi_hot", "count"):
    for x in ([[-1.0], [1.0], [3.0]], [[-1.0, 0.5, 0.7]], [0.5, 3.0]):
        t(f"disc {mode} {x}", lambda: D(bin_boundaries=[0.0, 1.0, 2.0], output_mode=mode)(x))
t("disc int in", lambda: D(bin_boundaries=[0.0, 1.0])(np.array([[0, 1], [5, -3]])))
t("disc dtype", lambda: D(bin_boundaries=[0.0, 1.0], dtype="int32")([[0.5]]))
t("disc sparse", lambda: D(bin_boundaries=[0.0, 1.0], output_mode="one_hot", sparse=True)(np.array([[0.5], [3.0]])))
t("disc both", lambda: D(bin_boundaries=[0.0], num_bins=3))
t("disc neither", lambda: D())
t("disc bad mode", lambda: D(num_bins=3, output_mode="x"))
t("disc neg", lambda: D(num_bins=-3))
t("disc notadapted", lambda: D(num_bins=3)(np.array([1.0])))
t("disc config", lambda: D(num_bins=3, name="a").get_config())
t("disc config2", lambda: D(bin_boundaries=[1., 2.], name="a").get_config())
def adapt_d():
    d = D(num_bins=4, name="q"); d.adapt(tf.data.Dataset.from_tensor_slices(np.arange(40.).astype("float32")).batch(8)); return str((d.bin_boundaries, d.get_config(), d.get_vocabulary() if hasattr(d, "get_vocabulary") else None))
t("disc adapt", adapt_d)
def adapt_d2():
    d = D(num_bins=4, epsilon=0.1); d.adapt(np.random.RandomState(0).randn(100, 2)); return str([round(float(b), 3) for b in d.bin_boundaries])
t("disc adapt2", adapt_d2)
def adapt_d3():
    d = D(num_bins=4); d.adapt(np.array([1., 1., 1., 2.])); return str([round(float(b), 3) for b in d.bin_boundaries])
t("disc adapt3", adapt_d3)
t("disc adapt given", lambda: D(bin_boundaries=[1.]).adapt(np.array([1.])))
t("disc shape", lambda: D(bin_boundaries=[0.0, 1.0], output_mode="one_hot").compute_output_shape((None, 1)))
t("disc sym", lambda: str((lambda o: (o.shape, o.dtype))(D(bin_boundaries=[0.0, 1.0])(keras.Input((1,))))))
t("disc symo", lambda: str((lambda o: (o.shape, o.dtype))(D(bin_boundaries=[0.0, 1.0], output_mode="one_hot")(keras.Input((1,))))))
t("disc unsorted", lambda: D(bin_boundaries=[2.0, 1.0])(np.array([0.5, 1.5, 3.0])))
# Hashing
H = L.Hashing
for x in ([["A"], ["B"], ["C"]], ["A", "", "B"], [[1, 2], [3, 4]], [0, 1]):
    for kw in ({}, {"mask_value": "" if isinstance(np.array(x).flat[0], np.str_) else 0}, {"salt": 7}, {"salt": [3, 4]}, {"output_mode": "one_hot"}, {"output_mode": "multi_hot"}, {"output_mode": "count"}):
        t(f"hash {x} {kw}", lambda: H(num_bins=5, **kw)(np.array(x) if not isinstance(np.array(x).flat[0], np.str_) else tf.constant(x)))
t("hash sparse out", lambda: H(num_bins=3, output_mode="one_hot", sparse=True)(tf.constant(["a", "b"])))
t("hash sparse in", lambda: H(num_bins=3)(tf.sparse.from_dense(tf.constant([["a", ""], ["", "b"]]))))
t("hash ragged in", lambda: H(num_bins=3)(tf.ragged.constant([["a", "c"], ["b"]])))
t("hash ragged int", lambda: H(num_bins=3, salt=4)(tf.ragged.constant([[1, 2], [3]])))
t("hash 0", lambda: H(num_bins=0)); t("hash none", lambda: H(None))
t("hash mode", lambda: H(3, output_mode="x")); t("hash salt", lambda: H(3, salt="q")); t("hash salt3", lambda: H(3, salt=[1, 2, 3]))
t("hash float", lambda: H(3)(np.array([1.5])))
t("hash cfg", lambda: H(3, name="h").get_config()); t("hash cfg2", lambda: H(3, name="h", salt=5, mask_value="", output_mode="count").get_config())
t("hash sym", lambda: str((lambda o: (o.shape, o.dtype))(H(3)(keras.Input((1,), dtype="string")))))
t("hash dt", lambda: H(3, dtype="int32")(tf.constant(["a"])))
t("hash str", lambda: H(3)(["a", "b"]))
t("hash map", lambda: [x.numpy().tolist() for x in tf.data.Dataset.from_tensor_slices(["a", "b"]).batch(2).map(H(3, output_mode="one_hot"))].__str__())
# lookups
S, I = L.StringLookup, L.IntegerLookup
for mode in ("int", "one_hot", "multi_hot", "count", "tf_idf"):
    for kw in ({}, {"mask_token": ""}, {"num_oov_indices": 0}, {"num_oov_indices": 3}, {"max_tokens": 8, "pad_to_max_tokens": True}):
        if mode == "tf_idf": kw = dict(kw, idf_weights=[0.5, 0.25])
        for x in (["a", "b", "zz"], [["a", "b", "a"], ["", "q", "b"]], [["a"], ["b"]]):
            t(f"s {mode} {kw} {x}", lambda: S(vocabulary=["a", "b"], output_mode=mode, **kw)(tf.constant(x)))
    t(f"i {mode}", lambda: I(vocabulary=[3, 5], output_mode=mode, **({"idf_weights": [1., 2.]} if mode == "tf_idf" else {}))(np.array([[3, 5, 9]])))
t("s inv", lambda: S(vocabulary=["a", "b"], invert=True)([0, 1, 2, 9])); t("s inv2", lambda: S(vocabulary=["a", "b"], invert=True, mask_token="", num_oov_indices=2)([[0, 1, 2, 3, 4]]))
t("i inv", lambda: I(vocabulary=[7, 8], invert=True)([0, 1, 2])); t("i inv2", lambda: I(vocabulary=[7, 8], invert=True, mask_token=0)([0, 1, 2, 3]))
t("i mask", lambda: I(vocabulary=[7, 8], mask_token=0)([0, 7, 8, 9])); t("i oov", lambda: I(vocabulary=[7, 8], num_oov_indices=0)([7, 9]))
t("i d32", lambda: I(vocabulary=[7, 8], vocabulary_dtype="int32")(np.array([7, 8], "int32")))
t("s sparse out", lambda: S(vocabulary=["a", "b"], output_mode="multi_hot", sparse=True)([["a", "b"]]))
t("s count sparse", lambda: S(vocabulary=["a", "b"], output_mode="count", sparse=True)([["a", "a"], ["b", "x"]]))
t("s sparse in", lambda: S(vocabulary=["a", "b"])(tf.sparse.from_dense(tf.constant([["a", ""], ["", "b"]]))))
t("s ragged", lambda: S(vocabulary=["a", "b"])(tf.ragged.constant([["a", "c"], ["b"]])))
t("s raggedmh", lambda: S(vocabulary=["a", "b"], output_mode="multi_hot")(tf.ragged.constant([["a", "c"], ["b"]])))
t("s raggedcount", lambda: S(vocabulary=["a", "b"], output_mode="count")(tf.ragged.constant([["a", "a"], ["b"]])))
d = tempfile.mkdtemp(); p = os.path.join(d, "v.txt"); open(p, "w").write("a\nb\nc\n"); q = os.path.join(d, "i.txt"); open(q, "w").write("5\n6\n7")
t("s file", lambda: (lambda l: str((l(["b", "c", "d"]).numpy().tolist(), l.get_vocabulary(), l.vocabulary_size())))(S(vocabulary=p)))
t("i file", lambda: (lambda l: str((l([6, 5, 4]).numpy().tolist(), l.get_vocabulary(), l.vocabulary_size())))(I(vocabulary=q)))
for bad in (dict(max_tokens=1), dict(num_oov_indices=-1), dict(output_mode="q"), dict(vocabulary=["a", "a"]), dict(vocabulary=["a", "[UNK]"]), dict(vocabulary=["a", "b", "c"], max_tokens=2), dict(invert=True, output_mode="count"), dict(vocabulary=[]), dict(vocabulary=["a"], idf_weights=[1.]), dict(vocabulary=["a"], output_mode="tf_idf"), dict(vocabulary=["", "[UNK]", "a"], mask_token=""), dict(vocabulary=["[UNK]", "a"]), dict(pad_to_max_tokens=True), dict(sparse=True), dict(vocabulary=["a", ""], mask_token="")):
    t(f"s bad {bad}", lambda: S(**bad).get_vocabulary().__str__())
t("s noadapt", lambda: S()(tf.constant(["a"]))); t("i badtype", lambda: I(vocabulary=["a"])); t("i float", lambda: I(vocabulary_dtype="float32"))
t("s cfg", lambda: S(name="s").get_config()); t("s cfg2", lambda: S(name="s", vocabulary=["a"], mask_token="").get_config()); t("i cfg", lambda: I(name="i", vocabulary=[1, 2]).get_config())
def ad(l, *data):
    for x in data: l.adapt(x)
    return str((l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False)))
t("s adapt1", lambda: ad(S(), tf.constant(["b", "a", "b", "c", "a", "b"]))); t("s adapt2", lambda: ad(S(max_tokens=3), [["b", "a"], ["b", "c"]])); t("s adapt twice", lambda: ad(S(), ["a"], ["b", "b"]))
t("i adapt", lambda: ad(I(mask_token=0), np.array([[3, 3], [0, 1], [-1, 2]]))); t("s adapt rag", lambda: ad(S(), tf.ragged.constant([["b", "c"], ["c"]])))
t("s adapt ds", lambda: ad(S(output_mode="tf_idf"), tf.data.Dataset.from_tensor_slices([["a", "b"], ["b", "b"]]).batch(1)))
def idf():
    l = S(output_mode="tf_idf"); l.adapt([["a", "b"], ["b", "b"], ["c", "c"]]); return show(l([["a", "b", "b", "x"]]))
t("s idf", idf)
t("s adaptgiven", lambda: ad(S(vocabulary=["a"]), ["b"]))
t("s adaptfile", lambda: ad(S(vocabulary=p), ["b"]))
t("s symint", lambda: str((lambda o: (o.shape, o.dtype))(S(vocabulary=["a"])(keras.Input((2,), dtype="string")))))
t("s load", lambda: str((lambda l: (l.load_assets if hasattr(l, "load_assets") else None) is not None)(S(vocabulary=["a"]))))
def setv(l, v, **kw): l.set_vocabulary(v, **kw); return str(l.get_vocabulary())
t("s set", lambda: setv(S(), ["x", "y"])); t("s setoov", lambda: setv(S(), ["[UNK]", "x"])); t("s setidf", lambda: setv(S(output_mode="tf_idf"), ["x"], idf_weights=[2.])); t("s setidfbad", lambda: setv(S(output_mode="tf_idf"), ["x"])); t("s setempty", lambda: setv(S(), []))
t("s enc", lambda: S(vocabulary=["é"], encoding="utf-8")(tf.constant(["é"])))
# CategoryEncoding
C = L.CategoryEncoding
for mode in ("one_hot", "multi_hot", "count"):
    for x in ([0, 1, 2], [[0, 1], [3, 3]], [[1], [2]], 3):
        t(f"cat {mode} {x}", lambda: C(num_tokens=4, output_mode=mode)(np.array(x)))
    t(f"cat big {mode}", lambda: C(num_tokens=2, output_mode=mode)(np.array([[5]])))
    t(f"cat neg {mode}", lambda: C(num_tokens=2, output_mode=mode)(np.array([[-1, 1]])))
    t(f"cat sparse {mode}", lambda: C(num_tokens=4, output_mode=mode, sparse=True)(np.array([[1], [2]])))
    t(f"cat sparse2 {mode}", lambda: C(num_tokens=4, output_mode=mode, sparse=True)(np.array([[1, 1]])))
    t(f"cat ragged {mode}", lambda: C(num_tokens=4, output_mode=mode)(tf.ragged.constant([[1, 2], [3]])))
    t(f"cat sparsein {mode}", lambda: C(num_tokens=4, output_mode=mode)(tf.sparse.from_dense([[1, 2], [3, 0]])))
t("cat w", lambda: C(num_tokens=3, output_mode="count")(np.array([[0, 1]]), count_weights=np.array([[.5, 2.]])))
t("cat wbad", lambda: C(num_tokens=3)(np.array([[0, 1]]), count_weights=np.array([[.5, 2.]])))
t("cat cfg", lambda: str({k: v for k, v in C(3, name="c").get_config().items() if k != "dtype"})); t("cat none", lambda: C()); t("cat mode", lambda: C(3, output_mode="q")); t("cat 0", lambda: C(0))
t("cat dt", lambda: C(3, dtype="int32")(np.array([[1]])));t("cat float", lambda: C(3)(np.array([[1.0]])));
t("cat sym", lambda: str((lambda o: (o.shape, o.dtype))(C(3)(keras.Input((2,), dtype="int64")))))
# HashedCrossing
X = L.HashedCrossing
a, b = tf.constant(["a", "b", "c"]), tf.constant([1, 2, 3])
t("cross", lambda: X(5)((a, b))); t("cross oh", lambda: X(5, output_mode="one_hot")((a, b))); t("cross sp", lambda: X(5, output_mode="one_hot", sparse=True)((a, b)))
t("cross 2d", lambda: X(5)((tf.expand_dims(a, -1), tf.expand_dims(b, -1)))); t("cross 2doh", lambda: X(5, output_mode="one_hot")((tf.expand_dims(a, -1), tf.expand_dims(b, -1))))
t("cross 0", lambda: X(5)((tf.constant("a"), tf.constant(1)))); t("cross 0oh", lambda: X(5, output_mode="one_hot")((tf.constant("a"), tf.constant(1)))); t("cross 3", lambda: X(7)((a, b, b)))
t("cross bad1", lambda: X(5)((a,))); t("cross bad2", lambda: X(5)(a)); t("cross bad3", lambda: X(5)((a, tf.constant([1.0, 2., 3.])))); t("cross bad4", lambda: X(5)((a, tf.constant([1])))); t("cross bad5", lambda: X(5, output_mode="multi_hot"))
t("cross cfg", lambda: X(5, name="x").get_config()); t("cross cfg2", lambda: X(5, name="x", output_mode="one_hot").get_config())
t("cross dt", lambda: X(5, dtype="int32")((a, b))); t("cross np", lambda: X(5)((np.array(["a", "b"]), np.array([1, 2]))))
t("cross sym", lambda: str((lambda o: (o.shape, o.dtype))(X(3, output_mode="one_hot")((keras.Input((1,), dtype="string"), keras.Input((1,), dtype="int64"))))))
# Normalization
N = L.Normalization
n = lambda **k: N(**k)
t("n", lambda: N(mean=[1., 2.], variance=[4., 9.])(np.array([[3., 5.]]))); t("n ax0", lambda: (lambda l: (l.adapt(np.array([[1., 2.], [3., 4.]])), l(np.array([[1., 2.], [3., 4.]])))[1])(N(axis=None)))
t("n inv", lambda: (lambda l: (l.adapt(np.array([[1., 2.], [3., 6.]])), l(np.array([[1., 2.]])))[1])(N(invert=True)))
t("n ax", lambda: (lambda l: (l.adapt(np.arange(12.).reshape(2, 2, 3)), l(np.arange(12.).reshape(2, 2, 3)))[1])(N(axis=(1, 2))))
t("n bad", lambda: N(mean=1.)); t("n badax", lambda: N(axis=3)(np.zeros((2, 2)))); t("n noadapt", lambda: N()(np.array([[1., 2.]])))
t("n cfg", lambda: str({k: v for k, v in N(name="n").get_config().items() if k != "dtype"})); t("n cfg2", lambda: str({k: v for k, v in N(name="n", mean=1., variance=2.).get_config().items() if k != "dtype"}))
t("n int", lambda: N(mean=1, variance=4)(np.array([[3, 5]]))); t("n sym", lambda: str((lambda o: (o.shape, o.dtype))(N(mean=1., variance=2.)(keras.Input((2,))))))
t("n ragged", lambda: (lambda l: (l.adapt(tf.data.Dataset.from_tensor_slices([[1.], [3.]]).batch(2)), l(np.array([[1.]])))[1])(N()))
t("n 1d", lambda: (lambda l: (l.adapt(np.array([1., 3.])), l(np.array([1.])))[1])(N(axis=None)))
t("n build", lambda: (lambda l: (l.build((None, 2)), str([w.name for w in l.weights] + [str(tuple(w.shape)) for w in l.weights]))[1])(N()))
