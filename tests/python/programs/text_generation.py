import numpy as np
import tensorflow as tf

tf.random.set_seed(3)
text = "hello world, hello lockstep. hello again, world!"
vocab = sorted(set(text))
print(f"{len(vocab)} unique characters")
ids_from_chars = tf.keras.layers.StringLookup(vocabulary=list(vocab), mask_token=None)
chars_from_ids = tf.keras.layers.StringLookup(vocabulary=ids_from_chars.get_vocabulary(), invert=True, mask_token=None)
all_ids = ids_from_chars(tf.strings.unicode_split(text, "UTF-8"))
print(all_ids)
def text_from_ids(ids):
    return tf.strings.reduce_join(chars_from_ids(ids), axis=-1)
print(text_from_ids(all_ids).numpy())
ids_dataset = tf.data.Dataset.from_tensor_slices(all_ids)
seq_length = 7
sequences = ids_dataset.batch(seq_length + 1, drop_remainder=True)
for seq in sequences.take(2): print(chars_from_ids(seq).numpy())
def split_input_target(sequence):
    return sequence[:-1], sequence[1:]
dataset = sequences.map(split_input_target)
for a, b in dataset.take(1): print(text_from_ids(a).numpy(), text_from_ids(b).numpy())
dataset = dataset.batch(2, drop_remainder=True).prefetch(tf.data.experimental.AUTOTUNE)
print(dataset)

class MyModel(tf.keras.Model):
    def __init__(self, vocab_size, embedding_dim, rnn_units):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim, embeddings_initializer=tf.keras.initializers.Constant(0.1))
        self.gru = tf.keras.layers.GRU(rnn_units, return_sequences=True, return_state=True, kernel_initializer="ones", recurrent_initializer="zeros")
        self.dense = tf.keras.layers.Dense(vocab_size, kernel_initializer="zeros")
    def call(self, inputs, states=None, return_state=False, training=False):
        x = self.embedding(inputs, training=training)
        if states is None:
            states = self.gru.get_initial_state(tf.shape(inputs)[0])
        x, states = self.gru(x, initial_state=states, training=training)
        x = self.dense(x, training=training)
        if return_state:
            return x, states
        return x

model = MyModel(len(ids_from_chars.get_vocabulary()), 4, 6)
for inputs, targets in dataset.take(1):
    predictions = model(inputs)
    print(predictions.shape, "# (batch_size, sequence_length, vocab_size)")
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
mean_loss = loss(targets, predictions)
print("Mean loss: %.4f, exp %.3f" % (mean_loss, tf.exp(mean_loss)))
model.compile(optimizer="adam", loss=loss)
history = model.fit(dataset, epochs=2, verbose=0, shuffle=False)
print([round(l, 3) for l in history.history["loss"]])

class CustomTraining(MyModel):
    @tf.function
    def train_step(self, inputs):
        inputs, labels = inputs
        with tf.GradientTape() as tape:
            predictions = self(inputs, training=True)
            loss = self.loss(labels, predictions)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}
model = CustomTraining(len(ids_from_chars.get_vocabulary()), 4, 6)
model.compile(optimizer=tf.keras.optimizers.Adam(), loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset, epochs=2, verbose=0, shuffle=False)
mean = tf.metrics.Mean() if hasattr(tf.metrics, "Mean") else tf.keras.metrics.Mean()
for epoch in range(2):
    mean.reset_state()
    for (batch_n, (inp, target)) in enumerate(dataset):
        logs = model.train_step([inp, target])
        mean.update_state(logs["loss"])
    print(f"Epoch {epoch+1} Loss: {mean.result().numpy():.4f}")
