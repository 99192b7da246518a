# Attention by hand and by layers, a small encoder, freezing and transfer.
import numpy as np
import tensorflow as tf
from tensorflow import keras
L = keras.layers
keras.utils.set_random_seed(1)
q = tf.reshape(tf.range(12.0), (1, 3, 4)) / 12
def show(n, v): print(n, np.round(np.asarray(v), 3).tolist())
def sdpa(q, k, v, mask=None):
    s = tf.matmul(q, k, transpose_b=True) / tf.math.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
    if mask is not None: s += (1.0 - tf.cast(mask, s.dtype)) * -1e9
    w = tf.nn.softmax(s, axis=-1); return tf.matmul(w, v), w
o, w = sdpa(q, q, q, tf.linalg.band_part(tf.ones((3, 3)), -1, 0)); show("sdpa", o); show("w", w)
o, w = L.Attention(use_scale=True)([q, q], return_attention_scores=True, use_causal_mask=True); show("Attention", o); show("scores", w)
show("Additive", L.AdditiveAttention(use_scale=False)([q, q]))
mha = L.MultiHeadAttention(2, 2, kernel_initializer="ones"); o, w = mha(q, q, return_attention_scores=True, use_causal_mask=True); show("mha", o); print(w.shape, [(v.path, v.shape) for v in mha.weights])

class Block(L.Layer):
    def __init__(self, dim, heads, ff, rate=0.1, **kw):
        super().__init__(**kw)
        self.att = L.MultiHeadAttention(heads, dim); self.ffn = keras.Sequential([L.Dense(ff, activation="relu"), L.Dense(dim)])
        self.n1, self.n2 = L.LayerNormalization(epsilon=1e-6), L.LayerNormalization(epsilon=1e-6); self.d1, self.d2 = L.Dropout(rate), L.Dropout(rate)
    def call(self, x, training=False):
        x = self.n1(x + self.d1(self.att(x, x), training=training)); return self.n2(x + self.d2(self.ffn(x), training=training))
class Tokens(L.Layer):
    def __init__(self, length, vocab, dim): super().__init__(); self.tok = L.Embedding(vocab, dim); self.pos = L.Embedding(length, dim)
    def call(self, x): return self.tok(x) + self.pos(keras.ops.arange(0, keras.ops.shape(x)[-1]))
i = keras.Input((6,)); x = Tokens(6, 10, 4)(i); x = Block(4, 2, 8, name="block")(x); x = L.GlobalAveragePooling1D()(x); base = keras.Model(i, x, name="base"); base.summary()
base.trainable = False; print(len(base.trainable_weights), len(base.non_trainable_weights), base.get_layer("block").trainable, base.get_layer("block").att.trainable)
inp = keras.Input((6,)); out = L.Dense(2)(base(inp, training=False)); m = keras.Model(inp, out); m.summary()
m.compile(keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
ids = np.random.RandomState(0).randint(0, 10, (8, 6)); y = (ids.sum(1) > 27).astype(int); before = [w.copy() for w in base.get_weights()]
m.fit(ids, y, epochs=2, batch_size=4, verbose=0); print(all(np.array_equal(a, b) for a, b in zip(before, base.get_weights())), len(m.optimizer.variables))
base.trainable = True
for l in base.layers[:-2]: l.trainable = False
print([l.trainable for l in base.layers], len(m.trainable_weights)); m.compile(keras.optimizers.Adam(1e-3), "sparse_categorical_crossentropy"); m.fit(ids, y, verbose=0); print([not np.array_equal(a, b) for a, b in zip(before, base.get_weights())][:3])
bn = L.BatchNormalization(); bn.trainable = False; show("bn", bn(q, training=True)[0, 0]); print(bn.trainable_weights, len(bn.non_trainable_weights))
feat = keras.Model(m.input, m.layers[-1].output); print(feat(ids).shape); m.layers[-1].set_weights([np.ones((4, 2)), np.zeros(2)]); print(m.layers[-1].bias.numpy())
for f in (lambda: base.get_layer("nope"), lambda: base.get_layer(index=99), lambda: m.layers[-1].set_weights([np.ones(2)]), lambda: m.set_weights([])):
    try: f(); print("no error")
    except Exception as e: print(type(e).__name__, str(e).splitlines()[0][:130])
x = np.linspace(-1, 1, 24).reshape(2, 3, 4).astype("float32")
for l in (L.Attention(use_scale=True), L.Attention(score_mode="concat"), L.Attention(True, "concat"), L.AdditiveAttention(use_scale=False)):
    a = l([x, x[:, :2]]); o, s = l([x, x[:, :2]], return_attention_scores=True); show(type(l).__name__, o); print(np.allclose(o, a, atol=1e-5)); show("scores", s)
    o, s = l([x, x, x + 1], return_attention_scores=True, use_causal_mask=True, mask=[None, np.array([[1, 0, 1], [1, 1, 0]], bool)]); show("masked", s)
i = keras.Input((3, 4)); o, s = L.Attention()([i, i], return_attention_scores=True); m = keras.Model(i, [o, s]); print([y.shape for y in m.predict(x, verbose=0)])
