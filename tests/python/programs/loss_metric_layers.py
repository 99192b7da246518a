import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(3)


class Sparsity(tf.keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.mean = tf.keras.metrics.Mean(name="mean_activation")

    def call(self, x):
        self.add_loss(0.01 * tf.reduce_sum(tf.abs(x)))
        self.mean.update_state(x)
        return x


inputs = tf.keras.Input((4,))
h = tf.keras.layers.Dense(3, activation="relu", kernel_regularizer=tf.keras.regularizers.L2(0.1), name="h")(inputs)
h = Sparsity(name="s")(h)
out = tf.keras.layers.Dense(1, activity_regularizer="l1", name="o")(h)
model = tf.keras.Model(inputs, out)
model.compile("sgd", "mse", metrics=["mae"])
x = np.random.RandomState(0).rand(8, 4).astype("float32")
y = np.ones((8, 1), "float32")
history = model.fit(x, y, epochs=2, batch_size=4, verbose=0, shuffle=False)
for key in sorted(history.history):
    print(key, np.round(history.history[key], 4).tolist())
model(x)
print([round(float(v), 4) for v in model.losses])
try:
    Sparsity().add_metric(1.0, name="m")
except NotImplementedError as e:
    print("NotImplementedError")


class VAE(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.enc = tf.keras.layers.Dense(4)
        self.dec = tf.keras.layers.Dense(4)
        self.total = tf.keras.metrics.Mean("total")
        self.kl = tf.keras.metrics.Mean("kl")

    @property
    def metrics(self):
        return [self.total, self.kl]

    def call(self, x):
        mean, log_var = tf.split(self.enc(x), 2, axis=1)
        return self.dec(tf.concat([mean, log_var], 1))

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var = tf.split(self.enc(data), 2, axis=1)
            back = self.dec(tf.concat([mean, tf.exp(0.5 * log_var)], 1))
            kl = -0.5 * tf.reduce_mean(1 + log_var - tf.square(mean) - tf.exp(log_var))
            loss = tf.reduce_mean(tf.square(data - back)) + kl
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_weights), self.trainable_weights))
        self.total.update_state(loss)
        self.kl.update_state(kl)
        return {m.name: m.result() for m in self.metrics}


vae = VAE()
vae.compile(tf.keras.optimizers.Adam(0.01))
h = vae.fit(x, epochs=2, batch_size=4, verbose=0, shuffle=False)
print({k: np.round(v, 4).tolist() for k, v in h.history.items()})


class GAN(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.g, self.d = tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)

    def compile(self, g_opt, d_opt):
        super().compile()
        self.g_opt, self.d_opt = g_opt, d_opt

    def train_step(self, real):
        z = tf.ones((tf.shape(real)[0], 2))
        bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        with tf.GradientTape() as t:
            fake, true = self.d(self.g(z)), self.d(real)
            d_loss = bce(tf.ones_like(true), true) + bce(tf.zeros_like(fake), fake)
        self.d_opt.apply_gradients(zip(t.gradient(d_loss, self.d.trainable_weights), self.d.trainable_weights))
        with tf.GradientTape() as t:
            fake = self.d(self.g(z))
            g_loss = bce(tf.ones_like(fake), fake)
        self.g_opt.apply_gradients(zip(t.gradient(g_loss, self.g.trainable_weights), self.g.trainable_weights))
        return {"d_loss": d_loss, "g_loss": g_loss}


gan = GAN()
gan.compile(tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.SGD(0.1))
h = gan.fit(tf.data.Dataset.from_tensor_slices(x).batch(4), epochs=2, verbose=0)
print({k: np.round(v, 4).tolist() for k, v in sorted(h.history.items())})
for bad in (lambda: model.fit(x, y[:3], verbose=0), lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]).fit(x, y),
            lambda: model(np.ones((2, 5), "float32")), lambda: model.compile("none", "mse")):
    try:
        bad()
        print("none")
    except (ValueError, RuntimeError, tf.errors.InvalidArgumentError) as e:
        print("refused")
