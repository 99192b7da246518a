import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(7)
x = np.random.RandomState(0).rand(4, 5, 3).astype("float32")


def show(name, value):
    print(name, np.round(np.asarray(value), 4).tolist())


cell = tf.keras.layers.LSTMCell(2)
rnn = tf.keras.layers.RNN(cell, return_sequences=True, return_state=True)
out, h, c = rnn(x)
print(out.shape, h.shape, c.shape)
show("lstm", out[0])
show("h", h)
print([w.path for w in rnn.weights])

cell = tf.keras.layers.GRUCell(2)
layer = tf.keras.layers.RNN(cell)
show("gru", layer(x))
print(cell.state_size, cell.output_size)

simple = tf.keras.layers.SimpleRNNCell(2)
state = tf.zeros((4, 2))
for t in range(5):
    y, [state] = simple(x[:, t], [state])
show("simple", y)

stacked = tf.keras.layers.RNN(
    tf.keras.layers.StackedRNNCells([tf.keras.layers.LSTMCell(3), tf.keras.layers.GRUCell(2)]),
    return_sequences=True)
y = stacked(x)
print(y.shape, len(stacked.trainable_weights))
show("stacked", y[1, -1])


class MinimalRNNCell(tf.keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="uniform", name="kernel")
        self.recurrent_kernel = self.add_weight(shape=(self.units, self.units), initializer="uniform",
                                                name="recurrent_kernel")
        self.built = True

    def call(self, inputs, states):
        prev_output = states[0]
        h = tf.matmul(inputs, self.kernel)
        output = h + tf.matmul(prev_output, self.recurrent_kernel)
        return output, [output]


layer = tf.keras.layers.RNN(MinimalRNNCell(3))
y = layer(x)
show("minimal", y)
model = tf.keras.Sequential([tf.keras.Input((5, 3)), tf.keras.layers.RNN(MinimalRNNCell(4)),
                             tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
h = model.fit(x, np.ones((4, 1)), epochs=3, verbose=0)
print(np.round(h.history["loss"], 4).tolist())

lstm = tf.keras.layers.LSTM(2, return_state=True, stateful=False)
enc, h, c = lstm(x)
dec = tf.keras.layers.LSTM(2, return_sequences=True)(x, initial_state=[h, c])
print(dec.shape)
bi = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(2, return_sequences=True), merge_mode="sum")
print(bi(x).shape)
back = tf.keras.layers.SimpleRNN(2, go_backwards=True, unroll=True)
print(back(x).shape)
try:
    tf.keras.layers.RNN(tf.keras.layers.Dense(2))
except ValueError as e:
    print("ValueError", "state_size" in str(e))
