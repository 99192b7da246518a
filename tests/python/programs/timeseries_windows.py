import numpy as np
import tensorflow as tf

class WindowGenerator:
    def __init__(self, input_width, label_width, shift, columns, data, label_columns=None):
        self.data = data
        self.label_columns = label_columns
        self.column_indices = {name: i for i, name in enumerate(columns)}
        self.input_width, self.label_width, self.shift = input_width, label_width, shift
        self.total_window_size = input_width + shift
        self.input_slice = slice(0, input_width)
        self.label_start = self.total_window_size - label_width
        self.labels_slice = slice(self.label_start, None)
    def split_window(self, features):
        inputs = features[:, self.input_slice, :]
        labels = features[:, self.labels_slice, :]
        if self.label_columns is not None:
            labels = tf.stack([labels[:, :, self.column_indices[name]] for name in self.label_columns], axis=-1)
        inputs.set_shape([None, self.input_width, None])
        labels.set_shape([None, self.label_width, None])
        return inputs, labels
    def make_dataset(self):
        ds = tf.keras.utils.timeseries_dataset_from_array(data=self.data, targets=None, sequence_length=self.total_window_size, sequence_stride=1, shuffle=False, batch_size=4)
        return ds.map(self.split_window)

data = np.stack([np.sin(np.arange(20) / 3), np.arange(20) / 10.0], 1).astype("float32")
w = WindowGenerator(6, 1, 1, ["a", "b"], data, ["b"])
ds = w.make_dataset()
for x, y in ds.take(1): print(x.shape, y.shape, y.numpy().ravel())
print(ds.element_spec, ds.cardinality().numpy())

class Baseline(tf.keras.Model):
    def __init__(self, label_index=None):
        super().__init__()
        self.label_index = label_index
    def call(self, inputs):
        if self.label_index is None:
            return inputs
        result = inputs[:, :, self.label_index]
        return result[:, :, tf.newaxis]
baseline = Baseline(label_index=1)
baseline.compile(loss=tf.keras.losses.MeanSquaredError(), metrics=[tf.keras.metrics.MeanAbsoluteError()])
w1 = WindowGenerator(1, 1, 1, ["a", "b"], data, ["b"])
print({k: round(v, 4) for k, v in baseline.evaluate(w1.make_dataset(), verbose=0, return_dict=True).items()})

class Feedback(tf.keras.Model):
    def __init__(self, units, out_steps):
        super().__init__()
        self.out_steps = out_steps
        self.lstm_cell = tf.keras.layers.LSTMCell(units, kernel_initializer="ones", recurrent_initializer="zeros")
        self.lstm_rnn = tf.keras.layers.RNN(self.lstm_cell, return_state=True)
        self.dense = tf.keras.layers.Dense(2, kernel_initializer="zeros")
    def warmup(self, inputs):
        x, *state = self.lstm_rnn(inputs)
        return self.dense(x), state
    def call(self, inputs, training=None):
        predictions = []
        prediction, state = self.warmup(inputs)
        predictions.append(prediction)
        for n in range(1, self.out_steps):
            x = prediction
            x, state = self.lstm_cell(x, states=state, training=training)
            prediction = self.dense(x)
            predictions.append(prediction)
        predictions = tf.stack(predictions)
        return tf.transpose(predictions, [1, 0, 2])
feedback = Feedback(units=4, out_steps=3)
w3 = WindowGenerator(6, 3, 3, ["a", "b"], data)
example = next(iter(w3.make_dataset()))
prediction, state = feedback.warmup(example[0]); print(prediction.shape, len(state))
print(feedback(example[0]).shape)
feedback.compile(loss="mse", optimizer="adam", metrics=["mae"])
early = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=2, mode="min")
h = feedback.fit(w3.make_dataset(), epochs=2, validation_data=w3.make_dataset(), callbacks=[early], verbose=0)
print({k: [round(float(a), 3) for a in v] for k, v in h.history.items()})
CONV = 3
conv = tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: x[:, -CONV:, :]), tf.keras.layers.Conv1D(4, activation="relu", kernel_size=(CONV,), kernel_initializer="ones"), tf.keras.layers.Dense(3 * 2, kernel_initializer=tf.initializers.zeros()), tf.keras.layers.Reshape([3, 2])])
print(conv(example[0]).shape)
residual = tf.keras.Sequential([tf.keras.layers.LSTM(3, return_sequences=True, kernel_initializer="ones", recurrent_initializer="ones"), tf.keras.layers.Dense(2, kernel_initializer=tf.initializers.zeros())])
print(residual(example[0]).shape)
for batch in tf.keras.preprocessing.timeseries_dataset_from_array(np.arange(10), np.arange(10) * 10, sequence_length=3, batch_size=2, sampling_rate=2).take(2):
    print([b.numpy().tolist() for b in batch])
for batch in tf.keras.utils.timeseries_dataset_from_array(np.arange(10), None, 4, sequence_stride=3, end_index=9): print(batch.numpy().tolist())
