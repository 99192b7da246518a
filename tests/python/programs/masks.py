# Masks that travel from Embedding and Masking through the layers to the loss.
import warnings
import numpy as np
import tensorflow as tf

L = tf.keras.layers
K = tf.keras
words = np.array([[3, 1, 0, 0], [2, 4, 5, 0], [1, 0, 0, 0]])
rng = np.random.default_rng(0)
steps = rng.normal(size=(3, 4, 2)).astype("float32")
steps[0, 2:] = 0
steps[2, 1:] = 0


def show(name, value):
    value = np.asarray(value)
    print(name, (value if value.dtype == bool else np.round(value.astype("float64"), 3) + 0.0).tolist())


def ones(layer, **options):
    return layer(2, kernel_initializer="ones", recurrent_initializer="ones", **options)


embedded = L.Embedding(6, 2, mask_zero=True, embeddings_initializer="ones")
out = embedded(words)
show("mask", out._keras_mask)
show("compute_mask", embedded.compute_mask(words))
print(L.Embedding(6, 2).compute_mask(words))
masked = L.Masking()(steps)
show("masking", masked._keras_mask)
for layer in (ones(L.LSTM), ones(L.GRU), ones(L.SimpleRNN), ones(L.LSTM, return_sequences=True),
              L.Bidirectional(ones(L.SimpleRNN)), L.RNN(L.SimpleRNNCell(2, kernel_initializer="ones", recurrent_initializer="ones"))):
    show(type(layer).__name__, layer(masked))
    show("by hand", layer(steps, mask=masked._keras_mask))
for layer in (L.Dense(3), L.Dropout(0.5), L.Activation("relu"), L.LayerNormalization(), L.LSTM(2, return_sequences=True),
              L.LSTM(2), L.TimeDistributed(L.Dense(2)), L.GlobalAveragePooling1D(), L.Masking()):
    made = layer(masked)
    mask = getattr(made, "_keras_mask", None)
    print(type(layer).__name__, layer.supports_masking, None if mask is None else np.asarray(mask).tolist())
show("mean", L.GlobalAveragePooling1D()(masked))
show("add", L.Add()([masked, out])._keras_mask)
query, value = L.Masking()(steps), L.Masking()(steps[::-1].copy())
show("attention", L.Attention()([query, value]))
show("causal", L.Attention()([query, value], use_causal_mask=True))
heads = L.MultiHeadAttention(1, 2, kernel_initializer="ones")
made = heads(query, value)
show("heads", made)
show("mask of heads", made._keras_mask)
show("padding", heads(steps, steps, attention_mask=np.ones((3, 4, 4), bool), use_causal_mask=True))

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    L.Flatten()(masked)
    print([str(one.message)[:8] for one in told if "destroy the mask" in str(one.message)])


def tagger():
    return K.Sequential([L.Input((4,), dtype="int32"), L.Embedding(6, 3, mask_zero=True, embeddings_initializer="ones"),
                         L.SimpleRNN(3, return_sequences=True, kernel_initializer="ones", recurrent_initializer="zeros"),
                         L.Dense(2, kernel_initializer="ones", bias_initializer="zeros")])


tags = np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 0]])
model = tagger()
print(hasattr(model(words), "_keras_mask"))
loss = K.losses.SparseCategoricalCrossentropy(from_logits=True)
show("loss", loss(tags, model(words)))
show("weighted", loss(tags, model(words), sample_weight=np.array([[1.0], [2.0], [3.0]]) * np.ones((3, 4))))
show("sum", K.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="sum")(tags, model(words)))
model.compile(K.optimizers.SGD(0.5), loss, metrics=["accuracy"])
history = model.fit(words, tags, epochs=3, batch_size=3, shuffle=False, verbose=0).history
show("fit", history["loss"])
show("evaluate", model.evaluate(words, tags, verbose=0)[0])
show("weights", model.layers[-1].get_weights()[1])

inputs = K.Input((4,), dtype="int32")
hidden = L.Embedding(6, 3, mask_zero=True, embeddings_initializer="ones")(inputs)
hidden = L.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones")(hidden)
model = K.Model(inputs, L.Dense(1, kernel_initializer="ones")(hidden))
show("functional", model.predict(words, verbose=0))
model.compile("sgd", "mse")
show("fit", model.fit(words, np.array([0.0, 1.0, 2.0]), epochs=2, batch_size=3, verbose=0).history["loss"])


class Trim(L.Layer):
    def compute_mask(self, inputs, mask=None):
        return None if mask is None else mask[:, 1:]

    def __init__(self):
        super().__init__()
        self.supports_masking = True

    def call(self, inputs, mask=None):
        print("got a mask:", mask is not None)
        return inputs[:, 1:]


show("own", Trim()(masked)._keras_mask)
