import tensorflow as tf
import numpy as np
L = tf.keras.layers
x = tf.reshape(tf.range(24.) / 24., [2, 4, 3])
ones = dict(kernel_initializer="ones", recurrent_initializer="ones")
def show(name, t): print(name, [a.numpy().round(4).tolist() for a in t] if isinstance(t, (list, tuple)) else t.numpy().round(4).tolist())
show("lstm", L.LSTM(2, **ones)(x)); show("lstm seq", L.LSTM(2, return_sequences=True, **ones)(x)); show("lstm state", L.LSTM(2, return_state=True, **ones)(x))
show("gru", L.GRU(2, **ones)(x)); show("gru old", L.GRU(2, reset_after=False, **ones)(x)); show("rnn", L.SimpleRNN(2, activation="relu", **ones)(x * .1))
show("bi", L.Bidirectional(L.LSTM(1, return_sequences=True, **ones))(x)); show("bi sum", L.Bidirectional(L.GRU(1, **ones), merge_mode="sum")(x))
show("td", L.TimeDistributed(L.Dense(1, kernel_initializer="ones"))(x)); show("back", L.LSTM(1, go_backwards=True, **ones)(x))
show("init", L.GRU(2, **ones)(x, initial_state=tf.ones([2, 2])))
show("mask", L.LSTM(1, **ones)(x, mask=tf.constant([[True, True, False, False], [True] * 4])))
show("emb", L.Embedding(3, 2, embeddings_initializer="ones")(tf.constant([[0, 2]])))
show("conv", L.Conv1D(1, 2, padding="causal", kernel_initializer="ones")(x)); show("pool", L.MaxPooling1D(2)(x)); show("gap", L.GlobalAveragePooling1D()(x)); show("gmp", L.GlobalMaxPooling1D()(x))
show("ln", L.LayerNormalization()(x)); show("att", L.Attention()([x, x])); show("add att", L.AdditiveAttention(use_scale=False)([x, x]))
bn = L.BatchNormalization(momentum=.5); show("bn train", bn(x, training=True)); show("bn", bn(x)); show("mm", bn.moving_mean)

m = tf.keras.Sequential([tf.keras.Input((4, 3)), L.LSTM(4, **ones), L.Dense(1, kernel_initializer="ones")]); m.compile("sgd", "mse"); h = m.fit(x, tf.constant([[0.], [1.]]), epochs=3, verbose=0, shuffle=False); print([round(v, 4) for v in h.history["loss"]])
for w in m.weights: print(w.path, w.shape)
mha = L.MultiHeadAttention(2, 2, kernel_initializer="ones"); show("mha", mha(x, x)); print([tuple(w.shape) for w in mha.weights])
show("mha causal", mha(x, x, use_causal_mask=True))
show("rv", L.RepeatVector(2)(tf.constant([[1., 2.]]))); show("perm", L.Permute((2, 1))(x[:1])); show("resh", L.Reshape((2, 6))(x[:1]))
show("zp", L.ZeroPadding1D(1)(x[:1, :1])); show("up", L.UpSampling1D(2)(x[:1, :2])); show("crop", L.Cropping1D(1)(x[:1]))
