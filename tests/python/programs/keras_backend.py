import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
tf.keras.utils.set_random_seed(0)

def r2_score(y_true, y_pred):
    ss_res = K.sum(K.square(y_true - y_pred))
    ss_tot = K.sum(K.square(y_true - K.mean(y_true)))
    return 1 - ss_res / (ss_tot + K.epsilon())

def rmse(y_true, y_pred):
    return K.sqrt(K.mean(K.square(y_pred - y_true), axis=-1))

def f1(y_true, y_pred):
    tp = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    possible = K.sum(K.round(K.clip(y_true, 0, 1)))
    predicted = K.sum(K.round(K.clip(y_pred, 0, 1)))
    precision = tp / (predicted + K.epsilon()); recall = tp / (possible + K.epsilon())
    return 2 * precision * recall / (precision + recall + K.epsilon())

def dice_loss(y_true, y_pred, smooth=1.0):
    y_true_f = K.flatten(y_true); y_pred_f = K.flatten(y_pred)
    intersection = K.sum(y_true_f * y_pred_f)
    return 1 - (2.0 * intersection + smooth) / (K.sum(y_true_f) + K.sum(y_pred_f) + smooth)

def focal(gamma=2.0, alpha=0.25):
    def loss(y_true, y_pred):
        eps = K.epsilon()
        y_pred = K.clip(y_pred, eps, 1.0 - eps)
        pt = tf.where(K.equal(y_true, 1), y_pred, 1 - y_pred)
        return -K.mean(alpha * K.pow(1.0 - pt, gamma) * K.log(pt))
    return loss

y_true = tf.constant([[1.0, 0.0], [0.0, 1.0]]); y_pred = tf.constant([[0.8, 0.3], [0.4, 0.6]])
print([round(float(f(y_true, y_pred)), 5) for f in (r2_score, f1, dice_loss, focal())], rmse(y_true, y_pred).numpy().round(4))
x = K.variable(np.arange(6).reshape(2, 3)); print(K.get_value(x), K.int_shape(x), K.ndim(x), K.dtype(x), K.eval(x * 2).sum())
print(K.max(x).numpy(), K.min(x, axis=0).numpy(), K.std(x).numpy().round(4), K.var(x, axis=1).numpy().round(4), K.prod(x + 1, axis=1).numpy(), K.argmax(x).numpy(), K.any(x > 4).numpy(), K.all(x > -1, axis=0).numpy())
print(K.dot(x, K.transpose(x)).numpy(), K.batch_flatten(K.ones((2, 3, 4))).shape, K.expand_dims(x).shape, K.squeeze(K.ones((1, 2)), 0).shape, K.permute_dimensions(K.zeros((2, 3, 4)), (2, 0, 1)).shape, K.repeat(x, 2).shape, K.repeat_elements(x, 2, 1).numpy()[0], K.tile(x, [1, 2]).shape)
print(K.concatenate([x, x], axis=0).shape, K.stack([x, x]).shape, K.one_hot([0, 2], 3).numpy(), K.cast(x, "int32").dtype, K.cast_to_floatx(np.array([1, 2])).dtype, K.reverse(x, 1).numpy()[0], K.cumsum(x, 1).numpy()[1], K.arange(3).numpy(), K.eye(2).numpy())
K.set_value(x, np.ones((2, 3))); K.update_add(x, K.ones((2, 3))); print(x.numpy()[0], K.zeros_like(x).shape, K.constant([1, 2]).dtype, K.count_params(x), K.floatx(), K.image_data_format())
print(K.relu(K.constant([-1.0, 2.0]), alpha=0.1).numpy(), K.softmax(K.constant([[1.0, 1.0]])).numpy(), K.hard_sigmoid(K.constant([-3.0, 0.0, 3.0])).numpy(), K.l2_normalize(K.constant([3.0, 4.0])).numpy(), K.sigmoid(0.0 * K.constant([1.0])).numpy(), K.elu(K.constant([-1.0])).numpy().round(4), K.sign(K.constant([-2.0])).numpy())
print(K.binary_crossentropy(y_true, y_pred).numpy().round(4), K.categorical_crossentropy(y_true, y_pred).numpy().round(4), K.sparse_categorical_crossentropy(tf.constant([0, 1]), y_pred).numpy().round(4))
print(K.switch(K.constant([1.0, 0.0]) > 0.5, K.constant([1.0, 2.0]), K.constant([3.0, 4.0])).numpy(), K.maximum(1.0, K.constant([0.5, 2.0])).numpy(), K.map_fn(lambda t: t + 1, K.constant([1.0, 2.0])).numpy(), K.random_uniform((2,)).shape, K.spatial_2d_padding(K.ones((1, 2, 2, 1))).shape)
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(2, activation="sigmoid", kernel_initializer="ones"), tf.keras.layers.Lambda(lambda t: K.clip(t, 0.1, 0.9))])
model.compile(loss=dice_loss, optimizer=tf.keras.optimizers.SGD(0.5), metrics=[rmse, f1])
h = model.fit(y_true, y_true, epochs=2, verbose=0, shuffle=False); print({k: [round(float(a), 4) for a in v] for k, v in h.history.items()})
print(K.get_value(model.optimizer.learning_rate)); K.clear_session()
