# First weights after set_random_seed, of layers whose kernels have several axes or initializers of their own, and what the
# making of a layer leaves for the next one.
import numpy as np
import tensorflow as tf

K, L = tf.keras, tf.keras.layers
steps, images = np.ones((2, 4, 3), "float32"), np.ones((1, 5, 5, 3), "float32")


def told(layer):
    return [round(float(np.sum(one.numpy() * np.arange(1, one.numpy().size + 1).reshape(one.shape))), 3) for one in layer.weights]


for name, make, inputs in (
        ("heads", lambda: L.MultiHeadAttention(2, 4), (steps, steps)),
        ("heads, dropout", lambda: L.MultiHeadAttention(2, 4, dropout=.1, use_bias=False, value_dim=3, output_shape=5), (steps, steps)),
        ("heads, he", lambda: L.MultiHeadAttention(2, 4, kernel_initializer="he_uniform", seed=1, dropout=.2), (steps, steps)),
        ("heads, seed", lambda: L.MultiHeadAttention(2, 4, kernel_initializer=K.initializers.GlorotUniform(3)), (steps, steps)),
        ("attention", lambda: L.Attention(use_scale=True, dropout=.1), ([steps, steps],)),
        ("einsum", lambda: L.EinsumDense("abc,cd->abd", output_shape=(None, 3)), (steps,)),
        ("einsum, heads", lambda: L.EinsumDense("abc,cde->abde", output_shape=(None, 2, 4), bias_axes="e"), (steps,)),
        ("einsum, apart", lambda: L.EinsumDense("abc,bcd->abd", output_shape=(4, 2), kernel_initializer="he_uniform"), (steps,)),
        ("separable", lambda: L.SeparableConv2D(2, 2), (images,)),
        ("separable, he", lambda: L.SeparableConv2D(2, 2, depthwise_initializer="he_uniform"), (images,)),
        ("depthwise", lambda: L.DepthwiseConv2D(2), (images,)),
        ("crop", lambda: L.RandomCrop(2, 2), (images,)),
        ("both ways", lambda: L.Bidirectional(L.GRU(2, recurrent_initializer="glorot_uniform", dropout=.1)), (steps,)),
        ("cells", lambda: L.RNN([L.GRUCell(2, recurrent_initializer="glorot_uniform"), L.SimpleRNNCell(
            2, recurrent_initializer="glorot_uniform")]), (steps,))):
    K.utils.set_random_seed(7)
    layer = make()
    layer(*inputs)
    after = L.Dense(2)
    after(np.ones((1, 6), "float32"))
    print(name, told(layer), told(after))

K.utils.set_random_seed(7)
inputs = K.Input((4, 3))
model = K.Model(inputs, L.Dense(1)(L.MultiHeadAttention(1, 2)(inputs, inputs)))
model.compile("sgd", "mse")
print([round(one, 4) for one in model.fit(steps, np.ones((2, 4, 1)), epochs=2, verbose=0).history["loss"]])

# What a call says about training goes before what a layer was given when the model was made.
inputs = K.Input((2,))
model = K.Model(inputs, L.Dropout(0.5)(inputs, training=True))
ones = np.ones((50, 2), "float32")
print([bool(np.all(np.asarray(one) == 1)) for one in (model(ones), model(ones, training=False), model.predict(ones, verbose=0))])
