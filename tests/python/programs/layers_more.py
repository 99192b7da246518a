import tensorflow as tf
import numpy as np
tf.keras.utils.set_random_seed(4)
L = tf.keras.layers
x = np.arange(48, dtype="float32").reshape(1, 4, 4, 3) / 48
print(L.RandomFlip("horizontal", seed=1)(x, training=False).shape, L.CenterCrop(2, 2)(x).numpy()[0, 0, 0], L.Resizing(2, 2)(x).numpy()[0, 0, 0].round(4))
print(L.Rescaling(2.0, offset=1.0)(x).numpy()[0, 0, 0], L.Normalization(mean=[0., 0., 0.], variance=[4., 4., 4.])(x).numpy()[0, 0, 1])
print(L.GroupNormalization(groups=3)(x).shape, L.UnitNormalization()(np.array([[3., 4.]])).numpy(), L.LayerNormalization(axis=-1, epsilon=1e-5)(x).numpy()[0, 0, 0].round(3))
print(L.SimpleRNN(2)(np.ones((1, 3, 2), "float32")).shape, L.GRU(2, return_sequences=True)(np.ones((1, 3, 2), "float32")).shape, [t.shape for t in L.LSTM(2, return_state=True)(np.ones((1, 3, 2), "float32"))])
print(L.Bidirectional(L.LSTM(2))(np.ones((1, 3, 2), "float32")).shape, L.TimeDistributed(L.Dense(2))(np.ones((1, 3, 4), "float32")).shape)
print(L.Maximum()([np.array([1., 5.]), np.array([3., 2.])]).numpy(), L.Subtract()([np.array([1.]), np.array([3.])]).numpy(), L.Multiply()([np.array([2.]), np.array([3.])]).numpy(), L.Average()([np.array([2.]), np.array([4.])]).numpy(), L.Minimum()([np.array([2.]), np.array([4.])]).numpy())
print(L.Lambda(lambda t: t * 2)(np.array([1.])).numpy(), L.Activation("tanh")(np.array([0.5])).numpy().round(4), L.ReLU(max_value=1.0)(np.array([3.])).numpy(), L.Masking(0.0)(np.zeros((1, 2, 2))).shape, L.ActivityRegularization(l1=0.1)(np.array([1.])).numpy())
print([float(tf.reduce_sum(k(np.ones((1, 4, 3), "float32")))) for k in (L.Conv1DTranspose(2, 3, strides=2, kernel_initializer="ones"), L.DepthwiseConv1D(3, depthwise_initializer="ones"), L.SeparableConv1D(2, 3, depthwise_initializer="ones", pointwise_initializer="ones", padding="same"))], L.Conv1DTranspose(2, 3, strides=2)(np.ones((1, 4, 3), "float32")).shape, L.SeparableConv1D(2, 3)(np.ones((1, 5, 3), "float32")).shape, L.DepthwiseConv1D(3)(np.ones((1, 5, 3), "float32")).shape)
print(L.EinsumDense("abc,cd->abd", output_shape=(None, 2), bias_axes="d")(np.ones((1, 3, 4), "float32")).shape, L.Embedding(5, 2)(np.array([[1, 2]])).shape, L.AdditiveAttention()([np.ones((1, 2, 3), "float32"), np.ones((1, 2, 3), "float32")]).shape)
print(tf.keras.activations.gelu(tf.constant([1.0])).numpy().round(4), tf.keras.activations.get("swish")(tf.constant([1.0])).numpy().round(4), tf.keras.activations.serialize(tf.keras.activations.relu), tf.keras.activations.mish(tf.constant([1.])).numpy().round(4), tf.keras.activations.hard_sigmoid(tf.constant([1.])).numpy().round(4))
m = tf.keras.Sequential([tf.keras.Input((4, 4, 3)), L.RandomFlip(seed=1), L.Conv2D(2, 3, padding="same"), L.GlobalAveragePooling2D(), L.Dense(1)]); print(m(x).shape, m.count_params(), [l.name for l in m.layers])
