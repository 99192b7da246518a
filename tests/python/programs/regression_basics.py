import numpy as np
import tensorflow as tf
TRUE_W, TRUE_B, N = 3.0, 2.0, 50
x = tf.linspace(-2, 2, N); x = tf.cast(x, tf.float32); noise = tf.random.stateless_normal([N], [1, 2]); y = x * TRUE_W + TRUE_B + noise
class MyModel(tf.Module):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = tf.Variable(5.0, name="w"); self.b = tf.Variable(0.0, name="b")
    def __call__(self, x): return self.w * x + self.b
model = MyModel(); print("Variables:", [v.name for v in model.variables], model(3.0).numpy())
def loss(target_y, predicted_y): return tf.reduce_mean(tf.square(target_y - predicted_y))
print("Current loss: %1.4f" % loss(y, model(x)).numpy())
def train(model, x, y, learning_rate):
    with tf.GradientTape() as t: current_loss = loss(y, model(x))
    dw, db = t.gradient(current_loss, [model.w, model.b])
    model.w.assign_sub(learning_rate * dw); model.b.assign_sub(learning_rate * db)
def report(model, loss): return f"W = {model.w.numpy():1.2f}, b = {model.b.numpy():1.2f}, loss={loss:2.3f}"
for epoch in range(5):
    train(model, x, y, learning_rate=0.1); print(f"Epoch {epoch:2d}:", report(model, loss(y, model(x))))
class Keras(tf.keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = tf.Variable(5.0); self.b = tf.Variable(0.0)
    def call(self, x): return self.w * x + self.b
k = Keras(); k.compile(run_eagerly=False, optimizer=tf.keras.optimizers.SGD(0.1), loss=tf.keras.losses.MeanSquaredError())
print(k(tf.constant(2.0)).numpy())
checkpoint = tf.train.Checkpoint(model=model); path = checkpoint.save("./ckpt"); model.w.assign(0.0); checkpoint.restore(path).assert_consumed(); print(model.w.numpy() != 0.0)
A = tf.stack([x, tf.ones_like(x)], 1); print(tf.linalg.lstsq(A, y[:, None]).numpy().ravel().round(2))
poly = tf.stack([x ** i for i in range(4)], axis=1); print(poly.shape, tf.abs(tf.reduce_mean(poly, 0)).numpy().round(3))
feature = tf.keras.layers.Normalization(axis=None); feature.adapt(x.numpy()); print(feature(x[:2]).numpy().round(4))
r2 = 1 - tf.reduce_sum((y - model(x)) ** 2) / tf.reduce_sum((y - tf.reduce_mean(y)) ** 2); print(round(float(r2), 2))
