# Recurrent layers: states, masks, stacks, wrappers, cells of one's own.
import numpy as np
import tensorflow as tf
from tensorflow import keras
L = keras.layers
x = np.linspace(-1, 1, 24).reshape(2, 4, 3).astype("float32")
ones = dict(kernel_initializer="ones", recurrent_initializer="ones")
def show(n, *v): print(n, *[np.round(np.asarray(a), 3).tolist() for a in v])
o, h, c = L.LSTM(2, return_state=True, **ones)(x); show("lstm", o, h, c)
seq, s = L.GRU(2, return_sequences=True, return_state=True, **ones)(x); show("gru", seq[:, -1], s)
show("init", L.LSTM(2, **ones)(x, initial_state=[tf.ones((2, 2)), tf.zeros((2, 2))]), L.SimpleRNN(2, **ones)(x, initial_state=tf.ones((2, 2))))
show("back", L.SimpleRNN(2, go_backwards=True, return_sequences=True, **ones)(x)[0])
class Minimal(L.Layer):
    def __init__(self, units, **k): super().__init__(**k); self.units = units; self.state_size = units
    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.units), initializer="ones", name="kernel")
        self.rec = self.add_weight(shape=(self.units, self.units), initializer="ones", name="rec")
    def call(self, inputs, states):
        out = keras.ops.tanh(keras.ops.matmul(inputs, self.kernel) + keras.ops.matmul(states[0], self.rec)); return out, [out]
show("cell", L.RNN(Minimal(2))(x), L.RNN([Minimal(2), Minimal(3)], return_sequences=True)(x)[:, -1])
show("stack", L.RNN(L.StackedRNNCells([L.GRUCell(2, **ones), L.LSTMCell(2, **ones)]))(x))
b = L.Bidirectional(L.LSTM(2, return_sequences=True, return_state=True, **ones), merge_mode="sum"); r = b(x); print(len(r), r[0].shape); show("bi", r[0][0], r[1])
for mode in ("concat", "mul", "ave", None):
    r = L.Bidirectional(L.SimpleRNN(1, **ones), merge_mode=mode)(x); show(str(mode), r)
show("td", L.TimeDistributed(L.Dense(1, kernel_initializer="ones"))(x)[:, :, 0], L.TimeDistributed(L.Flatten())(x[:, :, None]).shape)
m = keras.Sequential([keras.Input((None, 3)), L.Masking(0.0), L.LSTM(4, return_sequences=True), L.GRU(2), L.Dense(1)]); m.summary(); print(m.output_shape, m(x).shape, m(np.ones((1, 9, 3))).shape)
st = L.GRU(2, stateful=True, **ones); a = st(x); show("stateful", a, st(x)); st.reset_states() if hasattr(st, "reset_states") else st.reset_state(); show("again", st(x))
show("mask", L.GRU(2, **ones)(x, mask=np.array([[1, 1, 0, 0], [1, 0, 1, 0]], bool)), L.LSTM(2, return_sequences=True, zero_output_for_mask=True, **ones)(x, mask=np.array([[1, 0, 1, 0], [1, 1, 0, 0]], bool)))
enc = keras.Input((None, 3)); _, h, c = L.LSTM(4, return_state=True)(enc); dec = keras.Input((None, 2)); o, _, _ = L.LSTM(4, return_sequences=True, return_state=True)(dec, initial_state=[h, c]); m = keras.Model([enc, dec], L.Dense(2, activation="softmax")(o))
m.compile("rmsprop", "categorical_crossentropy"); print(m.output_shape, m.count_params(), m.predict([x, x[:, :, :2]], verbose=0).shape, len(m.fit([x, x[:, :, :2]], x[:, :, :2], verbose=0).history["loss"]))
for f in (lambda: L.LSTM(2)(x[0]), lambda: L.LSTM(-1), lambda: L.GRU(2, activation="nope")):
    try: f(); print("no error")
    except Exception as e: print(type(e).__name__, str(e).splitlines()[0][:110])
cell = L.LSTMCell(2, **ones); out, (h, c) = cell(x[:, 0], [tf.zeros((2, 2)), tf.zeros((2, 2))]); show("step", out, c); print(cell.state_size, cell.output_size, [v.name for v in cell.weights])
show("dropout", L.LSTM(2, dropout=0.5, recurrent_dropout=0.2, **ones)(x, training=False)); print(L.ConvLSTM1D(2, 2)(np.ones((1, 3, 5, 1), "float32")).shape, L.SimpleRNN(2, unroll=True, **ones)(x).shape)
