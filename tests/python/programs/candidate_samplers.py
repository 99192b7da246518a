import numpy as np
import tensorflow as tf
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, "!", type(e).__name__)
def s(r): return (r[0].numpy().tolist(), r[0].dtype.name, np.round(r[1].numpy(), 5).tolist(), np.round(r[2].numpy(), 5).tolist())
tc = tf.constant([[1, 5], [3, 0]], tf.int64)
for u in (True, False):
    for seed in (1, 7):
        t(f"uni {u} {seed}", lambda: s(tf.random.uniform_candidate_sampler(tc, 2, 5, u, 10, seed=seed)))
        t(f"log {u} {seed}", lambda: s(tf.random.log_uniform_candidate_sampler(tc, 2, 5, u, 10, seed=seed)))
        t(f"learn {u} {seed}", lambda: s(tf.random.learned_unigram_candidate_sampler(tc, 2, 5, u, 10, seed=seed)))
        t(f"fixed {u} {seed}", lambda: s(tf.random.fixed_unigram_candidate_sampler(tc, 2, 5, u, 10, unigrams=[1., 2., 3., 4., 5., 6., 7., 8., 9., 10.], distortion=0.75, seed=seed)))
t("all", lambda: s(tf.random.all_candidate_sampler(tc, 2, 10, True, seed=1)))
tf.random.set_seed(5); t("g1", lambda: s(tf.random.uniform_candidate_sampler(tc, 2, 5, True, 10))); t("g2", lambda: s(tf.random.uniform_candidate_sampler(tc, 2, 5, True, 10))); t("g3", lambda: s(tf.random.uniform_candidate_sampler(tc, 2, 5, True, 10, seed=3)))
w = tf.reshape(tf.range(80, dtype=tf.float32) / 40.0, [20, 4]); b = tf.range(20, dtype=tf.float32) / 10.0; x = tf.reshape(tf.range(12, dtype=tf.float32) / 6.0, [3, 4]); y = tf.constant([[1], [2], [3]], tf.int64)
tf.random.set_seed(3)
def r(v): return np.round(v.numpy(), 3).tolist()
sv = tf.random.log_uniform_candidate_sampler(y, 1, 5, True, 20, seed=4); t("sv", lambda: s(sv))
t("nce", lambda: r(tf.nn.nce_loss(w, b, y, x, 5, 20, sampled_values=sv))); t("nce hits", lambda: r(tf.nn.nce_loss(w, b, y, x, 5, 20, sampled_values=sv, remove_accidental_hits=True)))
t("ss", lambda: r(tf.nn.sampled_softmax_loss(w, b, y, x, 5, 20, sampled_values=sv))); t("ss nohits", lambda: r(tf.nn.sampled_softmax_loss(w, b, y, x, 5, 20, sampled_values=sv, remove_accidental_hits=False))); t("ss seed", lambda: r(tf.nn.sampled_softmax_loss(w, b, y, x, 5, 20, seed=9)))
t("nce default", lambda: r(tf.nn.nce_loss(w, b, y, x, 5, 20))); t("true2", lambda: r(tf.nn.nce_loss(w, b, tf.constant([[1, 2], [3, 4], [5, 6]]), x, 5, 20, num_true=2, sampled_values=tf.random.uniform_candidate_sampler(tf.constant([[1, 2], [3, 4], [5, 6]], tf.int64), 2, 5, False, 20, seed=1))))
t("list", lambda: r(tf.nn.sampled_softmax_loss([w[:10], w[10:]], b, y, x, 5, 20, sampled_values=sv)))
t("hits", lambda: [v.numpy().tolist() for v in tf.nn.compute_accidental_hits(tf.constant([[1, 5], [2, 1]], tf.int64), tf.constant([5, 1, 7, 2, 1], tf.int64), 2)][:2])
def grad():
    wv, bv = tf.Variable(w), tf.Variable(b)
    with tf.GradientTape() as tape: l = tf.reduce_mean(tf.nn.nce_loss(wv, bv, y, x, 5, 20, sampled_values=sv))
    return [np.round(tf.convert_to_tensor(g).numpy().sum(), 3) for g in tape.gradient(l, [wv, bv])]
t("grad", grad)
t("bad1", lambda: tf.random.uniform_candidate_sampler(tf.constant([1, 2], tf.int64), 1, 5, True, 10)); t("bad2", lambda: tf.random.uniform_candidate_sampler(y, 1, 15, True, 10)); t("bad3", lambda: tf.random.fixed_unigram_candidate_sampler(y, 1, 3, True, 10))
t("res", lambda: s(tf.random.fixed_unigram_candidate_sampler(y, 1, 3, True, 4, unigrams=[1., 2., 3.], num_reserved_ids=1, seed=2)))
open("v.txt", "w").write("a,1\nb,2\nc,3\nd,4\n")
t("file", lambda: s(tf.random.fixed_unigram_candidate_sampler(y, 1, 3, True, 4, vocab_file="v.txt", seed=2)))
for _ in range(2): t("learned", lambda: s(tf.random.learned_unigram_candidate_sampler(y, 1, 4, False, 5, seed=2)))
t("nn", lambda: s(tf.nn.learned_unigram_candidate_sampler(y, 1, 4, False, 6, seed=2))) if hasattr(tf.nn, "learned_unigram_candidate_sampler") else None
@tf.function
def f(): return tf.nn.nce_loss(w, b, y, x, 5, 20), tf.nn.sampled_softmax_loss(w, b, y, x, 5, 20, seed=3)
t("fn", lambda: [v.shape for v in f()])
import os; os.remove("v.txt")
