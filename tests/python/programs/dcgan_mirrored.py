import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(7)
BATCH = 8
NOISE = 4

def make_generator_model():
    model = tf.keras.Sequential()
    model.add(layers.Dense(2 * 2 * 4, use_bias=False, input_shape=(NOISE,), kernel_initializer="ones"))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Reshape((2, 2, 4)))
    assert model.output_shape == (None, 2, 2, 4)
    model.add(layers.Conv2DTranspose(1, (3, 3), strides=(2, 2), padding="same", use_bias=False, activation="tanh", kernel_initializer="ones"))
    assert model.output_shape == (None, 4, 4, 1)
    return model

def make_discriminator_model():
    model = tf.keras.Sequential()
    model.add(layers.Conv2D(2, (3, 3), strides=(2, 2), padding="same", input_shape=[4, 4, 1], kernel_initializer="ones"))
    model.add(layers.LeakyReLU())
    model.add(layers.Flatten())
    model.add(layers.Dense(1, kernel_initializer="ones"))
    return model

strategy = tf.distribute.MirroredStrategy(["CPU:0"])
print("Number of devices: {}".format(strategy.num_replicas_in_sync))
with strategy.scope():
    generator = make_generator_model()
    discriminator = make_discriminator_model()
    cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction=tf.keras.losses.Reduction.NONE)
    generator_optimizer = tf.keras.optimizers.Adam(1e-2)
    discriminator_optimizer = tf.keras.optimizers.Adam(1e-2)

def discriminator_loss(real_output, fake_output):
    real_loss = cross_entropy(tf.ones_like(real_output), real_output)
    fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
    return tf.nn.compute_average_loss(real_loss + fake_loss, global_batch_size=BATCH)

def generator_loss(fake_output):
    return tf.nn.compute_average_loss(cross_entropy(tf.ones_like(fake_output), fake_output), global_batch_size=BATCH)

images = np.linspace(-1, 1, 16 * 16).astype("float32").reshape(16, 4, 4, 1)
dataset = tf.data.Dataset.from_tensor_slices(images).batch(BATCH)
dist_dataset = strategy.experimental_distribute_dataset(dataset)
noise_source = np.linspace(-1, 1, BATCH * NOISE).astype("float32").reshape(BATCH, NOISE)

def train_step(images):
    noise = tf.constant(noise_source)[: tf.shape(images)[0]]
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated, training=True)
        gen_loss = generator_loss(fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    gg = gen_tape.gradient(gen_loss, generator.trainable_variables)
    dg = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gg, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(zip(dg, discriminator.trainable_variables))
    return gen_loss, disc_loss

@tf.function
def distributed_train_step(x):
    generator_loss_value, d = strategy.run(train_step, args=(x,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, generator_loss_value, axis=None), strategy.reduce("SUM", d, axis=None)

for epoch in range(3):
    g_total = d_total = 0.0
    for batch in dist_dataset:
        generator_loss_value, d = distributed_train_step(batch)
        g_total += generator_loss_value; d_total += d
    print(f"epoch {epoch}: gen {float(g_total):.3f} disc {float(d_total):.3f}")
generated = generator(noise_source[:1], training=False)
print(generated.shape, discriminator(generated).shape, generator_optimizer.iterations.numpy())
generator.summary()
