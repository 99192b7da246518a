import numpy as np
import tensorflow as tf
tf.keras.utils.set_random_seed(4)
mha = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=3, value_dim=4)
q = tf.random.stateless_normal((2, 5, 6), [1, 2]); v = tf.random.stateless_normal((2, 3, 6), [3, 4])
out, scores = mha(q, v, return_attention_scores=True)
print(out.shape, scores.shape, np.allclose(scores.numpy().sum(-1), 1.0, atol=1e-6), np.allclose(out.numpy(), mha(q, v).numpy(), atol=1e-5))
causal, s = mha(q, q, use_causal_mask=True, return_attention_scores=True)
print(np.round(np.triu(s.numpy()[0, 0], 1), 6).max(), np.allclose(causal.numpy(), mha(q, q, use_causal_mask=True).numpy(), atol=1e-5))
mask = tf.constant([[[1, 1, 0]] * 5, [[1, 0, 0]] * 5]) > 0
out, s = mha(q, v, attention_mask=mask, return_attention_scores=True); print(np.round(s.numpy()[:, 0, 0], 6)[:, 2].tolist(), np.round(s.numpy()[1, 1, 2], 4).tolist())
with tf.GradientTape() as tape:
    out, s = mha(q, v, return_attention_scores=True); loss = tf.reduce_sum(out ** 2) + tf.reduce_sum(s[..., 0])
print(all(g is not None for g in tape.gradient(loss, mha.trainable_variables)), len(mha.weights), [w.shape for w in mha.weights][:2])
class Block(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.mha = tf.keras.layers.MultiHeadAttention(2, 4); self.norm = tf.keras.layers.LayerNormalization(); self.add = tf.keras.layers.Add()
    def call(self, x, context):
        a, scores = self.mha(query=x, key=context, value=context, return_attention_scores=True)
        self.last_attn_scores = scores
        return self.norm(self.add([x, a]))
b = Block(); print(b(q, q).shape, b.last_attn_scores.shape)
gru = tf.keras.layers.GRU(4, return_sequences=True, return_state=True); lstm = tf.keras.layers.LSTM(3, return_state=True)
states = gru.get_initial_state(tf.shape(q)[0]); print([t.shape for t in states], [t.shape for t in lstm.get_initial_state(2)])
seq, state = gru(q, initial_state=states); seq2, state2 = gru(q); print(np.allclose(seq, seq2), state.shape)
o, h, c = lstm(q, initial_state=[tf.ones((2, 3)), tf.zeros((2, 3))]); print(o.shape, np.allclose(o, h))
print(tf.keras.preprocessing.sequence.pad_sequences([[1, 2], [3]], maxlen=3).tolist())
pairs, labels = tf.keras.preprocessing.sequence.skipgrams([1, 2, 3], 4, window_size=1, negative_samples=0, shuffle=False); print(pairs, labels)
print(tf.keras.preprocessing.sequence.make_sampling_table(5).round(5).tolist())
for batch in tf.keras.preprocessing.timeseries_dataset_from_array(np.arange(10), np.arange(10) * 10, sequence_length=3, batch_size=2, sampling_rate=2).take(2):
    print([b.numpy().tolist() for b in batch])
