import numpy as np
import tensorflow as tf
keras = tf.keras
L = keras.layers


def shown(tensor):
    return np.round(np.asarray(tensor), 3).tolist()


x = tf.constant([1.0, 2.0, 3.0, -1.0])
print(shown(L.ReLU(threshold=2.0)(x)), shown(keras.activations.relu(x, threshold=2.0)))
print(shown(L.ReLU(max_value=2.5, negative_slope=0.5, threshold=1.0)(x)),
      shown(keras.activations.relu(x, negative_slope=0.5, max_value=2.5, threshold=1.0)))

m = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
for axis in (None, 0, -1, (0, 1), (1, 0)):
    print(axis, shown(keras.ops.log_softmax(m, axis=axis)), shown(keras.ops.softmax(m, axis=axis)))
print(shown(keras.activations.softmax(np.arange(8.0).reshape(2, 2, 2), axis=(0, 2))))
print(shown(L.Softmax()(np.array([[1.0, 2.0, 1.0]], "float32"), mask=np.array([[True, False, True]]))),
      shown(L.Softmax(axis=(-2, -1))(m, mask=np.array([[1, 1], [0, 1]]))),
      shown(L.Softmax()(m, mask=np.array([[False, False], [True, True]]))))
try:
    L.Softmax()(m, mask=np.ones((3,), bool))
except ValueError:
    print("ValueError")

q = tf.reshape(tf.range(80.0) / 80.0, (2, 5, 8))
for options, query in (({"output_shape": (3, 4)}, q), ({"output_shape": 3}, q), ({"attention_axes": (2,)}, q[:, None]),
                       ({"attention_axes": (1, 2), "value_dim": 3}, q[:, :, None]), ({}, q[:, None])):
    layer = L.MultiHeadAttention(num_heads=2, key_dim=2, kernel_initializer=keras.initializers.Constant(0.1), **options)
    made = layer(query, query)
    print(options, made.shape, shown(tf.reduce_sum(made)), [tuple(one.shape) for one in layer.weights])
layer = L.MultiHeadAttention(num_heads=1, key_dim=2, kernel_initializer=keras.initializers.Constant(0.2))
print([shown(tf.reduce_sum(layer(q, q, use_causal_mask=causal)[:, 0])) for causal in (True, False, True, False)])
traced = tf.function(lambda x, causal: layer(x, x, use_causal_mask=causal))
print([shown(tf.reduce_sum(traced(q, causal)[:, 0])) for causal in (True, False, True)])

print(L.EinsumDense("ab...,bc->ac...", output_shape=(4, None))(np.ones((2, 3, 5), "float32")).shape)
dense = L.EinsumDense("ab...,bc->ac...", output_shape=(4, None), bias_axes="c")
print(dense(np.ones((2, 3, 5), "float32")).shape, [tuple(one.shape) for one in dense.weights])

batches = [np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]])]
for data in (batches, (one for one in batches), np.concatenate(batches), tf.data.Dataset.from_tensor_slices(batches)):
    layer = L.Normalization()
    layer.adapt(data)
    print(layer.mean.shape, shown(layer.mean), shown(layer.variance))
for data in ([], 3, [1.0, 2.0]):
    try:
        L.Normalization().adapt(data)
    except (ValueError, TypeError) as error:
        print(type(error).__name__)

images = tf.reshape(tf.range(48.0), (4, 4, 3))
print(L.CenterCrop(2, 2)([images, images]).shape, shown(L.CenterCrop(3, 2)(images)[..., 0]),
      shown(L.CenterCrop(8, 4)(images)[..., 0]), L.CenterCrop(6, 6)(tf.ones([2, 4, 5, 3])).shape)
augment = keras.Sequential([L.RandomFlip("horizontal"), L.RandomRotation(0.2)])
augment(tf.ones([1, 9, 12, 3]), training=True)
print(augment(tf.ones([2, 18, 18, 3]), training=True).shape)

layer = L.Dense(2, activity_regularizer="l2", kernel_initializer="ones")
layer(np.zeros((0, 3), "float32"))
print(shown(layer.losses[0]))
