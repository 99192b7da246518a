import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
import numpy as np
keras.utils.set_random_seed(11)
def get_model():
    inputs = keras.Input(shape=(20,), name="digits")
    x1 = layers.Dense(16, activation="relu")(inputs)
    x2 = layers.Dense(16, activation="relu")(x1)
    outputs = layers.Dense(3, name="predictions")(x2)
    return keras.Model(inputs=inputs, outputs=outputs)
rng = np.random.RandomState(0)
x_train = rng.rand(200, 20).astype("float32")
y_train = (x_train[:, 0] * 3).astype("int64")
x_val, y_val = x_train[-40:], y_train[-40:]
train_dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(32)
val_dataset = tf.data.Dataset.from_tensor_slices((x_val, y_val)).batch(32)
model = get_model()
optimizer = keras.optimizers.Adam(learning_rate=1e-2)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
train_acc_metric = keras.metrics.SparseCategoricalAccuracy()
val_acc_metric = keras.metrics.SparseCategoricalAccuracy()
@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss_value = loss_fn(y, logits)
        loss_value += sum(model.losses)
    grads = tape.gradient(loss_value, model.trainable_weights)
    optimizer.apply(grads, model.trainable_weights)
    train_acc_metric.update_state(y, logits)
    return loss_value
@tf.function
def test_step(x, y):
    val_logits = model(x, training=False)
    val_acc_metric.update_state(y, val_logits)
for epoch in range(3):
    print(f"\nStart of epoch {epoch}")
    for step, (x_batch, y_batch) in enumerate(train_dataset):
        loss_value = train_step(x_batch, y_batch)
        if step % 3 == 0:
            print(f"Training loss (for 1 batch) at step {step}: {float(loss_value):.3f}")
            print(f"Seen so far: {(step + 1) * 32} samples")
    train_acc = train_acc_metric.result()
    print(f"Training acc over epoch: {float(train_acc):.3f}")
    train_acc_metric.reset_state()
    for x_batch, y_batch in val_dataset:
        test_step(x_batch, y_batch)
    print(f"Validation acc: {float(val_acc_metric.result()):.3f}")
    val_acc_metric.reset_state()
class ActivityRegularizationLayer(layers.Layer):
    def call(self, inputs):
        self.add_loss(1e-2 * tf.reduce_sum(inputs))
        return inputs
inputs = keras.Input(shape=(20,))
x = layers.Dense(4, activation="relu")(inputs)
x = ActivityRegularizationLayer()(x)
outputs = layers.Dense(2)(x)
reg = keras.Model(inputs, outputs)
print(len(reg.losses))
_ = reg(x_train[:4])
print(len(reg.losses))
_ = reg(x_train[:4])
_ = reg(x_train[4:8])
print(len(reg.losses), reg.losses[0].shape)
seed_gen = keras.random.SeedGenerator(1337)
class GAN(keras.Model):
    def __init__(self, discriminator, generator, latent_dim):
        super().__init__()
        self.discriminator = discriminator
        self.generator = generator
        self.latent_dim = latent_dim
        self.d_loss_tracker = keras.metrics.Mean(name="d_loss")
        self.g_loss_tracker = keras.metrics.Mean(name="g_loss")
        self.seed_generator = keras.random.SeedGenerator(1337)
        self.built = True

    @property
    def metrics(self):
        return [self.d_loss_tracker, self.g_loss_tracker]

    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super().compile()
        self.d_optimizer = d_optimizer
        self.g_optimizer = g_optimizer
        self.loss_fn = loss_fn

    def train_step(self, real):
        if isinstance(real, tuple):
            real = real[0]
        batch_size = tf.shape(real)[0]
        noise = keras.random.normal(shape=(batch_size, self.latent_dim), seed=self.seed_generator)
        fake = self.generator(noise)
        combined = tf.concat([fake, real], axis=0)
        labels = tf.concat([tf.ones((batch_size, 1)), tf.zeros((batch_size, 1))], axis=0)
        labels += 0.05 * tf.zeros(tf.shape(labels))
        with tf.GradientTape() as tape:
            predictions = self.discriminator(combined)
            d_loss = self.loss_fn(labels, predictions)
        grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply_gradients(zip(grads, self.discriminator.trainable_weights))
        noise = keras.random.normal(shape=(batch_size, self.latent_dim), seed=self.seed_generator)
        misleading = tf.zeros((batch_size, 1))
        with tf.GradientTape() as tape:
            predictions = self.discriminator(self.generator(noise))
            g_loss = self.loss_fn(misleading, predictions)
        grads = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights))
        self.d_loss_tracker.update_state(d_loss)
        self.g_loss_tracker.update_state(g_loss)
        return {"d_loss": self.d_loss_tracker.result(), "g_loss": self.g_loss_tracker.result()}
d = keras.Sequential([keras.Input((20,)), layers.Dense(8), layers.LeakyReLU(negative_slope=0.2), layers.Dense(1)], name="discriminator")
g = keras.Sequential([keras.Input((4,)), layers.Dense(20, activation="sigmoid")], name="generator")
gan = GAN(discriminator=d, generator=g, latent_dim=4)
gan.compile(d_optimizer=keras.optimizers.Adam(learning_rate=0.0003), g_optimizer=keras.optimizers.Adam(learning_rate=0.0003),
            loss_fn=keras.losses.BinaryCrossentropy(from_logits=True))
h = gan.fit(tf.data.Dataset.from_tensor_slices(x_train).batch(50), epochs=2, verbose=0)
print({k: [round(float(one), 3) for one in v] for k, v in h.history.items()})
print(gan.discriminator.name, len(gan.trainable_weights))
