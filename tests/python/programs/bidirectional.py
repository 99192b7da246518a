# Bidirectional: first weights, results, states, masks, a backward layer of one's own, files.
import numpy as np
import tensorflow as tf

K, L = tf.keras, tf.keras.layers
K.utils.set_random_seed(3)
x = np.sin(np.arange(24, dtype="float32")).reshape(2, 4, 3)
own = {"kernel_initializer": "glorot_uniform", "recurrent_initializer": "glorot_uniform"}


def show(name, value):
    print(name, [np.round(np.asarray(tf.convert_to_tensor(one)).astype("float64"), 3).tolist() for one in tf.nest.flatten(value)])


for kind in (L.LSTM, L.GRU, L.SimpleRNN):
    for more in ({"return_sequences": True}, {"return_state": True}):
        for mode in ("concat", "ave", None):
            show(f"{kind.__name__} {more} {mode}", L.Bidirectional(kind(2, **more, **own), merge_mode=mode)(x))
show("cell", L.Bidirectional(L.RNN(L.LSTMCell(2, **own), return_sequences=True))(x))
back = L.GRU(2, return_sequences=True, go_backwards=True, name="back", **own)
both = L.Bidirectional(L.LSTM(2, return_sequences=True, **own), backward_layer=back, name="both")
show("two kinds", both(x))
print([(one.path, tuple(one.shape)) for one in both.weights], both.forward_layer.name, both.backward_layer is back)
mask = np.array([[1, 1, 0, 1], [0, 1, 1, 0]], bool)
show("mask", both(x, mask=mask))
show("mask, one result", L.Bidirectional(L.LSTM(2, **own))(x, mask=mask))
show("states", L.Bidirectional(L.GRU(2, **own))(x, initial_state=[np.ones((2, 2), "float32"), np.zeros((2, 2), "float32")]))
again = L.Bidirectional.from_config(both.get_config())
print(again(x).shape, type(again.backward_layer).__name__, sorted(both.get_config()))
for wrong in (lambda: L.Bidirectional(L.LSTM(2), backward_layer=L.LSTM(2)),
              lambda: L.Bidirectional(L.LSTM(2), backward_layer=L.LSTM(2, go_backwards=True, return_sequences=True)),
              lambda: L.Bidirectional(L.LSTM(2), backward_layer=3)):
    try:
        wrong()
    except ValueError as error:
        print(error)
model = K.Sequential([K.Input((4,)), L.Embedding(5, 3, mask_zero=True), L.Bidirectional(L.GRU(2, return_sequences=True, **own)),
                      L.Bidirectional(L.LSTM(2, **own)), L.Dense(1)])
model.compile("sgd", "mse")
words = np.array([[1, 2, 0, 0], [3, 4, 1, 0]])
print([round(one, 4) for one in model.fit(words, np.ones((2, 1)), epochs=2, verbose=0).history["loss"]])
show("trained", model.predict(words, verbose=0))
copy = K.models.clone_model(model)
copy.set_weights(model.get_weights())
print(np.allclose(copy.predict(words, verbose=0), model.predict(words, verbose=0)), [one.name for one in copy.layers])
kept = L.Bidirectional(L.GRU(2, stateful=True, **own))
first, second = kept(x).numpy(), kept(x).numpy()
kept.reset_state()
print(np.allclose(first, second), np.allclose(first, kept(x).numpy()))
kept.trainable = False
print(len(kept.trainable_weights), len(kept.non_trainable_weights))
print(L.Bidirectional(L.LSTM(2, return_sequences=True))(K.Input((None, 3))).shape)
