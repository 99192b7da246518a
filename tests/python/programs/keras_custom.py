import tensorflow as tf
import numpy as np
from tensorflow import keras
keras.utils.set_random_seed(0)
class Linear(keras.layers.Layer):
    def __init__(self, units=32, **kwargs):
        super().__init__(**kwargs); self.units = units
    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", trainable=True, name="w")
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=True)
    def call(self, inputs): return tf.matmul(inputs, self.w) + self.b
    def get_config(self):
        c = super().get_config(); c.update({"units": self.units}); return c
l = Linear(4); y = l(tf.ones((2, 2))); print(y); print(l.weights == [l.w, l.b], l.name, l.built, l.w.path, l.b.name)
c = l.get_config(); print(c); l2 = Linear.from_config(c); print(l2.units)
class ComputeSum(keras.layers.Layer):
    def __init__(self, d):
        super().__init__(); self.total = self.add_weight(initializer="zeros", shape=(d,), trainable=False)
    def call(self, x): self.total.assign_add(tf.reduce_sum(x, axis=0)); return self.total
s = ComputeSum(2); print(s(tf.ones((2, 2))).numpy(), s(tf.ones((2, 2))).numpy(), len(s.weights), len(s.non_trainable_weights), s.trainable_weights)
class MLPBlock(keras.layers.Layer):
    def __init__(self):
        super().__init__(); self.l1 = Linear(8); self.l2 = Linear(1); self.act = keras.layers.Activation("relu")
    def call(self, x): return self.l2(self.act(self.l1(x)))
m = MLPBlock(); print(m(tf.ones((3, 4))).shape, len(m.weights), len(m.trainable_weights))
class ActReg(keras.layers.Layer):
    def __init__(self, r=1e-2): super().__init__(); self.r = r
    def call(self, x): self.add_loss(self.r * tf.reduce_mean(x)); return x
class Outer(keras.layers.Layer):
    def __init__(self): super().__init__(); self.a = ActReg(1e-2); self.d = keras.layers.Dense(3, kernel_regularizer=keras.regularizers.l2(1e-3))
    def call(self, x): return self.d(self.a(x))
o = Outer(); print(o.losses); o(tf.ones((1, 2))); print(len(o.losses), float(o.losses[0]) >= 0); o(tf.zeros((1, 2))); print(len(o.losses))
class CustomDropout(keras.layers.Layer):
    def __init__(self, rate, **k): super().__init__(**k); self.rate = rate; self.seed_generator = keras.random.SeedGenerator(1337)
    def call(self, x, training=None):
        if training: return keras.random.dropout(x, rate=self.rate, seed=self.seed_generator)
        return x
print(CustomDropout(.5)(tf.ones((1, 3))).numpy(), CustomDropout(.5)(tf.ones((1, 30)), training=True).shape)
class CustomModel(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True); loss = self.compute_loss(y=y, y_pred=y_pred)
        grads = tape.gradient(loss, self.trainable_variables); self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        for metric in self.metrics:
            if metric.name == "loss": metric.update_state(loss)
            else: metric.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}
i = keras.Input(shape=(4,)); model = CustomModel(i, keras.layers.Dense(1)(i)); model.compile(optimizer="sgd", loss="mse", metrics=["mae"])
r = np.random.RandomState(1); X = r.rand(40, 4).astype("float32"); Y = r.rand(40, 1).astype("float32")
h = model.fit(X, Y, epochs=2, verbose=0, shuffle=False); print({k: np.round(v, 4).tolist() for k, v in h.history.items()})
class M2(keras.Model):
    def __init__(self, *a, **k): super().__init__(*a, **k); self.loss_tracker = keras.metrics.Mean(name="loss"); self.mae = keras.metrics.MeanAbsoluteError(name="mae"); self.loss_fn = keras.losses.MeanSquaredError()
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape: p = self(x, training=True); loss = self.loss_fn(y, p)
        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        self.loss_tracker.update_state(loss); self.mae.update_state(y, p); return {"loss": self.loss_tracker.result(), "mae": self.mae.result()}
    def test_step(self, data):
        x, y = data; p = self(x, training=False); self.mae.update_state(y, p); return {"mae": self.mae.result()}
    @property
    def metrics(self): return [self.loss_tracker, self.mae]
m2 = M2(i, keras.layers.Dense(1, kernel_initializer="ones")(i)); m2.compile(optimizer="adam"); h = m2.fit(X, Y, epochs=2, verbose=0, shuffle=False); print({k: np.round(v, 4).tolist() for k, v in h.history.items()}, {k: round(float(v), 4) for k, v in m2.evaluate(X, Y, verbose=0, return_dict=True).items()})
class Sub(keras.Model):
    def __init__(self): super().__init__(); self.d1 = keras.layers.Dense(4, activation="relu"); self.d2 = keras.layers.Dense(2); self.bn = keras.layers.BatchNormalization()
    def call(self, x, training=False): return self.d2(self.bn(self.d1(x), training=training))
sm = Sub(); print(sm.built); sm(tf.ones((1, 3))); sm.summary(); print([w.path for w in sm.weights], len(sm.layers), [l.name for l in sm.layers])
opt = keras.optimizers.SGD(0.1, momentum=.9); lf = keras.losses.SparseCategoricalCrossentropy(from_logits=True); acc = keras.metrics.SparseCategoricalAccuracy()
ds = tf.data.Dataset.from_tensor_slices((X[:, :3], (X[:, 0] > .5).astype("int32"))).batch(10)
@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape: lo = sm(x, training=True); loss = lf(y, lo)
    g = tape.gradient(loss, sm.trainable_weights); opt.apply_gradients(zip(g, sm.trainable_weights)); acc.update_state(y, lo); return loss
for epoch in range(2):
    for step, (x, y) in enumerate(ds):
        loss = train_step(x, y)
    print("epoch %d: loss %.4f acc %.4f" % (epoch, float(loss), float(acc.result()))); acc.reset_state()
try:
    class Bad(keras.layers.Layer):
        def __init__(self): self.d = keras.layers.Dense(1)
    Bad()
except Exception as e: print(type(e).__name__, str(e)[:100])
