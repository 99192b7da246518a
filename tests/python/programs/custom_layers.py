import tensorflow as tf
import numpy as np
tf.keras.utils.set_random_seed(0)

class Linear(tf.keras.layers.Layer):
    def __init__(self, units=32, activation=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.activation = tf.keras.activations.get(activation)
    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", trainable=True, name="w")
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=True, name="b")
        self.calls = self.add_weight(name="calls", shape=(), initializer="zeros", trainable=False)
    def call(self, inputs, training=None):
        if training:
            self.calls.assign_add(1.0)
        return self.activation(tf.matmul(inputs, self.w) + self.b)
    def get_config(self):
        config = super().get_config()
        config.update({"units": self.units, "activation": tf.keras.activations.serialize(self.activation)})
        return config

layer = Linear(2, activation="relu", name="linear")
print(layer(tf.ones((2, 3))).numpy(), layer.built)
print([w.name for w in layer.weights], len(layer.trainable_weights), len(layer.non_trainable_weights))
print(layer.get_config())
again = Linear.from_config(layer.get_config()); print(again.units, again.name)
layer(tf.ones((1, 3)), training=True); print(layer.calls.numpy())

class ActivityRegularizationLayer(tf.keras.layers.Layer):
    def call(self, inputs):
        self.add_loss(1e-2 * tf.reduce_sum(inputs))
        return inputs
class Outer(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = ActivityRegularizationLayer()
        self.dense = tf.keras.layers.Dense(1, kernel_regularizer=tf.keras.regularizers.l2(1e-3), kernel_initializer="ones")
    def call(self, x):
        return self.dense(self.inner(x))
o = Outer(); _ = o(tf.ones((1, 2))); print([round(float(l), 4) for l in o.losses])

class CustomModel(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.d1 = Linear(4, "relu"); self.d2 = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.loss_tracker = tf.keras.metrics.Mean(name="loss"); self.mae_metric = tf.keras.metrics.MeanAbsoluteError(name="mae")
    def call(self, x, training=False):
        return self.d2(self.d1(x, training=training))
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = tf.reduce_mean(tf.square(y - y_pred))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.loss_tracker.update_state(loss); self.mae_metric.update_state(y, y_pred)
        return {"loss": self.loss_tracker.result(), "mae": self.mae_metric.result()}
    def test_step(self, data):
        x, y = data
        y_pred = self(x, training=False)
        self.mae_metric.update_state(y, y_pred)
        return {"mae": self.mae_metric.result()}
    @property
    def metrics(self):
        return [self.loss_tracker, self.mae_metric]
model = CustomModel()
model.compile(optimizer=tf.keras.optimizers.SGD(1e-3))
x = np.linspace(0, 1, 24).reshape(8, 3).astype("float32"); y = x.sum(1, keepdims=True)
h = model.fit(x, y, epochs=2, batch_size=4, verbose=0, shuffle=False)
print({k: [round(float(i), 4) for i in v] for k, v in h.history.items()})
print([round(float(v), 4) for v in np.atleast_1d(model.evaluate(x, y, verbose=0))], model.evaluate(x, y, verbose=0, return_dict=True).keys())
print(model.count_params(), len(model.layers), [l.name for l in model.layers])

class F1(tf.keras.metrics.Metric):
    def __init__(self, name="f1", **kwargs):
        super().__init__(name=name, **kwargs)
        self.tp = self.add_weight(name="tp", initializer="zeros"); self.n = self.add_weight(name="n", initializer="zeros")
    def update_state(self, y_true, y_pred, sample_weight=None):
        hit = tf.cast(tf.equal(tf.cast(y_true, tf.int32), tf.cast(y_pred > 0.5, tf.int32)), tf.float32)
        if sample_weight is not None: hit = hit * tf.cast(sample_weight, tf.float32)
        self.tp.assign_add(tf.reduce_sum(hit)); self.n.assign_add(tf.cast(tf.size(hit), tf.float32))
    def result(self): return self.tp / self.n
m = F1(); m.update_state(tf.constant([1, 0, 1]), tf.constant([0.9, 0.8, 0.7])); print(m.result().numpy(), m.name, [v.name for v in m.variables]); m.reset_state(); print(m.tp.numpy())

def huber(y_true, y_pred):
    e = y_true - y_pred
    return tf.where(tf.abs(e) <= 1.0, tf.square(e) / 2, tf.abs(e) - 0.5)
class WeightedMSE(tf.keras.losses.Loss):
    def __init__(self, w=2.0, **kw): super().__init__(**kw); self.w = w
    def call(self, y_true, y_pred): return self.w * tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)
for loss in (huber, WeightedMSE(name="wmse"), "mae", tf.keras.losses.Huber()):
    s = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    s.compile("sgd", loss=loss, metrics=[F1()])
    print([round(float(v), 4) for v in s.train_on_batch(x, y)])
print(WeightedMSE()(tf.constant([[1.0]]), tf.constant([[3.0]])).numpy(), WeightedMSE(reduction="none")(tf.constant([[1.0], [2.0]]), tf.constant([[3.0], [2.0]])).numpy())
l = tf.keras.layers.Lambda(lambda t: t * 2); print(l(tf.ones((1, 2))).numpy())
class Sampling(tf.keras.layers.Layer):
    def __init__(self, **kw):
        super().__init__(**kw); self.seed_generator = tf.keras.random.SeedGenerator(1337)
    def call(self, inputs):
        mean, var = inputs
        return mean + tf.exp(0.5 * var) * tf.keras.random.normal(tf.shape(mean), seed=self.seed_generator)
print(Sampling()((tf.zeros((1, 2)), tf.zeros((1, 2)))).shape)
d = tf.keras.layers.Dense(2); print(d.built, d.weights); d.build((None, 3)); print(d.kernel.shape, d.bias.shape, d.trainable); d.trainable = False; print(len(d.trainable_weights))
