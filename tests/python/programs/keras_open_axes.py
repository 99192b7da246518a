"""Symbolic shapes where several axes are open, and symbolic masks."""
import numpy as np
import tensorflow as tf

keras = tf.keras
layers, ops = keras.layers, keras.ops

sequence, image = keras.Input((None, 10)), keras.Input((None, None, 3))
for layer in (layers.Conv1D(3, 3), layers.Conv1D(3, 3, padding="causal", dilation_rate=2), layers.MaxPooling1D(2),
              layers.SeparableConv1D(3, 3), layers.Reshape((-1, 5)), layers.Flatten(),
              layers.LSTM(3, return_sequences=True), layers.GlobalMaxPooling1D()):
    print(layer.name, layer(sequence).shape)
for layer in (layers.Conv2D(4, 3, strides=2, padding="same"), layers.MaxPooling2D(3), layers.UpSampling2D(2),
              layers.Conv2DTranspose(4, 3, strides=2, padding="same"), layers.ZeroPadding2D(1), layers.Cropping2D(1)):
    print(layer.name, layer(image).shape)
print(layers.Conv1D(3, 3)(keras.Input((8, 10), batch_size=2)).shape)
print(keras.Sequential([keras.Input((None, 10)), layers.Conv1D(3, 3), layers.AveragePooling1D(2)]).output_shape)

# A net that halves and doubles an image of any size.
skips = []
x = image
for filters in (4, 8, 8):
    x = layers.Conv2D(filters, 3, padding="same")(x)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
for filters in (8, 8, 4):
    x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same")(x)
    x = layers.Concatenate()([x, skips.pop()])
net = keras.Model(image, x)
print(net.output_shape, net(tf.ones((1, 16, 24, 3))).shape, net.count_params())


class Halves(layers.Layer):
    def call(self, inputs):
        return ops.split(inputs, 2, axis=1)

    def compute_mask(self, inputs, mask=None):
        return None if mask is None else ops.split(mask, 2, axis=1)


class MaskedSoftmax(layers.Layer):
    def __init__(self):
        super().__init__()
        self.supports_masking = True

    def call(self, inputs, mask=None):
        assert mask is not None
        kept = ops.exp(inputs) * ops.expand_dims(ops.cast(mask, "float32"), -1)
        return kept / ops.sum(kept, axis=1, keepdims=True)


print([layer.supports_masking for layer in (Halves(), MaskedSoftmax(), layers.Dense(2), layers.Flatten())])
words = np.array([[1, 2, 0, 0], [3, 0, 0, 0], [1, 2, 3, 4]])
for half in Halves()(layers.Embedding(5, 3, mask_zero=True)(words)):
    print(half.shape, half._keras_mask.numpy().tolist())
inputs = keras.Input((None,), dtype="int32")
embedding = layers.Embedding(5, 3, mask_zero=True)
print(embedding.compute_mask(inputs).shape, embedding.compute_mask(inputs).dtype)
x = layers.Dense(1)(embedding(inputs))
print(x._keras_mask.shape, x._keras_mask.dtype)
model = keras.Model(inputs, MaskedSoftmax()(x))
print((model(words).numpy() != 0)[..., 0].tolist())
print(keras.Model(inputs, ops.sum(ops.cast(x._keras_mask, "int32"), axis=1))(words).numpy())
first, second = Halves()(x)
model = keras.Model(inputs, [first._keras_mask, second])
found = model(words)
print(found[0].numpy().tolist(), found[1]._keras_mask.numpy().tolist())
for symbol in (x + 1.0, layers.Conv1D(2, 2)(x), layers.GRU(2)(x), layers.GRU(2, return_sequences=True)(x),
               layers.Concatenate()([x, x])):
    mask = getattr(symbol, "_keras_mask", None)
    print(symbol.shape, None if mask is None else mask.shape)
masking = layers.Masking()
steps = keras.Input((4, 3))
print(masking.built, masking.compute_mask(steps).shape, masking(steps)._keras_mask.shape)
model = keras.Model(steps, MaskedSoftmax()(layers.LSTM(4, return_sequences=True)(masking(steps))))
model.compile("sgd", "mse")
history = model.fit(np.ones((2, 4, 3)), np.ones((2, 4, 4)), verbose=0)
print(model.output_shape, sorted(history.history))
print([layer.supports_masking for layer in (layers.Rescaling(2.0), layers.Normalization(), layers.RMSNormalization(),
                                            layers.LayerNormalization(), layers.Flatten(), layers.Dropout(0.5))])
