import os, tempfile
import numpy as np
import tensorflow as tf
fc = tf.feature_column
v1 = tf.compat.v1
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, "!", type(e).__name__, str(e)[:60])
path = "vocab.txt"
open(path, "w").write("a\nb\nc\n")
age = fc.numeric_column("age"); pair = fc.numeric_column("pair", shape=2, default_value=[1., 2.], normalizer_fn=None)
buck = fc.bucketized_column(age, [2., 5.]); bpair = fc.bucketized_column(pair, [0.])
voc = fc.categorical_column_with_vocabulary_list("voc", ["a", "b", "c"]); voco = fc.categorical_column_with_vocabulary_list("voc", ["a", "b"], num_oov_buckets=2); vocd = fc.categorical_column_with_vocabulary_list("voc", ["a", "b"], default_value=1)
vf = fc.categorical_column_with_vocabulary_file("voc", path); vint = fc.categorical_column_with_vocabulary_list("id", [5, 3])
ident = fc.categorical_column_with_identity("id", 6); identd = fc.categorical_column_with_identity("id", 3, 0); hsh = fc.categorical_column_with_hash_bucket("voc", 5); hint = fc.categorical_column_with_hash_bucket("id", 5, tf.int64)
cross = fc.crossed_column(["voc", "city"], 7); cross2 = fc.crossed_column([buck, voc, "city"], 9); cross3 = fc.crossed_column([cross, ident], 11, hash_key=5)
w = fc.weighted_categorical_column(ident, "w")
emb = fc.embedding_column(voc, 2, initializer=tf.compat.v1.ones_initializer()); embs = fc.embedding_column(w, 2, combiner="sum", initializer=tf.compat.v1.ones_initializer())
seq = fc.sequence_categorical_column_with_identity("id", 5); seqn = fc.sequence_numeric_column("n")
allc = [age, pair, buck, bpair, voc, voco, vf, ident, hsh, cross, cross2, cross3, w, seq, seqn, fc.indicator_column(voc)]
for c in allc: t("repr", lambda: repr(c)); t("names", lambda: (c.name, getattr(c, "num_buckets", None), getattr(c, "variable_shape", None), c.parse_example_spec))
t("emb", lambda: (emb.name, emb.variable_shape, emb.dimension, emb.combiner, emb.trainable))
t("spec", lambda: sorted(fc.make_parse_example_spec([age, buck, fc.indicator_column(voc), emb, w, cross]).items()))
t("specbad", lambda: fc.make_parse_example_spec([age, fc.numeric_column("age", shape=3)])); t("specbad2", lambda: fc.make_parse_example_spec(["a"]))
ex = tf.train.Example(features=tf.train.Features(feature={"age": tf.train.Feature(float_list=tf.train.FloatList(value=[3.])), "voc": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"c"]))})).SerializeToString()
t("parse", lambda: sorted((k, tf.sparse.to_dense(v).numpy().tolist() if isinstance(v, tf.SparseTensor) else v.numpy().tolist()) for k, v in tf.io.parse_example([ex], fc.make_parse_example_spec([age, emb])).items()))
bad = [lambda: fc.numeric_column(3), lambda: fc.numeric_column("a", shape=0), lambda: fc.numeric_column("a", shape="x"), lambda: fc.numeric_column("a", dtype=tf.string), lambda: fc.numeric_column("a", default_value="x"), lambda: fc.numeric_column("a", shape=2, default_value=[1.]), lambda: fc.numeric_column("a", normalizer_fn=3),
  lambda: fc.bucketized_column(voc, [1.]), lambda: fc.bucketized_column(fc.numeric_column("a", shape=(2, 2)), [1.]), lambda: fc.bucketized_column(age, []), lambda: fc.bucketized_column(age, [2., 1.]), lambda: fc.categorical_column_with_hash_bucket("a", 0), lambda: fc.categorical_column_with_hash_bucket("a", 3, tf.float32), lambda: fc.categorical_column_with_vocabulary_list("a", []), lambda: fc.categorical_column_with_vocabulary_list("a", ["x", "x"]), lambda: fc.categorical_column_with_vocabulary_list("a", [1.5]), lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], dtype=tf.int64), lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], default_value=0, num_oov_buckets=1), lambda: fc.categorical_column_with_vocabulary_file("a", ""), lambda: fc.categorical_column_with_vocabulary_file("a", "/nope"), lambda: fc.categorical_column_with_vocabulary_file("a", path, vocabulary_size=0), lambda: fc.categorical_column_with_identity("a", 0), lambda: fc.categorical_column_with_identity("a", 3, 7), lambda: fc.indicator_column(age), lambda: fc.embedding_column(voc, 0), lambda: fc.embedding_column(voc, 2, initializer=3), lambda: fc.crossed_column(["a"], 3), lambda: fc.crossed_column(["a", 3], 3), lambda: fc.crossed_column(["a", hsh], 3), lambda: fc.crossed_column(["a", "b"], 0), lambda: fc.weighted_categorical_column(voc, "w", tf.string), lambda: fc.shared_embeddings([voc], 2)]
for b in bad: t("bad", b)
f = {"age": tf.constant([1., 2., 7.]), "pair": tf.constant([[1., -1.], [2., -2.], [3., 3.]]), "voc": tf.constant([["a", "b"], ["c", ""], ["zz", "a"]]), "city": tf.constant([["x"], ["y"], ["x"]]), "id": tf.constant([[1, 2], [2, -1], [5, 5]], tf.int64), "w": tf.constant([[.5, 2.], [1., 0.], [3., 4.]])}
fw = dict(f, id=tf.constant([[1, 2], [2, 3], [5, 5]], tf.int64), w=tf.constant([[.5, 2.], [1., 7.], [3., 4.]]))
def run(fn):
    with v1.Graph().as_default():
        feats = {k: v1.constant(v.numpy()) for k, v in (fw if fn.__code__.co_freevars == () and "W" in fn.__code__.co_consts else f).items()}
        out = fn(feats)
        with v1.Session() as s:
            s.run([v1.global_variables_initializer(), v1.tables_initializer()])
            r = s.run(out)
            return np.round(r, 3).tolist(), [(v.name, v.shape.as_list()) for v in v1.global_variables()]
for c in (age, pair, buck, bpair, fc.indicator_column(voc), fc.indicator_column(voco), fc.indicator_column(vocd), fc.indicator_column(vf), fc.indicator_column(vint), fc.indicator_column(hsh), fc.indicator_column(hint), fc.indicator_column(cross), fc.indicator_column(cross2), fc.indicator_column(fc.bucketized_column(pair, [0.])), emb, fc.indicator_column(identd), fc.indicator_column(ident)):
    t("input " + c.name, lambda: run(lambda x: v1.feature_column.input_layer(x, [c])))
t("weighted", lambda: run(lambda x: ("W", v1.feature_column.input_layer({k: x[k] for k in x}, [fc.indicator_column(w), embs]))[1]))
t("all", lambda: run(lambda x: v1.feature_column.input_layer(x, [emb, age, buck, fc.indicator_column(cross)])))
t("linear", lambda: run(lambda x: v1.feature_column.linear_model(x, [voc, age, buck, cross, emb], units=2)))
def linear1(x):
    cols = {}
    out = v1.feature_column.linear_model(x, [voc, age], cols_to_vars=cols)
    return out
t("linear1", lambda: run(linear1))
def two(x): v1.feature_column.input_layer(x, [emb]); return v1.feature_column.input_layer(x, [emb])
t("two", lambda: run(two))
def shared(x):
    a, b = fc.categorical_column_with_vocabulary_list("voc", ["a", "b", "c"]), fc.categorical_column_with_vocabulary_list("city", ["x", "y", "z"])
    return v1.feature_column.input_layer(x, v1.feature_column.shared_embedding_columns([a, b], 2, initializer=v1.ones_initializer()))
t("shared", lambda: run(shared)[0])
for b in (lambda x: v1.feature_column.input_layer(x, [voc]), lambda x: v1.feature_column.input_layer(x, [age, age]), lambda x: v1.feature_column.input_layer({}, [age]), lambda x: v1.feature_column.input_layer(x, []), lambda x: v1.feature_column.linear_model(x, ["a"])):
    t("bad", lambda: run(b))
t("eager", lambda: v1.feature_column.input_layer(f, [age, fc.indicator_column(voc)]).numpy().tolist())
t("sp", lambda: v1.feature_column.input_layer({"voc": tf.sparse.from_dense([["a", "b"], ["", "c"]])}, [fc.indicator_column(voc)]).numpy().tolist())
def train():
    with v1.Graph().as_default():
        feats = {"age": v1.constant([1., 2., 3.]), "voc": v1.constant([["a"], ["b"], ["a"]])}
        y = v1.feature_column.linear_model(feats, [age, voc]); loss = v1.reduce_mean(v1.square(y - [[1.], [2.], [3.]]))
        op = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        with v1.Session() as s:
            s.run([v1.global_variables_initializer(), v1.tables_initializer()])
            for _ in range(5): s.run(op)
            return round(float(s.run(loss)), 4)
t("train", train)
t("cross", lambda: [x.numpy().tolist() for x in (lambda s: (s.indices, s.values, s.dense_shape))(tf.sparse.cross([tf.constant([["a", "b"], ["c", "d"]]), tf.constant([[1], [2]]), tf.sparse.from_dense([["q", ""], ["r", "s"]])]))])
t("crossh", lambda: [x.numpy().tolist() for x in (lambda s: (s.indices, s.values, s.dense_shape))(tf.sparse.cross_hashed([tf.constant([["a", "b"], ["c", "d"]]), tf.constant([[1], [2]])], num_buckets=100))])
t("crossh2", lambda: tf.sparse.cross_hashed([tf.constant([["a"]]), tf.constant([["b"]])], hash_key=3).values.numpy().tolist()); t("sep", lambda: tf.sparse.cross([[["a"]], [["b"]]], separator="-").values.numpy().tolist())
