import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
def positional_encoding(length, depth):
    depth = depth / 2
    positions = np.arange(length)[:, np.newaxis]
    depths = np.arange(depth)[np.newaxis, :] / depth
    angle_rads = positions * (1 / (10000 ** depths))
    return tf.cast(np.concatenate([np.sin(angle_rads), np.cos(angle_rads)], axis=-1), dtype=tf.float32)

class PositionalEmbedding(tf.keras.layers.Layer):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.d_model = d_model
        self.embedding = tf.keras.layers.Embedding(vocab_size, d_model, mask_zero=True)
        self.pos_encoding = positional_encoding(length=16, depth=d_model)
    def compute_mask(self, *args, **kwargs):
        return self.embedding.compute_mask(*args, **kwargs)
    def call(self, x):
        length = tf.shape(x)[1]
        x = self.embedding(x)
        x *= tf.math.sqrt(tf.cast(self.d_model, tf.float32))
        x = x + self.pos_encoding[tf.newaxis, :length, :]
        return x

class BaseAttention(tf.keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__()
        self.mha = tf.keras.layers.MultiHeadAttention(**kwargs)
        self.layernorm = tf.keras.layers.LayerNormalization()
        self.add = tf.keras.layers.Add()

class CrossAttention(BaseAttention):
    def call(self, x, context):
        attn_output, attn_scores = self.mha(query=x, key=context, value=context, return_attention_scores=True)
        self.last_attn_scores = attn_scores
        return self.layernorm(self.add([x, attn_output]))

class GlobalSelfAttention(BaseAttention):
    def call(self, x):
        return self.layernorm(self.add([x, self.mha(query=x, value=x, key=x)]))

class CausalSelfAttention(BaseAttention):
    def call(self, x):
        return self.layernorm(self.add([x, self.mha(query=x, value=x, key=x, use_causal_mask=True)]))

class FeedForward(tf.keras.layers.Layer):
    def __init__(self, d_model, dff, dropout_rate=0.1):
        super().__init__()
        self.seq = tf.keras.Sequential([tf.keras.layers.Dense(dff, activation="relu"), tf.keras.layers.Dense(d_model), tf.keras.layers.Dropout(dropout_rate)])
        self.add = tf.keras.layers.Add()
        self.layer_norm = tf.keras.layers.LayerNormalization()
    def call(self, x):
        return self.layer_norm(self.add([x, self.seq(x)]))

class EncoderLayer(tf.keras.layers.Layer):
    def __init__(self, *, d_model, num_heads, dff, dropout_rate=0.1):
        super().__init__()
        self.self_attention = GlobalSelfAttention(num_heads=num_heads, key_dim=d_model, dropout=dropout_rate)
        self.ffn = FeedForward(d_model, dff)
    def call(self, x):
        return self.ffn(self.self_attention(x))

class DecoderLayer(tf.keras.layers.Layer):
    def __init__(self, *, d_model, num_heads, dff, dropout_rate=0.1):
        super().__init__()
        self.causal_self_attention = CausalSelfAttention(num_heads=num_heads, key_dim=d_model, dropout=dropout_rate)
        self.cross_attention = CrossAttention(num_heads=num_heads, key_dim=d_model, dropout=dropout_rate)
        self.ffn = FeedForward(d_model, dff)
    def call(self, x, context):
        x = self.causal_self_attention(x=x)
        x = self.cross_attention(x=x, context=context)
        self.last_attn_scores = self.cross_attention.last_attn_scores
        return self.ffn(x)

class Transformer(tf.keras.Model):
    def __init__(self, *, d_model, num_heads, dff, input_vocab_size, target_vocab_size):
        super().__init__()
        self.pe = PositionalEmbedding(input_vocab_size, d_model)
        self.pd = PositionalEmbedding(target_vocab_size, d_model)
        self.enc = EncoderLayer(d_model=d_model, num_heads=num_heads, dff=dff)
        self.dec = DecoderLayer(d_model=d_model, num_heads=num_heads, dff=dff)
        self.final_layer = tf.keras.layers.Dense(target_vocab_size)
    def call(self, inputs):
        context, x = inputs
        context = self.enc(self.pe(context))
        x = self.dec(self.pd(x), context)
        logits = self.final_layer(x)
        try:
            del logits._keras_mask
        except AttributeError:
            pass
        return logits

class CustomSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, d_model, warmup_steps=40):
        super().__init__()
        self.d_model = tf.cast(d_model, tf.float32)
        self.warmup_steps = warmup_steps
    def __call__(self, step):
        step = tf.cast(step, dtype=tf.float32)
        arg1 = tf.math.rsqrt(step)
        arg2 = step * (self.warmup_steps ** -1.5)
        return tf.math.rsqrt(self.d_model) * tf.math.minimum(arg1, arg2)

def masked_loss(label, pred):
    mask = label != 0
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    loss = loss_object(label, pred)
    mask = tf.cast(mask, dtype=loss.dtype)
    loss *= mask
    return tf.reduce_sum(loss) / tf.reduce_sum(mask)

def masked_accuracy(label, pred):
    pred = tf.argmax(pred, axis=2)
    label = tf.cast(label, pred.dtype)
    match = label == pred
    mask = label != 0
    match = match & mask
    match = tf.cast(match, dtype=tf.float32)
    mask = tf.cast(mask, dtype=tf.float32)
    return tf.reduce_sum(match) / tf.reduce_sum(mask)

transformer = Transformer(d_model=8, num_heads=2, dff=16, input_vocab_size=10, target_vocab_size=11)
pt = tf.constant([[1, 2, 3, 0], [4, 5, 6, 7]]); en = tf.constant([[1, 2, 3, 4, 0], [5, 6, 7, 8, 9]]); labels = tf.constant([[2, 3, 4, 5, 0], [6, 7, 8, 9, 10]])
output = transformer((pt, en))
print(output.shape, transformer.dec.last_attn_scores.shape)
schedule = CustomSchedule(8)
print([round(float(schedule(tf.constant(s, tf.float32))), 5) for s in (1, 10, 40, 100)])
transformer.compile(loss=masked_loss, optimizer=tf.keras.optimizers.Adam(schedule, beta_1=0.9, beta_2=0.98, epsilon=1e-9), metrics=[masked_accuracy])
ds = tf.data.Dataset.from_tensors(((pt, en), labels)).repeat(30)
h = transformer.fit(ds, epochs=2, validation_data=ds.take(2), verbose=0)
print(sorted(h.history), h.history["loss"][1] < h.history["loss"][0])
print(masked_loss(labels, tf.zeros((2, 5, 11))).numpy().round(4), masked_accuracy(labels, tf.one_hot(labels, 11)).numpy())
print(tf.linalg.band_part(tf.ones((3, 3)), -1, 0).numpy(), positional_encoding(4, 4).numpy().round(3)[1])
def scaled_dot_product_attention(q, k, v, mask):
    matmul_qk = tf.matmul(q, k, transpose_b=True)
    dk = tf.cast(tf.shape(k)[-1], tf.float32)
    logits = matmul_qk / tf.math.sqrt(dk)
    if mask is not None:
        logits += (mask * -1e9)
    weights = tf.nn.softmax(logits, axis=-1)
    return tf.matmul(weights, v), weights
k = tf.constant([[10, 0, 0], [0, 10, 0], [0, 0, 10], [0, 0, 10]], dtype=tf.float32)
v = tf.constant([[1, 0], [10, 0], [100, 5], [1000, 6]], dtype=tf.float32)
np.set_printoptions(suppress=True)
for q in ([[0, 10, 0]], [[0, 0, 10]], [[10, 10, 0]]):
    out, w = scaled_dot_product_attention(tf.constant(q, tf.float32), k, v, None); print(w.numpy().round(3), out.numpy().round(2))
print(1 - tf.linalg.band_part(tf.ones((3, 3)), -1, 0))
