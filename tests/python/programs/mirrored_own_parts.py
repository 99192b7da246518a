import tensorflow as tf
import numpy as np
K = tf.keras
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
x = np.linspace(-1, 1, 48).astype("float32").reshape(16, 3)
y = np.eye(3, dtype="float32")[np.arange(16) % 3]


class Gate(K.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.dense = K.layers.Dense(units, activation="sigmoid", kernel_initializer="ones")

    def build(self, shape):
        self.dense.build(shape)
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones", name="scale", regularizer=K.regularizers.L2(0.01), constraint=K.constraints.NonNeg())

    def call(self, inputs, training=None):
        return inputs * self.dense(inputs) * self.scale


class Figures(K.metrics.Metric):
    def __init__(self, name="figures", **kwargs):
        super().__init__(name=name, **kwargs)
        self.hits = self.add_weight(name="hits", initializer="zeros")
        self.n = self.add_weight(name="n", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        right = tf.equal(tf.argmax(y_true, -1), tf.argmax(y_pred, -1))
        self.hits.assign_add(tf.reduce_sum(tf.cast(right, tf.float32)))
        self.n.assign_add(tf.cast(tf.shape(y_true)[0], tf.float32))

    def result(self):
        return {"share": self.hits / self.n, "seen": self.n + 0.0}


def smooth(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)


class Model(K.Model):
    def __init__(self):
        super().__init__(name="mine")
        self.gates = [Gate(3, name=f"gate_{i}") for i in range(2)]
        self.out = K.layers.Dense(3, activation="softmax", kernel_initializer="zeros")

    def call(self, inputs, training=None):
        for one in self.gates:
            inputs = one(inputs, training=training)
        return self.out(inputs)


with strategy.scope():
    model = Model()
    model.compile(K.optimizers.Adam(0.05, clipnorm=1.0), smooth, metrics=[Figures(), K.metrics.F1Score(average="macro"), "accuracy"], weighted_metrics=["mae"])
h = model.fit(x, y, batch_size=4, epochs=3, verbose=0, shuffle=False, validation_data=(x, y), validation_batch_size=8)
for key, values in sorted(h.history.items()):
    print(key, [round(float(v), 4) for v in values])
print([round(float(one), 4) for one in model.gates[0].scale.numpy()])
print([(v.path, v.shape) for v in model.weights])
print([v.path for v in model.optimizer.variables][:4], model.optimizer.iterations.numpy())
print({k: round(float(v), 4) for k, v in model.evaluate(x, y, batch_size=8, verbose=0, return_dict=True).items()})
print(model.metrics_names)
model.save_weights("w.weights.h5")
other = Model()
other(x[:1])
other.load_weights("w.weights.h5")
print(np.allclose(other.predict(x, verbose=0), model.predict(x, batch_size=4, verbose=0), atol=1e-6))
ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat()
h = model.fit(ds, steps_per_epoch=2, epochs=2, verbose=0)
print(sorted(h.history), model.optimizer.iterations.numpy())
print(list(model.train_on_batch(x[:4], y[:4], return_dict=True)))
with strategy.scope():
    seq = K.Sequential([K.Input((3,)), K.layers.Dense(2, kernel_initializer="ones"), K.layers.BatchNormalization(synchronized=True), K.layers.Dense(1, kernel_initializer="ones")])
    seq.compile(K.optimizers.SGD(0.1), "mse")
seq.fit(x, y[:, :1], batch_size=4, epochs=2, verbose=0, shuffle=False, callbacks=[K.callbacks.ReduceLROnPlateau("loss", patience=0, min_delta=10.0, factor=0.5), K.callbacks.TerminateOnNaN()])
print([(np.round(w, 4) + 0.0).reshape(-1).tolist() for w in seq.get_weights()], round(float(seq.optimizer.learning_rate.numpy()), 5))
seq.save("s.keras")
with strategy.scope():
    back = K.models.load_model("s.keras")
print(np.allclose(back.predict(x, verbose=0), seq.predict(x, verbose=0), atol=1e-6), back.optimizer.name, type(back.layers[0].kernel).__name__)
print(back.evaluate(x, y[:, :1], batch_size=4, verbose=0) == seq.evaluate(x, y[:, :1], batch_size=4, verbose=0))
