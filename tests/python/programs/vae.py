import numpy as np
import tensorflow as tf

class Sampling(tf.keras.layers.Layer):
    def call(self, inputs):
        z_mean, z_log_var = inputs
        batch = tf.shape(z_mean)[0]
        dim = tf.shape(z_mean)[1]
        epsilon = tf.ones(shape=(batch, dim)) * 0.5
        return z_mean + tf.exp(0.5 * z_log_var) * epsilon

class VAE(tf.keras.Model):
    def __init__(self, encoder, decoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder = encoder
        self.decoder = decoder
        self.total_loss_tracker = tf.keras.metrics.Mean(name="total_loss")
        self.reconstruction_loss_tracker = tf.keras.metrics.Mean(name="reconstruction_loss")
        self.kl_loss_tracker = tf.keras.metrics.Mean(name="kl_loss")

    @property
    def metrics(self):
        return [self.total_loss_tracker, self.reconstruction_loss_tracker, self.kl_loss_tracker]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            z_mean, z_log_var, z = self.encoder(data)
            reconstruction = self.decoder(z)
            reconstruction_loss = tf.reduce_mean(tf.reduce_sum(tf.keras.losses.binary_crossentropy(data, reconstruction), axis=(1,)))
            kl_loss = -0.5 * (1 + z_log_var - tf.square(z_mean) - tf.exp(z_log_var))
            kl_loss = tf.reduce_mean(tf.reduce_sum(kl_loss, axis=1))
            total_loss = reconstruction_loss + kl_loss
        grads = tape.gradient(total_loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.total_loss_tracker.update_state(total_loss)
        self.reconstruction_loss_tracker.update_state(reconstruction_loss)
        self.kl_loss_tracker.update_state(kl_loss)
        return {"loss": self.total_loss_tracker.result(), "reconstruction_loss": self.reconstruction_loss_tracker.result(), "kl_loss": self.kl_loss_tracker.result()}

init = tf.keras.initializers.Constant(0.1)
encoder_inputs = tf.keras.Input(shape=(4, 4))
x = tf.keras.layers.Flatten()(encoder_inputs)
x = tf.keras.layers.Dense(8, activation="relu", kernel_initializer=init)(x)
z_mean = tf.keras.layers.Dense(2, name="z_mean", kernel_initializer=init)(x)
z_log_var = tf.keras.layers.Dense(2, name="z_log_var", kernel_initializer=init)(x)
z = Sampling()([z_mean, z_log_var])
encoder = tf.keras.Model(encoder_inputs, [z_mean, z_log_var, z], name="encoder")
encoder.summary()
latent = tf.keras.Input(shape=(2,))
y = tf.keras.layers.Dense(8, activation="relu", kernel_initializer=init)(latent)
y = tf.keras.layers.Dense(16, activation="sigmoid", kernel_initializer=init)(y)
decoder = tf.keras.Model(latent, tf.keras.layers.Reshape((4, 4))(y), name="decoder")
vae = VAE(encoder, decoder)
vae.compile(optimizer=tf.keras.optimizers.Adam(0.01))
data = (np.arange(32 * 16).reshape(32, 4, 4) % 7 / 7).astype("float32")
history = vae.fit(data, epochs=3, batch_size=16, verbose=0, shuffle=False)
for k, v in history.history.items(): print(k, [round(float(a), 3) for a in v])
mean, log_var, sample = vae.encoder.predict(data[:2], verbose=0)
print(mean.shape, log_var.shape, sample.shape, np.round(mean[0], 3))
print(vae.decoder(sample).numpy().round(3)[0, 0])
print([m.name for m in vae.metrics], vae.encoder.output_names if hasattr(vae.encoder, "output_names") else "")
