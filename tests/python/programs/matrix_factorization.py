import numpy as np
import tensorflow as tf
ratings = np.array([[5, 3, 0, 1], [4, 0, 0, 1], [1, 1, 0, 5], [1, 0, 0, 4], [0, 1, 5, 4]], "float32")
rows, cols = np.nonzero(ratings); rows, cols = rows[:12], cols[:12]; values = ratings[rows, cols]
class Factors(tf.keras.Model):
    def __init__(self, users, items, k):
        super().__init__()
        init = tf.keras.initializers.Constant(np.linspace(0.1, 1.0, k))
        self.u = tf.keras.layers.Embedding(users, k, embeddings_initializer=init, embeddings_regularizer=tf.keras.regularizers.L2(0.01))
        self.v = tf.keras.layers.Embedding(items, k, embeddings_initializer=init)
        self.bias = tf.keras.layers.Embedding(items, 1, embeddings_initializer="zeros")
    def call(self, inputs):
        user, item = inputs[:, 0], inputs[:, 1]
        return tf.reduce_sum(self.u(user) * self.v(item), axis=1) + self.bias(item)[:, 0]
pairs = np.stack([rows, cols], 1).astype("int32")
model = Factors(5, 4, 3); model.compile(tf.keras.optimizers.Adam(0.05), "mse", metrics=[tf.keras.metrics.RootMeanSquaredError(name="rmse")])
h = model.fit(pairs, values, epochs=3, batch_size=4, shuffle=False, verbose=0); print({k: [round(float(x), 3) for x in v] for k, v in h.history.items()})
print(model.predict(pairs[:3], verbose=0).round(2), [w.shape for w in model.weights])
scores = tf.matmul(model.u.embeddings, model.v.embeddings, transpose_b=True) + tf.transpose(model.bias.embeddings); print(scores.shape, tf.math.top_k(scores, 2).indices.numpy()[:, 0].shape)
user, item = tf.Variable(tf.ones((5, 2))), tf.Variable(tf.ones((4, 2)) * 0.5); opt = tf.keras.optimizers.SGD(0.02)
@tf.function
def step(batch, target):
    with tf.GradientTape() as tape:
        error = tf.reduce_sum(tf.nn.embedding_lookup(user, batch[:, 0]) * tf.gather(item, batch[:, 1]), 1) - target
        loss = tf.reduce_mean(error ** 2) + 0.01 * (tf.nn.l2_loss(user) + tf.nn.l2_loss(item))
    grads = tape.gradient(loss, [user, item]); opt.apply_gradients(zip(grads, [user, item])); return loss
for i in range(3): print(round(float(step(pairs, values)), 3))
with tf.GradientTape() as tape: picked = tf.reduce_sum(tf.gather(user, [0, 0, 3]))
g = tape.gradient(picked, user); print(type(g).__name__, g.indices.numpy(), g.values.shape, g.dense_shape.numpy() if g.dense_shape is not None else None)
sp = tf.SparseTensor(np.stack([rows, cols], 1).astype("int64"), values, ratings.shape); print(tf.sparse.to_dense(sp).numpy()[0], tf.sparse.reduce_sum(sp, 1).numpy(), tf.sparse.sparse_dense_matmul(sp, tf.ones((4, 1))).numpy().ravel())
