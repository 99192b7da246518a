import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(3)
x = np.random.RandomState(1).rand(2, 6, 1).astype("float32")
model = tf.keras.Sequential([
    tf.keras.Input(batch_shape=(2, 3, 1)),
    tf.keras.layers.LSTM(4, stateful=True),
    tf.keras.layers.Dense(1)])
first = model(x[:, :3]).numpy()
second = model(x[:, 3:]).numpy()
model.layers[0].reset_states()
again = model(x[:, :3]).numpy()
print(np.allclose(first, again), np.allclose(first, second))
whole = tf.keras.layers.LSTM(4)
whole.build((2, 6, 1))
whole.set_weights(model.layers[0].get_weights())
print(np.allclose(model.layers[1](whole(x)), second, atol=1e-6))
model.compile("adam", "mse")
for epoch in range(2):
    losses = []
    for part in (x[:, :3], x[:, 3:]):
        losses.append(float(model.train_on_batch(part, np.ones((2, 1)))))
    model.layers[0].reset_state()
    print(epoch, np.round(losses, 4).tolist())
gru = tf.keras.layers.GRU(3, stateful=True, return_sequences=True)
print(gru(x).shape, gru(x).shape)
model.summary()
d = tf.keras.layers.LSTM(4, dropout=0.5, recurrent_dropout=0.5)
print(d(x, training=False).shape, d(x, training=True).shape)
